/**
 * HotSpot's attach protocol: a file `.attach_pid<pid>` in the program's folder and SIGQUIT ask the JVM to open the path
 * socket `.java_pid<pid>`; a command on it is its version, name and three arguments, each ended by a zero byte.
 * Measured: 7 ms to attach, 60–150 ms to load the agent.
 */
import net from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SharedFolder } from '../shared-folder.js';
import { TargetError, type TargetErrorKind } from '../target.js';
import { type Machine, openTemporaryFolder, temporaryFolder, thisMachine } from './machine.js';
import { isAlive, readProcess, type ProcessFacts } from './proc.js';

const attachTimeoutMs = 10_000;
/** HotSpot's own bound on one argument (AttachOperation::arg_length_max). */
export const maxArgumentBytes = 1024;
const busy = 202;
const notLiveCode = 207;
/** Answers that may pass: an agent takes a moment to tidy up, and a JVM takes commands a moment before an agent can work in it. */
const passingMs = new Map([
  [busy, 1000],
  [notLiveCode, 2000],
]);
const maxAnswerBytes = 64 * 1024;

const agentPathWay =
  'Start it with the agent in it instead: btrace record -- java …, in VS Code “Start a Program and Record It”.';

function gone(pid: number): TargetError {
  return new TargetError(
    'not-found',
    `Process ${pid} ended before the agent was in it.`,
    'Start it again and record it from its first moment: btrace record -- java …, in VS Code “Start a Program and Record It”.',
  );
}

function folderOf(facts: ProcessFacts, socket: string): Promise<SharedFolder> {
  return SharedFolder.open(facts.root, path.posix.dirname(socket).slice(facts.root.length));
}

/** Calls `use` with a path to the JVM's own socket (same owner, closed to others) that cannot be swapped; undefined when it is not there. */
async function withOwnSocket<T>(
  facts: ProcessFacts,
  socket: string,
  use: (pinned: string) => Promise<T>,
): Promise<T | undefined> {
  const folder = await folderOf(facts, socket);
  try {
    const pinned = await folder.pinSocket(path.posix.basename(socket), facts.uid);
    if (pinned === undefined) return undefined;
    try {
      return await use(pinned.path);
    } finally {
      await pinned.close();
    }
  } finally {
    await folder.close();
  }
}

/** False for what a program that was killed left behind, and whose process id this one has now. */
async function isListening(facts: ProcessFacts, socket: string): Promise<boolean> {
  const connects = await withOwnSocket(
    facts,
    socket,
    (pinned) =>
      new Promise<boolean>((resolve) => {
        const connection = net.connect(pinned);
        connection.once('connect', () => {
          connection.destroy();
          resolve(true);
        });
        connection.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'));
      }),
  );
  return connects === true;
}

/** A JVM that is still starting does not catch SIGQUIT yet, and the signal would end it: waits for that. */
async function untilItCatchesQuit(
  facts: ProcessFacts,
  deadline: number,
  signal?: AbortSignal,
): Promise<void> {
  for (let now = facts; !now.catchesQuit;) {
    if (Date.now() > deadline) {
      throw new TargetError(
        'attach-disabled',
        `Process ${facts.pid} does not catch the signal that asks a JVM to open its attach socket (started with -Xrs, or still starting).`,
        agentPathWay,
      );
    }
    await delay(10, undefined, signal ? { signal } : undefined);
    const next = await readProcess(facts.pid);
    if (!next) throw gone(facts.pid);
    now = next;
  }
}

/** Makes the file that asks the JVM, and returns how to remove it. */
async function writeRequest(facts: ProcessFacts, machine: Machine): Promise<() => Promise<void>> {
  const name = `.attach_pid${facts.innerPid}`;
  // In the program's own folder first: a JVM looks there before it looks in /tmp. It may not be writable.
  const places = [
    ...(machine.platform === 'linux' ? [() => SharedFolder.open(`/proc/${facts.pid}/cwd`, '/')] : []),
    () => openTemporaryFolder(facts, machine),
  ];
  let reason: unknown;
  for (const open of places) {
    let folder: SharedFolder | undefined;
    try {
      const held = (folder = await open());
      await held.makeFile(name);
      return async () => {
        try {
          await held.remove(name);
        } finally {
          await held.close();
        }
      };
    } catch (error) {
      await folder?.close();
      // What somebody else has put there the JVM would look at as well: it would refuse, or do what it was not asked.
      if (error instanceof TargetError) throw error;
      reason = error;
    }
  }
  throw new TargetError(
    'io',
    `The request to attach could not be written for process ${facts.pid}: ${String(reason)}.`,
    `See that ${temporaryFolder(facts, machine)} can be written.`,
  );
}

function ask(pid: number): void {
  try {
    process.kill(pid, 'SIGQUIT');
  } catch {
    throw gone(pid);
  }
}

/** Makes the JVM listen and returns its socket. Leaves nothing behind but that socket, which is the JVM's. */
export async function openAttachSocket(
  facts: ProcessFacts,
  signal?: AbortSignal,
  machine: Machine = thisMachine(),
): Promise<string> {
  // What is asked of it now it would do when it goes on: SIGQUIT without our file makes it print the stacks of all threads.
  if (facts.isStopped) {
    throw new TargetError(
      'timeout',
      `Process ${facts.pid} is stopped, by a signal or a debugger.`,
      `Let it go on (kill -CONT ${facts.pid}, or in the debugger), and try again.`,
    );
  }
  const socket = path.posix.join(temporaryFolder(facts, machine), `.java_pid${facts.innerPid}`);
  if (await isListening(facts, socket)) return socket;
  const deadline = Date.now() + attachTimeoutMs;
  await untilItCatchesQuit(facts, deadline, signal);
  const removeRequest = await writeRequest(facts, machine);
  try {
    ask(facts.pid);
    // A JVM that still starts removes what lies at the place of its socket: that may be its own, which it has just made. Asked
    // again it makes another.
    let isAskedAgain = false;
    while (!(await isListening(facts, socket))) {
      if (!(await isAlive(facts.pid))) throw gone(facts.pid);
      if (!isAskedAgain && Date.now() > deadline - attachTimeoutMs / 2) {
        isAskedAgain = true;
        ask(facts.pid);
      }
      if (Date.now() > deadline) {
        throw new TargetError(
          'timeout',
          `Process ${facts.pid} did not open its attach socket within ${attachTimeoutMs / 1000} s.`,
          `It may be stopped by a debugger or very busy: try again. Or: ${agentPathWay}`,
        );
      }
      await delay(5, undefined, signal ? { signal } : undefined);
    }
    return socket;
  } finally {
    await removeRequest();
  }
}

/** Sends one command and returns all the JVM answers: a result code, a line feed, and text. */
function command(
  socket: string,
  words: readonly string[],
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const connection = net.connect(socket);
    let answer = '';
    const end = (error?: Error) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      connection.destroy();
      if (error) reject(error);
      else resolve(answer);
    };
    const onAbort = () => end(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    const timer = setTimeout(() => end(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    connection.setEncoding('utf8');
    connection.on('data', (text: string) => {
      answer += text;
      if (answer.length > maxAnswerBytes) end(new Error('an answer without an end'));
    });
    connection.on('end', () => end());
    connection.on('error', end);
    const padded = [...words, '', '', ''].slice(0, 4);
    connection.write(`1\0${padded.join('\0')}\0`);
  });
}

/** After PASSING_MS: a JVM does not start for so long. */
function notLive(pid: number): TargetError {
  return new TargetError(
    'not-found',
    `Process ${pid} cannot be recorded: it is ending, and its JVM takes no agent any more.`,
    'Start it again and record it from its first moment: btrace record -- java …, in VS Code “Start a Program and Record It”.',
  );
}

/** The agent's StartResult, native-agent/core/recorder.h. */
function agentError(pid: number, code: number): TargetError {
  const refused = (kind: TargetErrorKind, why: string, nextStep: string) =>
    new TargetError(kind, `Process ${pid} cannot be recorded: ${why}.`, nextStep);
  const again = 'Try again; if it stays so, restart the program.';
  switch (code) {
    case busy:
      return refused('busy', 'another recording of it is running', 'Stop that recording first.');
    case 203:
      return refused(
        'io',
        'the agent in it could not reach our socket',
        'A sandbox or container may hide the folder of temporary files: set TMPDIR to one that both see.',
      );
    case 204:
      return refused(
        'not-permitted',
        'the agent found another user at our socket',
        "Run as the program's own user.",
      );
    case 205:
      return refused('agent-refused', 'the agent could not start a thread', again);
    case 206:
      return refused(
        'not-supported',
        'its JVM lacks what the agent needs (JVMTI of HotSpot 17 or newer)',
        'Run it on a HotSpot JDK, 17 or newer.',
      );
    case notLiveCode:
      return notLive(pid);
    default:
      return refused('agent-refused', `the agent did not start (code ${code})`, again);
  }
}

function agentCodeOf(answer: string): number | undefined {
  // JVMs before 9 tell the bare number.
  const code = /return code: (-?\d+)|^0\n(-?\d+)\s*$/.exec(answer)?.slice(1).find(Boolean);
  return code === undefined ? undefined : Number(code);
}

/** A JVM of 21 says so itself that it still starts, or ends. */
function saysItIsNotLive(answer: string): boolean {
  return /only permitted in the live phase/.test(answer);
}

function passesWithinMs(answer: string): number {
  const code = saysItIsNotLive(answer) ? notLiveCode : agentCodeOf(answer);
  return passingMs.get(code ?? 0) ?? 0;
}

/** What a JVM's refusal to load a library means to a person. */
export function loadError(
  pid: number,
  socket: string,
  library: string,
  answer: string,
): TargetError | undefined {
  const [code = '', ...rest] = answer.split('\n');
  const text = rest.join('\n').trim();
  const agentCode = agentCodeOf(answer);
  if (code === '0' && (agentCode === 0 || text === '' || text === '0')) return undefined;
  if (/dynamic agent loading is not enabled/i.test(text)) {
    return new TargetError(
      'attach-disabled',
      `Process ${pid} was started with -XX:-EnableDynamicAgentLoading: no agent may be loaded into it.`,
      agentPathWay,
    );
  }
  if (saysItIsNotLive(answer)) return notLive(pid);
  if (agentCode !== undefined) return agentError(pid, agentCode);
  if (!/^-?\d+$/.test(code)) {
    return new TargetError(
      'agent-refused',
      `What listens at ${socket} answered as no JVM does (${answer.trim() === '' ? 'nothing' : `"${answer.trim().slice(0, 80)}"`}).`,
      `If process ${pid} is well, another program has taken its attach socket: remove that file and try again.`,
    );
  }
  const why = text.replace(/\s+/g, ' ') || `the JVM answered ${code}`;
  return new TargetError(
    'agent-refused',
    `The JVM of process ${pid} could not load ${library}: ${why}`,
    /GLIBC/.test(text)
      ? 'Its system is older than the agent needs (glibc 2.17).'
      : 'See that this file can be read by the program and is built for its architecture.',
  );
}

/** Loads a native agent library and waits until its Agent_OnAttach has returned. */
export async function loadAgent(
  facts: ProcessFacts,
  socket: string,
  library: string,
  options: string,
  signal?: AbortSignal,
): Promise<void> {
  for (const argument of [library, options]) {
    if (Buffer.byteLength(argument) > maxArgumentBytes) {
      throw new TargetError(
        'io',
        `A path is too long for the JVM's attach socket (at most ${maxArgumentBytes} bytes): ${argument}`,
        'Install BTrace in a folder with a shorter path.',
      );
    }
  }
  const began = Date.now();
  for (;;) {
    const answer = await loadOnce(facts, socket, library, options, signal);
    const refused = loadError(facts.pid, socket, library, answer);
    if (!refused) return;
    if (Date.now() - began > passesWithinMs(answer)) throw refused;
    await delay(20, undefined, signal ? { signal } : undefined);
  }
}

async function loadOnce(
  facts: ProcessFacts,
  socket: string,
  library: string,
  options: string,
  signal?: AbortSignal,
): Promise<string> {
  try {
    const answer = await withOwnSocket(facts, socket, (pinned) =>
      command(pinned, ['load', library, 'true', options], attachTimeoutMs, signal),
    );
    if (answer === undefined) throw new Error(`${socket} is gone, or not its own any more`);
    if (answer !== '' || (await isAlive(facts.pid))) return answer;
  } catch (error) {
    signal?.throwIfAborted();
    if (!(await isAlive(facts.pid))) throw gone(facts.pid);
    throw new TargetError(
      'timeout',
      `Process ${facts.pid} did not answer on its attach socket: ${error instanceof Error ? error.message : String(error)}.`,
      `It may be stopped by a debugger or very busy: try again. Or: ${agentPathWay}`,
      { cause: error },
    );
  }
  throw gone(facts.pid);
}
