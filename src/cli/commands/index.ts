/** All commands, in the order the help shows them. */
import type { Command } from '../command-line.js';
import { dump } from './dump.js';
import { compare } from './compare.js';
import { convert } from './convert.js';
import { doctor } from './doctor.js';
import { inApp } from './in-app.js';
import { list } from './list.js';
import { info } from './info.js';
import { record } from './record.js';
import { report } from './report.js';
import { synth } from './synth.js';

export const commands: readonly Command[] = [
  list,
  record,
  report,
  compare,
  info,
  convert,
  synth,
  dump,
  doctor,
  inApp,
];
