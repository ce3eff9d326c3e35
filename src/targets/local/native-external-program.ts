/** The program that records native programs externally, and loads the agent into them: where it is, and what it says. */
import { access, chmod, constants } from 'node:fs/promises';
import path from 'node:path';
import { TargetError } from '../target.js';
import { externalProgram } from './native-processes.js';

export async function findExternalProgram(roots: readonly string[]): Promise<string> {
  const folders = [path.join('agents', `linux-${process.arch}`), path.join('build', 'native', 'host')];
  for (const root of roots) {
    for (const folder of folders) {
      const file = path.join(root, folder, externalProgram);
      if (await canRun(file)) return file;
    }
  }
  throw new TargetError(
    'agent-missing',
    `${externalProgram}, which records native programs, is not there for linux-${process.arch}.`,
    'Install a package of BTrace for this platform; in a checkout, build it with: node scripts/build-agent.mjs',
  );
}

/** Who unpacks a package may forget which files are programs. */
async function canRun(file: string): Promise<boolean> {
  try {
    await access(file, constants.R_OK);
    await access(file, constants.X_OK).catch(() => chmod(file, 0o755));
    return true;
  } catch {
    return false;
  }
}

/** Letters of what it prints that are kept, at most. */
export const mostSaid = 4000;

/** Its last two lines say what happened and what to do; empty where it said nothing. */
export function saidBy(printed: string): { readonly what: string; readonly nextStep: string } {
  const [what = '', nextStep = ''] = printed.trim().split('\n').slice(-2);
  return { what, nextStep };
}
