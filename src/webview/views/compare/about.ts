import type { ViewAbout } from '../about.js';

export const compare: ViewAbout = {
  id: 'compare',
  key: '8',
  isOffered: ({ baseline }) => baseline !== undefined,
};
