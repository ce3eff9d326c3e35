/** What kind of system JVMs run on and where they put their files: a parameter, so that one system can test what another does. */
import os from 'node:os';
import { SharedFolder } from '../shared-folder.js';
import type { ProcessFacts } from './proc.js';

export interface Machine {
  readonly platform: NodeJS.Platform;
  /** The user's own folder for temporary files. */
  readonly temporary: string;
}

export function thisMachine(): Machine {
  return { platform: process.platform, temporary: os.tmpdir() };
}

/** Where a JVM has its socket and hsperfdata: on Linux in /tmp, whatever TMPDIR says. */
export function temporaryFolder(facts: Pick<ProcessFacts, 'root'>, { platform, temporary }: Machine): string {
  return platform === 'linux' ? `${facts.root}/tmp` : temporary;
}

export async function openTemporaryFolder(
  { root }: Pick<ProcessFacts, 'root'>,
  { platform, temporary }: Machine,
): Promise<SharedFolder> {
  return platform === 'linux'
    ? await SharedFolder.open(root, '/tmp')
    : await SharedFolder.open('', temporary);
}
