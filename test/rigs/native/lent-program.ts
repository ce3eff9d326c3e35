/** A program that notices when something is done to it: test/rigs/native/lent.cc. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { strictly } from '../kinds.js';

export type LentMode = 'server' | 'burner' | 'exec' | 'confined' | 'traced' | 'waits' | 'handler' | 'vfork';

/** What it has done, and what was wrong. */
export interface Noticed {
  readonly requests: number;
  readonly sums: number;
  readonly ticks: number;
  readonly alarms: number;
  readonly children: number;
  readonly slowestUs: number;
}
interface Wrong {
  readonly wrong: number;
  readonly interrupted: number;
  readonly early: number;
  /** The way of waiting that ended early last. */
  readonly earlyIn: string;
  readonly late: number;
  readonly wrongSums: number;
  readonly masks: number;
  readonly stacks: number;
}

export class LentProgram {
  #output = '';

  private constructor(readonly child: ChildProcess) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
  }

  static async start(program: string, mode: LentMode, name?: string): Promise<LentProgram> {
    const lent = new LentProgram(
      spawn(program, name === undefined ? [mode] : [mode, name], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    await lent.says(/^ready$/m);
    return lent;
  }

  get pid(): number {
    return this.child.pid!;
  }

  async says(pattern: RegExp): Promise<void> {
    const ended = once(this.child, 'close').then(() => assert.fail(`it ended:\n${this.#output}`));
    ended.catch(() => undefined);
    while (!pattern.test(this.#output)) await Promise.race([once(this.child.stdout!, 'data'), ended]);
  }

  /** Ends it, and sees that it has noticed nothing. */
  async endUnharmed(): Promise<Noticed> {
    const closed = once(this.child, 'close');
    this.child.stdin!.end();
    const [code, signal] = (await closed) as [number | null, string | null];
    strictly('harm', () => {
      assert.deepEqual([code, signal], [0, null], this.#output);
    });
    const { wrong, interrupted, early, earlyIn, late, wrongSums, masks, stacks, ...noticed } = JSON.parse(
      this.#output.trim().split('\n').at(-1)!,
    ) as Noticed & Wrong;
    const nothing = {
      wrong: 0,
      interrupted: 0,
      early: 0,
      earlyIn: '',
      late: 0,
      wrongSums: 0,
      masks: 0,
      stacks: 0,
    };
    strictly('harm', () => {
      assert.deepEqual({ wrong, interrupted, early, earlyIn, late, wrongSums, masks, stacks }, nothing);
    });
    return noticed;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  /** Code of files of this name that it has mapped, by address. */
  images(name: string): string[] {
    const lines = readFileSync(`/proc/${this.pid}/maps`, 'utf8').split('\n');
    return lines.filter((line) => line.includes(' r-xp ') && line.endsWith(`/${name}`));
  }

  /** Memory that is code of no file. */
  get foreignCode(): string[] {
    const lines = readFileSync(`/proc/${this.pid}/maps`, 'utf8').split('\n');
    return lines.filter((line) => / r-xp 00000000 00:00 0 *$/.test(line));
  }

  get openFiles(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  get threadNames(): string[] {
    return readdirSync(`/proc/${this.pid}/task`).map((tid) =>
      readFileSync(`/proc/${this.pid}/task/${tid}/comm`, 'utf8').trim(),
    );
  }
}
