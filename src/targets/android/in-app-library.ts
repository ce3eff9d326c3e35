/** What an app takes of ours that is to record itself: the jar, and the agent for each ABI where a build of apps looks for it. */
import { constants } from 'node:fs';
import { access, copyFile, mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { partName } from '../part-file.js';
import { TargetError } from '../target.js';
import { agentAbis, findAndroidAgent } from './agent-copy.js';

const jarName = 'btrace.jar';

/** Writes `btrace.jar` and `jniLibs/ABI/libbtrace-agent.so` into `folder`; returns what it wrote. `roots` as for findAndroidAgent. */
export async function copyInAppLibrary(roots: readonly string[], folder: string): Promise<string[]> {
  const jar = await findJar(roots);
  const written: string[] = [];
  const bring = async (from: string, to: string) => {
    await mkdir(path.dirname(to), { recursive: true });
    // A build may run meanwhile: it takes the one from before or the new one, whole.
    const part = partName(to);
    try {
      await copyFile(from, part, constants.COPYFILE_EXCL);
      await rename(part, to);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
    written.push(to);
  };
  const agents = new Map<string, string>();
  let missing: unknown;
  for (const abi of agentAbis)
    try {
      agents.set(abi, await findAndroidAgent(roots, abi));
    } catch (error) {
      missing = error;
    }
  if (agents.size === 0) throw missing;
  await bring(jar, path.join(folder, jarName));
  for (const [abi, agent] of agents)
    await bring(agent, path.join(folder, 'jniLibs', abi, path.basename(agent)));
  return written;
}

async function findJar(roots: readonly string[]): Promise<string> {
  const looked = roots.flatMap((root) => [
    path.join(root, 'in-app', jarName),
    path.join(root, 'build/in-app', jarName),
  ]);
  for (const file of looked)
    if (
      await access(file).then(
        () => true,
        () => false,
      )
    )
      return file;
  throw new TargetError(
    'agent-missing',
    `There is no ${jarName}. Looked for ${looked.join(', ')}.`,
    'Install a package of BTrace that has it; in a checkout, make it with: npm run package',
  );
}
