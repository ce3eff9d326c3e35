/** Ends an app as the system does, at a moment that is known: what it was at is held against the agent afterwards. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { until } from '../until.js';

/**
 * Ends the process with so many walks under way, as the agent's marker says it. Where the moment was a matter of luck, one
 * in hundreds would be in a walk, and on a busy machine more. "None" is waited for, and not written: a walk that the agent
 * forgot to count as ended has to show.
 */
export async function killWithWalks(pid: number, walks: number): Promise<void> {
  const isReady = async (): Promise<boolean> => {
    process.kill(pid, 'SIGSTOP');
    await until(`process ${pid} stops`, () => hasStopped(pid), 1);
    const marker = /\S+\.walking$/m.exec(readFileSync(`/proc/${pid}/maps`, 'utf8'))?.[0];
    if (walks > 0) {
      if (marker === undefined) throw new Error(`nothing in process ${pid} walks`);
      writeFileSync(marker, Uint8Array.of(walks, 0, 0, 0), { flag: 'r+' });
      return true;
    }
    if (marker === undefined || readFileSync(marker).readInt32LE() === 0) return true;
    process.kill(pid, 'SIGCONT');
    return false;
  };
  try {
    await until(`process ${pid} is in no walk`, isReady, 1);
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
