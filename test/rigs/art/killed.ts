/** Ends an app as the system does, at a moment that is known: what it was at is held against the agent afterwards. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { waitLimitMs } from '../wait-limit.js';

/**
 * Ends the process with so many walks under way, as the agent's marker says it. Where the moment was a matter of luck, one
 * in hundreds would be in a walk, and on a busy machine more. "None" is waited for, and not written: a walk that the agent
 * forgot to count as ended has to show.
 */
export async function killWithWalks(pid: number, walks: number): Promise<void> {
  const until = Date.now() + waitLimitMs;
  const later = async (problem: string): Promise<void> => {
    if (Date.now() > until) throw new Error(`process ${pid} ${problem}`);
    await delay(1);
  };
  try {
    for (;;) {
      process.kill(pid, 'SIGSTOP');
      while (!hasStopped(pid)) await later('does not stop');
      const marker = /\S+\.walking$/m.exec(readFileSync(`/proc/${pid}/maps`, 'utf8'))?.[0];
      if (walks > 0) {
        if (marker === undefined) throw new Error(`nothing in process ${pid} walks`);
        writeFileSync(marker, Uint8Array.of(walks, 0, 0, 0), { flag: 'r+' });
        break;
      }
      if (marker === undefined || readFileSync(marker).readInt32LE() === 0) break;
      process.kill(pid, 'SIGCONT');
      await later('is always in a walk');
    }
  } catch (error) {
    if (!isGone(error)) throw error; // it had ended, or its marker had been taken away
  } finally {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It had ended.
    }
  }
}

/** Every thread of it. */
function hasStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((task) => {
    try {
      // The name before it may have spaces and brackets.
      return /\) [TtZX] /.test(readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8'));
    } catch (error) {
      if (isGone(error)) return true;
      throw error;
    }
  });
}

const isGone = (error: unknown): boolean =>
  ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '');
