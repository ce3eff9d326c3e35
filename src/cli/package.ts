/** The package this command belongs to: a checkout, an npm package or an unpacked extension. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** The nearest folder above the running script that has a package.json. */
export function packageRoot(): string {
  const script = realpathSync(process.argv[1] ?? '.');
  for (let folder = path.dirname(script); ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'package.json'))) return folder;
    if (path.dirname(folder) === folder) return path.dirname(script);
  }
}

export function packageVersion(): string {
  const text = readFileSync(path.join(packageRoot(), 'package.json'), 'utf8');
  const { version } = JSON.parse(text) as { version?: string };
  return version ?? 'unknown';
}
