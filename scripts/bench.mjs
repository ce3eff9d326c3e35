// npm run bench [-- --quick] [--size=100k|1M|5M] [NAME …]: the benches `engine` and `formats` one after the other.
// Each prints `bench NAME VALUE UNIT target >=T ok|short`; the exit code says that they ran, not what they measured.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { root } from './setup.mjs';
import { words } from './words.mjs';

const all = ['engine', 'formats'];
const { quick, size, names } = words(import.meta.url, { flags: ['quick'], values: ['size'], names: all });
const flags = [...(quick ? ['--quick'] : []), ...(size ? [`--size=${size}`] : [])];
for (const name of names.length > 0 ? names : all) {
  const file = path.join(root, 'test/bench', `${name}.ts`);
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', file, ...flags], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
