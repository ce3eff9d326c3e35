import type { ViewAbout } from '../about.js';

export const callTree: ViewAbout = {
  id: 'callTree',
  key: '3',
};
