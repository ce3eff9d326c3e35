import type { ViewAbout } from '../about.js';

export const callers: ViewAbout = {
  id: 'callers',
  key: '6',
};
