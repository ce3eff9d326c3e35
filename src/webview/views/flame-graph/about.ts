import type { ViewAbout } from '../about.js';

export const flameGraph: ViewAbout = {
  id: 'flameGraph',
  key: '2',
};
