import type { ViewAbout } from '../about.js';

export const methods: ViewAbout = {
  id: 'methods',
  key: '5',
};
