import type { EventBuilder, EventThread } from '../../assemble/event-builder.js';
import { ThreadKind } from '../../model/kinds.js';
import type { JfrPools } from './jfr-pools.js';

/** An estimate: a thread's object and its places in maps. */
const threadBytes = 400;

export interface JfrThread {
  readonly row: number;
  readonly track: EventThread;
}

/** The threads of a recording: each chunk names them anew. */
export class JfrThreads {
  readonly list: JfrThread[] = [];
  readonly #byId = new Map<string, JfrThread>();
  readonly #builder: EventBuilder;

  constructor(builder: EventBuilder) {
    this.#builder = builder;
  }

  get memoryBytes(): number {
    return threadBytes * this.list.length;
  }

  /** Threads are told apart by Java's ids, which are given once, else by the system's and their names. */
  of(pools: JfrPools, typeId: number, id: number): JfrThread | undefined {
    const [tid = NaN, javaId = NaN, virtual = NaN] = pools.numbers(typeId, id, [
      'osThreadId',
      'javaThreadId',
      'virtual',
    ]);
    if (Number.isNaN(tid) && Number.isNaN(javaId)) return undefined;
    const name = pools.textOf(typeId, id, 'javaName') || pools.textOf(typeId, id, 'osName');
    const key = javaId > 0 ? `java ${javaId}` : `os ${tid} ${name}`;
    let thread = this.#byId.get(key);
    if (thread === undefined) {
      const isVirtual = virtual > 0;
      const shown = name !== '' ? name : isVirtual ? `virtual thread ${javaId}` : '';
      const track = this.#builder.thread(isVirtual ? 0 : Math.max(0, tid), 0, shown);
      track.kind = isVirtual ? ThreadKind.Virtual : javaId > 0 ? ThreadKind.Platform : ThreadKind.Runtime;
      track.javaId = Math.max(0, javaId || 0);
      track.isMain = name === 'main' && javaId === 1;
      thread = { row: this.list.length, track };
      this.list.push(thread);
      this.#byId.set(key, thread);
    }
    return thread;
  }
}
