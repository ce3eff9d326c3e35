/** The flame chart of every thread over time. The page draws it itself (`timeline/`); here are its tab, key and texts. */
import type { ViewAbout } from '../about.js';

export const timeline: ViewAbout = {
  id: 'timeline',
  key: '1',
};
