import type { LinedStacks } from '../lined-stacks.js';
import type { NameTable } from '../names.js';
import type { JfrPools } from './jfr-pools.js';
import type { JfrTypes } from './jfr-types.js';

/** A recorder keeps 64 frames as a rule, and 2048 at most. */
const mostFrames = 1 << 14;

/** The stacks of one chunk as nodes, each read once, and only those that an event asks for. */
export class JfrStacks {
  /** Stacks that the recorder cut. */
  truncated = 0;
  readonly #types: JfrTypes;
  readonly #pools: JfrPools;
  readonly #stacks: LinedStacks;
  readonly #names: NameTable;
  readonly #nodes = new Map<number, number>();
  readonly #methods = new Map<number, number>();

  constructor(types: JfrTypes, pools: JfrPools, stacks: LinedStacks, names: NameTable) {
    this.#types = types;
    this.#pools = pools;
    this.#stacks = stacks;
    this.#names = names;
  }

  /** 0 for a stack that is not there, or has no frame. */
  node(typeId: number, id: number): number {
    const known = this.#nodes.get(id);
    if (known !== undefined) return known;
    // Of each frame its method's type and id, and its line; the innermost frame comes first.
    const frames: number[] = [];
    this.#pools.entry(typeId, id, (field, values) => {
      if (field.name === 'truncated') {
        if (this.#types.number(values, field) > 0) this.truncated++;
        return true;
      }
      if (field.name !== 'frames' || !field.isArray) return false;
      const type = this.#types.get(field.typeId);
      const count = Math.min(values.count(), mostFrames);
      if (type === undefined || field.isInPool) return true;
      for (let at = 0; at < count && !values.isBroken(); at++) {
        let [methodType, method, line] = [-1, 0, 0];
        this.#pools.fields(values, type, (inner) => {
          if (inner.name === 'method') {
            methodType = inner.typeId;
            method = this.#types.number(values, inner);
          } else if (inner.name === 'lineNumber') line = this.#types.number(values, inner);
          else return false;
          return true;
        });
        if (!values.isBroken()) frames.push(methodType, method, line);
      }
      return true;
    });
    let node = 0;
    for (let at = frames.length - 3; at >= 0; at -= 3)
      node = this.#stacks.child(
        node,
        this.#method(frames[at] ?? -1, frames[at + 1] ?? 0),
        frames[at + 2] ?? 0,
      );
    this.#nodes.set(id, node);
    return node;
  }

  #method(typeId: number, id: number): number {
    const known = this.#methods.get(id);
    if (known !== undefined) return known;
    const pools = this.#pools;
    const owner = pools.textOf(typeId, id, 'type').replace(/\/(?!0x)/g, '.');
    const name = pools.textOf(typeId, id, 'name') || '(no name)';
    const signature = owner === '' ? '' : pools.textOf(typeId, id, 'descriptor');
    const full = (owner === '' ? name : `${owner}.${name}`).replaceAll('\t', ' ');
    const method = this.#names.internText(signature === '' ? full : `${full}\t${signature}`);
    this.#methods.set(id, method);
    return method;
  }
}
