// Finds processes that a test run started and forgot: each carries the run's mark in its environment. Linux only.
import { readdirSync, readFileSync, existsSync } from 'node:fs';
import process from 'node:process';

export const markName = 'BTRACE_TEST_RUN';

/** The processes, other than this one, whose environment has the mark: [{pid, command}]. */
export function leftovers(mark) {
  if (!existsSync('/proc/self/environ')) return [];
  const found = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      if (!readFileSync(`/proc/${name}/environ`, 'utf8').includes(`${markName}=${mark}`)) continue;
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      if (command !== '') found.push({ pid: Number(name), command }); // a zombie has none
    } catch {
      continue; // ended meanwhile, or somebody else's
    }
  }
  return found;
}
