// CPU time of children that have ended. Apart from process.mjs, which catches this process's signals.
import { readFileSync } from 'node:fs';
import process from 'node:process';

/** CPU time, in ms, of the children that a process has waited for, and of those that they have. Linux only: elsewhere 0. */
export function waitedCpuMs(pid = 'self') {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10; // cutime and cstime, in 1/100 s
}
