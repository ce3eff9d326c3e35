// Keeps processors busy: `--load N` runs the suites beside so many endless loops.
import { spawn } from 'node:child_process';
import process from 'node:process';

/** Starts the loops. Returns a function that ends them; they also end with this process. */
export function startLoad(count) {
  // Each looks once in a while whether its parent is still there: a killed parent ends nobody.
  const loop = `const parent = process.ppid;
    for (let until = 0; ; ) { until = Date.now() + 500; while (Date.now() < until); if (process.ppid !== parent) process.exit(); }`;
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', loop], { stdio: 'ignore' }),
  );
  const end = () => {
    for (const child of children) child.kill('SIGKILL');
  };
  process.once('exit', end);
  return end;
}
