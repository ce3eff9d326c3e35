/** The functions that native-agent/in-app/btrace.h declares: what the agent's libraries show. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../../scripts/setup.mjs';

export function functionsOfHeader(): string[] {
  const header = readFileSync(path.join(root, 'native-agent/in-app/btrace.h'), 'utf8');
  return [...header.matchAll(/^[a-z].*\b(btrace_\w+)\(.*\);$/gm)].map(([, name = '']) => name).sort();
}
