/** All style sheets, in the order in which they win over each other. */
import colours from './colours.css';
import base from './base.css';
import frame from './frame.css';
import details from './details.css';
import tables from './tables.css';
import flameGraph from '../views/flame-canvas.css';
import overview from '../views/overview/overview.css';
import help from './help.css';
import timeline from './timeline.css';
import tracks from './tracks.css';
import tooltip from './tooltip.css';
import contextMenu from './context-menu.css';
import access from './access.css';

export const styles = [
  colours,
  base,
  frame,
  details,
  tables,
  flameGraph,
  overview,
  help,
  timeline,
  tracks,
  tooltip,
  contextMenu,
  access,
].join('\n');
