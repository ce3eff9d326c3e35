/** Slices that are waits for locks: their names are read once, and their owners are found when all threads are known. */
import type { EventBuilder, EventThread } from '../assemble/event-builder.js';
import { type Contention, type ContentionPlace, mayBeContention, readContention } from './contention.js';
import { ThreadsOfProcesses } from './contention-owners.js';
import type { NamedMethods } from './named-methods.js';
import type { NameTable } from './names.js';

/** Of a longer name nothing is read: the kernel's trace has no room for one. */
const mostNameBytes = 1 << 12;

export class ContentionWaits {
  readonly #names: NameTable;
  /** By method: what its name says, and the processes that it is in. */
  readonly #known = new Map<number, { readonly said: Contention; readonly pids: Set<number> }>();

  constructor(names: NameTable) {
    this.#names = names;
  }

  static isCandidate(firstByte: number, nameBytes: number): boolean {
    return mayBeContention(firstByte) && nameBytes <= mostNameBytes;
  }

  /** A slice of a thread of that process began, whose name may be one. */
  began(method: number, pid: number): void {
    const known = this.#known.get(method);
    if (known !== undefined) known.pids.add(pid);
    else {
      const said = readContention(this.#names.text(method));
      if (said !== undefined) this.#known.set(method, { said, pids: new Set([pid]) });
    }
  }

  /** Makes such slices waits. Returns their owners. */
  finish(builder: EventBuilder, methods: NamedMethods): Set<EventThread> {
    const owners = new Set<EventThread>();
    if (this.#known.size === 0) return owners;
    const threads = new ThreadsOfProcesses(builder.threads);
    const unseen = new Map<string, EventThread>();
    const ownerIn = (pid: number, said: Contention): EventThread | undefined => {
      const owner = threads.owner(pid, said);
      if (owner !== undefined || said.ownerName === '') return owner;
      const key = `${pid} ${said.ownerName}`;
      const made = unseen.get(key) ?? builder.thread(0, pid, said.ownerName);
      unseen.set(key, made);
      return made;
    };
    const methodOf = (place: ContentionPlace | undefined): number => {
      if (place === undefined) return -1;
      const method = this.#names.internText(place.method);
      methods.setSource(method, place.file, 0);
      return method;
    };
    for (const [method, { said, pids }] of this.#known) {
      const byProcess = new Map<number, EventThread>();
      for (const pid of pids) {
        const owner = ownerIn(pid, said);
        if (owner === undefined) continue;
        owners.add(owner);
        byProcess.set(pid, owner);
      }
      builder.waitSlices.set(method, {
        kind: said.kind,
        type: builder.className(said.lock),
        within: methodOf(said.blocked),
        line: said.blocked?.line ?? 0,
        ownerMethod: methodOf(said.owned),
        ownerLine: said.owned?.line ?? 0,
        owners: byProcess,
      });
    }
    return owners;
  }
}
