// Builds a preset of native-agent/CMakePresets.json.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');
const sources = path.join(root, 'native-agent');

export const built = (preset: string): string => path.join(root, 'build/native', preset);

export function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: sources, encoding: 'utf8' });
  assert.equal(
    status,
    0,
    `${command} ${args.join(' ')}: ${error?.message ?? ''}\n${stdout}\n${stderr}`.slice(0, 8000),
  );
  return stdout;
}

export function build(preset: string): void {
  run('cmake', ['--preset', preset]);
  run('cmake', ['--build', '--preset', preset, '--parallel', String(availableParallelism())]);
}
