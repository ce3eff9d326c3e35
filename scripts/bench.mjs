// npm run bench [-- --quick] [NAME …]: the benches of test/bench one after the other; NAME is a file's without .ts.
// Each prints `bench NAME VALUE UNIT target >=T ok|short`; the exit code says that they ran, not what they measured.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { root } from './setup.mjs';

const all = ['engine', 'formats'];
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const flags = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
for (const name of named) {
  if (all.includes(name)) continue;
  console.error(`There is no bench called ${name}. Benches: ${all.join(', ')}.`);
  process.exit(2);
}
for (const name of named.length > 0 ? named : all) {
  const file = path.join(root, 'test/bench', `${name}.ts`);
  if (!existsSync(file)) continue;
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', file, ...flags], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
