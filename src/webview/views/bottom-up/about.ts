import type { ViewAbout } from '../about.js';

export const bottomUp: ViewAbout = {
  id: 'bottomUp',
  key: '4',
};
