/** Programs without a runtime that tests record, compiled here. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../../../scripts/setup.mjs';

/** What the truth program prints: what it did, by its own clocks. */
export interface Truth {
  readonly cpu: Readonly<Record<'burn_a' | 'burn_b' | 'burn_deep', number>>;
  readonly waits: Readonly<
    Record<
      | 'want_lock'
      | 'want_hand_over'
      | 'read_pipe'
      | 'open_pipe'
      | 'poll_pipe'
      | 'rest'
      | 'want_before_limit'
      | 'want_word',
      number
    >
  >;
  readonly allocated: Readonly<Record<'small' | 'large', number>>;
  /** An error number of `pthread_mutex_lock`; the life of a forked child; 1 for a thread that was cancelled. */
  readonly behaviour: Readonly<Record<'robust' | 'forkedNs' | 'cancelled', number>>;
  readonly environment: Readonly<Record<'preload' | 'options', number>>;
}

/** The exit code of the truth program. */
export const truthExit = 7;

export class NativePrograms {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'native-programs-'));

  /** Compiles `test/rigs/native/NAME.cc`. */
  compile(name: string, flags: readonly string[]): string {
    const program = path.join(this.folder, `${name}${flags.join('').replaceAll(/[^\w-]/g, '')}`);
    const source = path.join(root, 'test/rigs/native', `${name}.cc`);
    execFileSync('g++', ['-std=c++20', '-pthread', '-o', program, source, ...flags]);
    return program;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
