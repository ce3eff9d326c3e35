/** C++ and Rust names as a person writes them, by the `c++filt` of the machine's own tools; as they are where there is none. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const patienceMs = 5000;

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
  const child = spawn('c++filt', [], { stdio: ['pipe', 'pipe', 'ignore'], timeout: patienceMs });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
  child.stdin.on('error', () => undefined); // told by its exit
  child.stdin.end(text);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`c++filt ended with ${code}`);
  return out;
}
