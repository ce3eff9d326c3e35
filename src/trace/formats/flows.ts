import type { EventBuilder, EventThread } from '../assemble/event-builder.js';
import { LinkCertainty } from '../model/kinds.js';

interface FlowEnd {
  readonly thread: EventThread;
  readonly time: number;
}

/** An estimate: a key and an object in a map. */
const flowBytes = 200;

/** Arrows between events, by their ids: whoever one ends at waited for where it came from, so it is a link. */
export class Flows<Id extends number | string> {
  readonly #builder: EventBuilder;
  /** Where the latest arrow of an id has come to. */
  readonly #open = new Map<Id, FlowEnd>();

  constructor(builder: EventBuilder) {
    this.#builder = builder;
  }

  get memoryBytes(): number {
    return flowBytes * this.#open.size;
  }

  begin(id: Id, thread: EventThread, time: number): void {
    this.#open.set(id, { thread, time });
  }

  /** Goes on, or `ends`; the first step of an id that did not begin begins it. What is later in time waited. */
  step(id: Id, thread: EventThread, time: number, ends: boolean): void {
    const here = { thread, time };
    const other = this.#open.get(id);
    if (other !== undefined) {
      const [source, target] = other.time <= time ? [other, here] : [here, other];
      this.#builder.link(target.thread, target.time, source.thread, source.time, LinkCertainty.Observed);
    }
    if (other !== undefined && ends) this.#open.delete(id);
    else this.#open.set(id, here);
  }
}
