/**
 * What a system's trace says of frames of apps, as it comes: their begins, and by cookie their ends. `FrameTable` makes frames
 * of them. 39 bytes a row.
 */
import { grown, nextCapacity } from '../assemble/grow.js';
import { idOr0, isTime } from '../assemble/number-gate.js';

export interface FrameStarted {
  /** Its end bears it, too. */
  readonly cookie: number;
  readonly pid: number;
  readonly token: number;
  /** Of the display's frame that it is shown in. */
  readonly displayToken: number;
  /** The bits of `Jank`. */
  readonly jank: number;
}

/** Takes what is said of frames. Each returns false for a time that cannot be one. */
export interface FrameSink {
  start(time: number, frame: FrameStarted): boolean;
  /** The frame of this token is expected: the end of this cookie is its deadline. */
  expect(time: number, frame: FrameStarted): boolean;
  finishOne(time: number, cookie: number): boolean;
}

export const FrameMoment = { Started: 0, Expected: 1, Ended: 2 } as const;

const noFrame: FrameStarted = { cookie: 0, pid: 0, token: 0, displayToken: 0, jank: 0 };

export class FrameRows implements FrameSink {
  count = 0;
  time = new Float64Array(0);
  /** FrameMoment. */
  moment = new Uint8Array(0);
  cookie = new Float64Array(0);
  pid = new Int32Array(0);
  token = new Float64Array(0);
  displayToken = new Float64Array(0);
  /** The bits of `Jank`. */
  jank = new Uint16Array(0);

  start(time: number, frame: FrameStarted): boolean {
    return this.push(time, FrameMoment.Started, frame);
  }

  expect(time: number, frame: FrameStarted): boolean {
    return this.push(time, FrameMoment.Expected, frame);
  }

  finishOne(time: number, cookie: number): boolean {
    return this.push(time, FrameMoment.Ended, { ...noFrame, cookie });
  }

  push(time: number, moment: number, { cookie, pid, token, displayToken, jank }: FrameStarted): boolean {
    if (!isTime(time)) return false;
    const row = this.count;
    if (row === this.time.length) this.#grow(row + 1);
    this.time[row] = time;
    this.moment[row] = moment;
    this.cookie[row] = idOr0(cookie);
    this.pid[row] = pid;
    this.token[row] = idOr0(token);
    this.displayToken[row] = idOr0(displayToken);
    this.jank[row] = jank;
    this.count = row + 1;
    return true;
  }

  /** In the order in which they came. */
  replay(sink: FrameSink): void {
    for (let row = 0; row < this.count; row++) {
      const time = this.time[row] as number;
      const frame = this.at(row);
      if (this.moment[row] === FrameMoment.Ended) sink.finishOne(time, frame.cookie);
      else if (this.moment[row] === FrameMoment.Expected) sink.expect(time, frame);
      else sink.start(time, frame);
    }
  }

  at(row: number): FrameStarted {
    return {
      cookie: this.cookie[row] as number,
      pid: this.pid[row] as number,
      token: this.token[row] as number,
      displayToken: this.displayToken[row] as number,
      jank: this.jank[row] as number,
    };
  }

  #grow(needed: number): void {
    const size = nextCapacity(this.time.length, Math.max(needed, 256));
    this.time = grown(this.time, size);
    this.moment = grown(this.moment, size);
    this.cookie = grown(this.cookie, size);
    this.pid = grown(this.pid, size);
    this.token = grown(this.token, size);
    this.displayToken = grown(this.displayToken, size);
    this.jank = grown(this.jank, size);
  }
}
