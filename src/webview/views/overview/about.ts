import type { ViewAbout } from '../about.js';

export const overview: ViewAbout = {
  id: 'overview',
  key: 'v',
};
