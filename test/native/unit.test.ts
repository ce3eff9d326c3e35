// Runs the agent's own unit tests (native-agent/tests), each case as one test: under AddressSanitizer, and plain those that show less
// under it. In `npm run test:all` all of them plain, and under ThreadSanitizer too.
import assert from 'node:assert/strict';
import path from 'node:path';
import { build, built, run } from '../abi/build.js';
import { wide } from '../rigs/scale.js';

const presets = [
  { preset: 'host', target: wide ? 'unit-tests' : 'plain-tests', title: 'agent' },
  {
    preset: 'host-asan',
    target: 'unit-tests',
    title: 'agent under AddressSanitizer and UndefinedBehaviorSanitizer',
  },
  ...(wide ? [{ preset: 'host-tsan', target: 'unit-tests', title: 'agent under ThreadSanitizer' }] : []),
];

for (const { preset, target, title } of presets) {
  // Here, because mocha wants each case's name before it runs the first one.
  build(preset, target);
  const binary = path.join(built(preset), target);

  describe(title, function () {
    for (const name of run(binary, ['--list']).trim().split('\n')) {
      it(name, () => {
        const lines = run(binary, [name]).trim().split('\n');
        assert.ok(lines.includes(`ok ${name}`), lines.join('\n'));
      });
    }
  });
}
