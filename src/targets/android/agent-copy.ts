/** The agent on its way into an app: chosen by the app's ABI, pushed once a version, copied into the app's own folder. */
import { createHash, randomBytes } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Adb } from '@yume-chan/adb';
import { ReadableStream } from '@yume-chan/stream-extra';
import { TargetError } from '../target.js';
import { wordsOf } from './adb-server.js';
import { type App, asApp } from './apps.js';
import { withSync } from './device-file.js';
import { pushFolder, quoted, shell } from './device-shell.js';
import { within } from './patience.js';
import { findRuntime, hiddenSymbols } from './runtime-symbols.js';

/** Under this name it is in packages of ours, and of apps that bring it. */
export const agentLibrary = 'libbtrace-agent.so';
const prefix = 'btrace-agent-';
const chunkBytes = 64 * 1024;
const answerMs = 10_000;
/** Of some 100 kB: over the slowest link that anybody would record over. */
const pushMs = 120_000;
/** Of the runtime's packed names, some 500 kB: recording does without them rather than wait longer. */
const symbolsMs = 10_000;

/** Android's names of ABIs and ours of their agents. */
const agents = new Map([
  ['arm64-v8a', 'android-arm64'],
  ['x86_64', 'android-x86_64'],
  ['armeabi-v7a', 'android-armv7'],
]);

export const agentAbis: readonly string[] = [...agents.keys()];

export async function findAndroidAgent(roots: readonly string[], abi: string): Promise<string> {
  const name = agents.get(abi);
  const looked: string[] = [];
  for (const root of name === undefined ? [] : roots) {
    for (const folder of [`agents/${name}`, `build/native/${name}`]) {
      const file = path.join(root, folder, agentLibrary);
      looked.push(file);
      try {
        await access(file);
        return file;
      } catch {
        continue;
      }
    }
  }
  throw new TargetError(
    'agent-missing',
    name === undefined
      ? `There is no agent for this app's ABI, ${abi || 'which the device does not name'}.`
      : `There is no agent for ${abi}.`,
    name === undefined
      ? 'Use a device of arm64, x86-64 or armv7.'
      : // Not in the reason, which is kept in a recording: folders tell whose they are.
        `Install a package of BTrace that has it. Looked for ${looked.join(', ')}.`,
  );
}

/** The agent for a device, by its content: another version has another name. */
export interface AgentFile {
  readonly bytes: Buffer;
  readonly name: string;
  /** Where it is pushed to. */
  readonly pushed: string;
}

export async function readAgent(library: string): Promise<AgentFile> {
  const bytes = await readFile(library);
  const name = `${prefix}${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.so`;
  return { bytes, name, pushed: `${pushFolder}/${name}` };
}

/**
 * Brings the agent to where the app can load it; returns that path. The same version keeps its file: an agent is never
 * unloaded, so a second file would be a second agent in the app. Other versions' files are removed.
 */
export async function bringAgent(
  adb: Adb,
  app: App,
  agent: AgentFile,
  { abi, log, signal }: { abi: string; log: (line: string) => void; signal: AbortSignal | undefined },
): Promise<string> {
  const { name, pushed } = agent;
  await pushAgent(adb, agent, signal);
  const symbols = await pushSymbols(adb, agent, abi, signal).catch((error: unknown) => {
    signal?.throwIfAborted();
    log(`What the device's runtime hides was not read: ${wordsOf(error)}`);
  });
  // Loaded code must not be writable for the app. The copy is renamed when it is whole.
  const copied = (from: string, to: string) =>
    `cmp -s ${from} ${to} || { cp ${from} ${to}.part && chmod 444 ${to}.part && mv -f ${to}.part ${to}; } || { rm -f ${to}.part; exit 1; }`;
  const script = [
    'mkdir -p code_cache && cd code_cache || exit 1',
    withoutLinks,
    // What the agent left beside this version's file is for it to read.
    `for f in ${prefix}*; do case "$f" in ${name}*) ;; *) rm -f "$f" ;; esac; done`,
    copied(pushed, name),
    symbols === undefined ? `rm -f ${name}.symbols` : copied(symbols, `${name}.symbols`),
    'pwd',
  ].join('\n');
  const { stdout, stderr, code } = await shell(adb, asApp(app, script));
  if (code !== 0)
    throw new TargetError(
      'io',
      `The agent could not be copied into ${app.packageName}: ${(stderr || stdout).trim()}.`,
      /no space/i.test(stderr) ? 'Free some storage on the device.' : 'See that the app is debuggable.',
    );
  return `${stdout.trim()}/${name}`;
}

/** Who waits for somebody else to start the app lays a link there, which a pulled cable leaves: each launch would load the agent. */
const withoutLinks = `rm -f startup_agents/${prefix}*; rmdir startup_agents 2>/dev/null`;

/**
 * Removes the copy, and what the agent left beside it, where no process of the app has it loaded: in one that has, another file would be another
 * agent when that is recorded again.
 */
export async function removeCopy(adb: Adb, app: App, copy: string): Promise<void> {
  const name = path.posix.basename(copy);
  const script = [
    `cd ${quoted(path.posix.dirname(copy))} || exit 0`,
    withoutLinks,
    `inode=$(stat -c %i ${name}) && grep -qs " $inode  *[^ ].*/${name}" /proc/[0-9]*/maps || rm -f ${name} ${name}.*`,
  ].join('\n');
  await shell(adb, asApp(app, script));
}

async function pushAgent(
  adb: Adb,
  { bytes, name, pushed }: AgentFile,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await withSync(adb, signal, async (sync) => {
      const there = await within(
        answerMs,
        sync.lstat(pushed).catch(() => undefined),
        signal,
      );
      if (there?.size === BigInt(bytes.length)) return;
      // Of older versions. What is there of this one, another computer may be bringing.
      await shell(
        adb,
        `cd ${pushFolder} && for f in ${prefix}*; do case "$f" in ${name}*) ;; *) rm -f "$f" ;; esac; done`,
      );
      await pushWhole(adb, bytes, pushed, signal);
    });
  } catch (error) {
    signal?.throwIfAborted();
    const words = wordsOf(error);
    throw new TargetError(
      'io',
      `The agent could not be pushed to ${adb.serial}: ${words}.`,
      /no space/i.test(words)
        ? 'Free some storage on the device.'
        : 'See that the cable is in, and try again.',
      { cause: error },
    );
  }
}

/**
 * Beside the pushed agent, once for each build of the runtime: what the agent cannot read of it in an app. Returns that path, undefined where
 * the runtime's file is not known.
 */
async function pushSymbols(
  adb: Adb,
  { bytes, pushed }: AgentFile,
  abi: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const runtime = await within(symbolsMs, findRuntime(adb, abi), signal);
  if (runtime === undefined) return undefined;
  const to = `${pushed}.${runtime.buildId}.symbols`;
  // Those of a runtime that was there before its update, and what a pulled cable tore, go.
  if ((await shell(adb, `[ -f ${to} ] || { rm -f ${pushed}.*.symbols*; exit 1; }`)).code === 0) return to;
  const text = await within(symbolsMs, hiddenSymbols(runtime, bytes), signal);
  await pushWhole(adb, Buffer.from(text), to, signal);
  return to;
}

/** Under its name when it is whole: another computer may bring the same, and an app copies what it finds. */
async function pushWhole(
  adb: Adb,
  bytes: Buffer,
  to: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const part = `${to}.${randomBytes(4).toString('hex')}.part`; // adbd removes what it does not get whole
  await withSync(adb, signal, (sync) =>
    within(pushMs, sync.write({ filename: part, permission: 0o644, file: piecesOf(bytes) }), signal),
  );
  const { stderr, code } = await shell(adb, `mv -f ${part} ${to} || { rm -f ${part}; exit 1; }`);
  if (code !== 0) throw new Error(stderr.trim());
}

const piecesOf = (bytes: Buffer): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += chunkBytes)
        controller.enqueue(bytes.subarray(at, at + chunkBytes));
      controller.close();
    },
  });
