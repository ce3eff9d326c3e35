/** C++ and Rust names as a person writes them, by the `c++filt` of the machine's own tools; as they are where there is none. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const patienceMs = 5000;
/** A short name can stand for an endless one. */
const mostBytes = 2 ** 24;

export async function demangle(names: readonly string[]): Promise<readonly string[]> {
  if (!names.some((name) => /^_[ZR]/.test(name))) return names;
  try {
    const lines = (await filtered(names.join('\n'))).split('\n');
    return lines.length === names.length ? lines : names;
  } catch {
    return names;
  }
}

async function filtered(text: string): Promise<string> {
  const running = promisify(execFile)('c++filt', [], { timeout: patienceMs, maxBuffer: mostBytes });
  running.child.stdin?.on('error', () => undefined); // told by its exit
  running.child.stdin?.end(text);
  return (await running).stdout;
}
