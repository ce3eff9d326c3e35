// The agent and its unit tests from other compilers: as arm64 code under qemu (other atomics, another memory model, other
// system call numbers), and in `npm run test:all` as clang makes them for this machine.
import { arm64, testEachPart } from '../rigs/agent-cases.js';
import { wide } from '../rigs/scale.js';
import { build } from './build.js';

const presets = [
  { preset: 'linux-arm64', title: 'as arm64 code', below: arm64 },
  ...(wide ? [{ preset: 'host-clang', title: 'as clang builds it', below: [] }] : []),
];

for (const { preset, title, below } of presets) {
  build(preset);
  testEachPart(`agent ${title}`, { preset, target: 'unit-tests', below });
}
