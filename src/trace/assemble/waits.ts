/** Waits and events of one thread, appended as their samples come. */
import { lowerBound } from '../model/bisect.js';
import { type Waits, type Events } from '../model/trace.js';
import { grown, nextCapacity, noBytes, noFloats, noInts, noShorts, noUints } from './grow.js';

export class WaitTable implements Waits {
  count = 0;
  begin = noFloats;
  end = noFloats;
  kind = noBytes;
  path = noInts;
  type = noUints;
  object = noFloats;
  owner = noUints;
  flags = noShorts;
  link = noInts;

  push(begin: number, end: number, kind: number, path: number): number {
    const row = this.count++;
    if (row === this.begin.length) this.#grow();
    this.begin[row] = begin;
    this.end[row] = end;
    this.kind[row] = kind;
    this.path[row] = path;
    this.link[row] = -1;
    return row;
  }

  /**
   * The wait of a link, by its begin; −1 when it is not there. Rows are in order of their ends, nearly that of their
   * begins: a look at the neighbours of where it should be finds it.
   */
  find(begin: number): number {
    const near = lowerBound(this.begin, begin, 0, this.count);
    for (let row = Math.max(near - 8, 0); row < Math.min(near + 8, this.count); row++) {
      if (this.begin[row] === begin) return row;
    }
    return -1;
  }

  #grow(): void {
    const size = nextCapacity(this.begin.length, this.count);
    this.begin = grown(this.begin, size);
    this.end = grown(this.end, size);
    this.kind = grown(this.kind, size);
    this.path = grown(this.path, size);
    this.type = grown(this.type, size);
    this.object = grown(this.object, size);
    this.owner = grown(this.owner, size);
    this.flags = grown(this.flags, size);
    this.link = grown(this.link, size);
  }
}

export class EventTable implements Events {
  count = 0;
  time = noFloats;
  kind = noBytes;
  path = noInts;
  type = noUints;
  object = noFloats;
  peer = noUints;
  text = noUints;

  push(time: number, kind: number, path: number): number {
    const row = this.count++;
    if (row === this.time.length) this.#grow();
    this.time[row] = time;
    this.kind[row] = kind;
    this.path[row] = path;
    return row;
  }

  #grow(): void {
    const size = nextCapacity(this.time.length, this.count);
    this.time = grown(this.time, size);
    this.kind = grown(this.kind, size);
    this.path = grown(this.path, size);
    this.type = grown(this.type, size);
    this.object = grown(this.object, size);
    this.peer = grown(this.peer, size);
    this.text = grown(this.text, size);
  }
}
