/** The btrace command as it is shipped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';

const cli = path.join(root, 'dist/btrace.cjs');

/** `below`: a line of the shell that runs it, as "$@". */
export interface Around {
  readonly env?: NodeJS.ProcessEnv;
  readonly below?: string;
}

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export class Run {
  out = '';
  err = '';
  readonly ended: Promise<Ran>;

  constructor(readonly child: ChildProcess) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.out += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.err += text));
    this.ended = once(child, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      out: this.out,
      err: this.err,
    }));
  }

  /** Waits until standard error has something that matches. */
  async says(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.err)) {
      const more = await Promise.race([
        once(this.child.stderr!, 'data').then(() => true),
        this.ended.then(() => false),
      ]);
      if (!more && !pattern.test(this.err))
        throw new Error(`it ended without saying ${String(pattern)}:\n${this.err}`);
    }
  }
}

export function startBtrace(folder: string, args: readonly string[], { env: more, below }: Around = {}): Run {
  const env = { ...process.env, ...more };
  const command =
    below === undefined
      ? spawn(process.execPath, [cli, ...args], { cwd: folder, env })
      : spawn('sh', ['-c', below, 'sh', process.execPath, cli, ...args], { cwd: folder, env });
  return new Run(command);
}
