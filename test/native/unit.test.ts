// Runs the agent's own unit tests (native-agent/tests), each case as one test: plain, and under the sanitizers.
import assert from 'node:assert/strict';
import path from 'node:path';
import { build, built, run } from '../abi/build.js';

const binary = (preset: string): string => path.join(built(preset), 'unit-tests');

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
