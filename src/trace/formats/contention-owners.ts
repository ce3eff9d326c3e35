/** Finds the threads that contention texts name as owners. */
import type { EventThread } from '../assemble/event-builder.js';
import type { Contention } from './contention.js';

/** The kernel keeps so many letters of a thread's name. Android's runtime gives it the first or the last ones. */
const kernelNameLetters = 15;

/** Threads by process and number, and by process and name. Cost: a look-up in a map for each way to be called. */
export class ThreadsOfProcesses {
  readonly #byTid = new Map<string, EventThread>();
  /** Undefined where several have the name. */
  readonly #byName = new Map<string, EventThread | undefined>();
  readonly #mains = new Map<number, EventThread>();

  constructor(threads: readonly EventThread[]) {
    for (const thread of threads) {
      const { pid, tid, name, isMain } = thread;
      if (tid <= 0) continue;
      this.#byTid.set(`${pid} ${tid}`, thread);
      const key = `${pid} ${name}`;
      this.#byName.set(key, this.#byName.has(key) ? undefined : thread);
      if (isMain) this.#mains.set(pid, thread);
    }
  }

  /** The number may be the runtime's own, and another thread's: the name decides where it can. */
  owner(pid: number, { ownerTid, ownerName }: Contention): EventThread | undefined {
    const byTid = this.#byTid.get(`${pid} ${ownerTid}`);
    if (ownerName === '') return byTid;
    const names = [ownerName, ownerName.slice(0, kernelNameLetters), ownerName.slice(-kernelNameLetters)];
    if (byTid !== undefined && names.includes(byTid.name)) return byTid;
    const main = ownerName === 'main' ? this.#mains.get(pid) : undefined;
    return main ?? names.map((name) => this.#byName.get(`${pid} ${name}`)).find(Boolean) ?? byTid;
  }
}
