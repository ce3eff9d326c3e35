// Runs the agent's own unit tests (native-agent/tests), each case as one test: under AddressSanitizer, and plain those that show less
// under it. In `npm run test:all` all of them plain, and under ThreadSanitizer too.
import { build } from '../abi/build.js';
import { testEachCase } from '../rigs/agent-cases.js';
import { wide } from '../rigs/scale.js';

const programs = [
  { preset: 'host', target: wide ? 'unit-tests' : 'plain-tests', title: 'agent' },
  {
    preset: 'host-asan',
    target: 'unit-tests',
    title: 'agent under AddressSanitizer and UndefinedBehaviorSanitizer',
  },
  ...(wide ? [{ preset: 'host-tsan', target: 'unit-tests', title: 'agent under ThreadSanitizer' }] : []),
];

for (const { title, ...program } of programs) {
  build(program.preset, program.target);
  testEachCase(title, program);
}
