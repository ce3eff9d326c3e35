/** Pauses of the whole program for garbage collection: they are shown on a track of their own. */
import type { EventBuilder } from '../../assemble/event-builder.js';
import { SampleKind, ThreadKind } from '../../model/kinds.js';
import type { LinedStacks } from '../lined-stacks.js';
import type { NameTable } from '../names.js';
import { Stretch, stretchBytes, Stretches } from '../stretches.js';

interface Pause {
  readonly begin: number;
  readonly end: number;
  /** Of the collection that it is a part of. */
  readonly id: number;
  readonly name: string;
}

/** Estimates: an object; a number with its text in a map. */
const pauseBytes = 80 + stretchBytes;
const collectionBytes = 120;

export class JfrPauses {
  readonly #pauses: Pause[] = [];
  readonly #titles = new Map<number, string>();
  #letters = 0;

  get memoryBytes(): number {
    return pauseBytes * this.#pauses.length + collectionBytes * this.#titles.size + 2 * this.#letters;
  }

  add(pause: Pause): void {
    this.#pauses.push(pause);
    this.#letters += pause.name.length;
  }

  addCollection(id: number, kind: string, cause: string): void {
    const title = cause === '' ? kind : `${kind} (${cause})`;
    this.#titles.set(id, title);
    this.#letters += title.length;
  }

  show(builder: EventBuilder, pid: number, stacks: LinedStacks, names: NameTable): void {
    if (this.#pauses.length === 0) return;
    const pauses = new Stretches();
    for (const { begin, end, id, name } of this.#pauses) {
      const title = this.#titles.get(id) ?? (name === '' ? 'garbage collection' : name);
      const node = stacks.child(0, names.internText(title), 0);
      const row = pauses.push(0, begin, end, Stretch.Wait, stacks.nodes.path[node] ?? 0, node);
      if (row >= 0) pauses.kind[row] = SampleKind.Gc;
    }
    for (let refused = pauses.refused; refused > 0; refused--) builder.refuseNumber();
    const track = builder.thread(0, pid, 'garbage collection pauses');
    track.kind = ThreadKind.Runtime;
    pauses.eachThread((_, rows) => {
      track.sampled = pauses.layOut(rows, builder.paths, () => 0);
    });
  }
}
