/** All commands, in the order the help shows them. */
import type { Command } from '../command-line.js';
import { dump } from './dump.js';
import { compare } from './compare.js';
import { completionOf } from './completion.js';
import { collect } from './collect.js';
import { convert } from './convert.js';
import { doctor } from './doctor.js';
import { fleet } from './fleet.js';
import { inApp } from './in-app.js';
import { lags } from './lags.js';
import { list } from './list.js';
import { info } from './info.js';
import { mcp } from './mcp.js';
import { measure } from './measure.js';
import { merge } from './merge.js';
import { query } from './query.js';
import { record } from './record.js';
import { report } from './report.js';
import { symbolize } from './symbolize.js';
import { survey } from './survey.js';
import { synth } from './synth.js';
import { why } from './why.js';

const others: readonly Command[] = [
  list,
  record,
  report,
  why,
  compare,
  measure,
  survey,
  query,
  collect,
  fleet,
  mcp,
  info,
  convert,
  merge,
  symbolize,
  synth,
  dump,
  doctor,
  inApp,
  lags,
];
export const commands: readonly Command[] = [...others, completionOf(others)];
