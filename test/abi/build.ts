// Builds a preset of native-agent/CMakePresets.json.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');
/** The folder that `run` runs in. */
export const runsIn = path.join(root, 'native-agent');

/** Of one build: far longer than it takes, since the other lanes may have the processors. */
export const buildLimitMs = 15 * 60_000;

export const built = (preset: string): string => path.join(root, 'build/native', preset);

/** Ended after `limitMs`: nothing else runs meanwhile, not even the test's own limit. */
export function run(command: string, args: readonly string[], limitMs: number): string {
  const { status, signal, stdout, stderr, error } = spawnSync(command, args, {
    cwd: runsIn,
    encoding: 'utf8',
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  const failed = stdout.split('\n').filter((line) => !line.startsWith('ok ')); // of unit tests, what matters first
  assert.equal(
    status,
    0,
    `${command} ${args.join(' ')}: ${error?.message ?? signal ?? ''}\n${stderr}\n${failed.join('\n')}`.slice(
      0,
      8000,
    ),
  );
  return stdout;
}

/** All of a preset, or one target of it. One at a time in each folder: the two lanes of a test run may both want something of it. */
export function build(preset: string, target?: string): void {
  const locked = ['-o', path.join(tmpdir(), `btrace-build-${preset}.lock`), 'cmake'];
  const what = target === undefined ? [] : ['--target', target];
  run('flock', [...locked, '--preset', preset], buildLimitMs);
  run(
    'flock',
    [...locked, ...['--build', '--preset', preset, ...what, '--parallel', String(availableParallelism())]],
    buildLimitMs,
  );
}
