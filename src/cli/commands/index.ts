/** All commands, in the order the help shows them. */
import type { Command } from '../command-line.js';
import { dump } from './dump.js';
import { list } from './list.js';
import { record } from './record.js';

export const commands: readonly Command[] = [list, record, dump];
