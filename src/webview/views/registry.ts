/** The views of the page, in the order of their tabs. docs/EXTENDING.md says how to add one. */
import type { ViewAbout } from './about.js';
import { bottomUp } from './bottom-up/about.js';
import { callTree } from './call-tree/about.js';
import { callers } from './callers/about.js';
import { compare } from './compare/about.js';
import { flameGraph } from './flame-graph/about.js';
import { messages } from './messages/about.js';
import { methods } from './methods/about.js';
import { overview } from './overview/about.js';
import { timeline } from './timeline/about.js';

export const views: readonly ViewAbout[] = [
  overview,
  timeline,
  flameGraph,
  callTree,
  bottomUp,
  methods,
  callers,
  messages,
  compare,
];
