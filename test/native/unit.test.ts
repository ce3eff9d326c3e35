// Runs the agent's own unit tests (native-agent/tests), each case as one test: plain, and under the sanitizers.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const sources = path.join(root, 'native-agent');
const binary = (preset: string): string => path.join(root, 'build/native', preset, 'unit-tests');

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: sources, encoding: 'utf8' });
  assert.equal(
    status,
    0,
    `${command} ${args.join(' ')}: ${error?.message ?? ''}\n${stdout}\n${stderr}`.slice(0, 8000),
  );
  return stdout;
}

function build(preset: string): void {
  run('cmake', ['--preset', preset]);
  run('cmake', ['--build', '--preset', preset, '--parallel', String(availableParallelism())]);
}

const presets = [
  { preset: 'host', title: 'agent' },
  { preset: 'host-asan', title: 'agent under AddressSanitizer and UndefinedBehaviorSanitizer' },
  { preset: 'host-tsan', title: 'agent under ThreadSanitizer' },
];

build('host'); // the list of cases is the binary's own
const cases = run(binary('host'), ['--list']).trim().split('\n');

for (const { preset, title } of presets) {
  describe(title, function () {
    this.timeout(60_000);

    before('build', function () {
      this.timeout(300_000);
      build(preset);
    });

    for (const name of cases) {
      it(name, () => {
        const lines = run(binary(preset), [name]).trim().split('\n');
        assert.ok(lines.includes(`ok ${name}`), lines.join('\n'));
      });
    }
  });
}
