// Child processes of the scripts. Each runs in its own process group, so that what it starts ends with it;
// an interrupt or the end of this process ends them all.
import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import process from 'node:process';
import { waitedCpuMs } from './waited-cpu.mjs';

const posix = process.platform !== 'win32';
const live = new Set();

/** Sends `signal` to the group that `pid` leads. False when nobody is left in it. */
export function signalGroup(pid, signal) {
  try {
    process.kill(posix ? -pid : pid, signal);
    return true;
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    if (error.code === 'EPERM') return true; // a zombie's group on macOS
    throw error;
  }
}

/**
 * Whether somebody in the group still runs. Zombies do not: in a container nobody may ever reap them.
 * Reads every process's state on Linux, some ms; elsewhere zombies count.
 */
function groupLives(pid) {
  if (!signalGroup(pid, 0)) return false;
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      // "pid (command) state ppid pgrp …"; a command may hold parentheses
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(group) === pid && state !== 'Z' && state !== 'X';
    } catch {
      return false; // ended while we looked
    }
  });
}

/** Asks the group to end, insists after `graceMs`, and returns when it is gone. */
export async function endGroup(pid, graceMs = 3000) {
  const insistAt = Date.now() + graceMs;
  for (let signal = graceMs > 0 ? 'SIGTERM' : 'SIGKILL'; groupLives(pid);) {
    signalGroup(pid, signal);
    await new Promise((wake) => setTimeout(wake, 20));
    if (Date.now() > insistAt + 2000) return; // stuck in the kernel
    signal = Date.now() < insistAt ? 0 : 'SIGKILL';
  }
}

const accounts = new AsyncLocalStorage();

/** Does the work, and says how much CPU time the commands took that it ran. Linux only: elsewhere 0. */
export async function withCpuMs(work) {
  const account = { cpuMs: 0 };
  const result = await accounts.run(account, work);
  return { result, cpuMs: account.cpuMs };
}

let childrenMs = 0;

/** CPU time of the children that ended since the last call, and of theirs. Linux only: elsewhere 0. */
function takeChildrenCpuMs() {
  const all = waitedCpuMs();
  const taken = all - childrenMs;
  childrenMs = all;
  return taken;
}

/**
 * Runs a command to its end. `output: 'show'` lets it write to the terminal, `'keep'` returns what it wrote, a function
 * is called with each piece of it. `yields`: others have the processors first. `atLimit` is called before the process
 * is ended because of `limitMs`. Never rejects: `code` is the exit code, or null with `error` saying why there is none.
 */
export function run(
  command,
  args,
  { cwd, env, output = 'keep', limitMs, atLimit, signal, yields = false } = {},
) {
  const began = performance.now();
  const account = accounts.getStore();
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: env ?? process.env,
      detached: posix,
      shell: !posix && command === 'npm', // npm is a .cmd file there
      stdio: output === 'show' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    });
    if (yields && child.pid !== undefined) setPriority(child.pid, 5); // what it starts has it from there
    let text = '';
    let error;
    const stop = (why) => {
      error ??= why;
      if (child.pid !== undefined) void endGroup(child.pid);
    };
    const limit = async () => {
      await atLimit?.();
      stop(`ran longer than ${limitMs / 1000} s`);
    };
    const timer = limitMs && setTimeout(() => void limit(), limitMs);
    const onAbort = () => stop('cancelled');
    signal?.addEventListener('abort', onAbort, { once: true });
    let cpuMs = 0;
    const take = typeof output === 'function' ? output : (part) => (text += part);
    child.stdout?.setEncoding('utf8').on('data', take);
    child.stderr?.setEncoding('utf8').on('data', take);
    if (child.pid !== undefined) live.add(child.pid);
    const finish = (code, endedBy) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      live.delete(child.pid);
      error ??= endedBy ? `ended by ${endedBy}` : undefined;
      resolve({ code: error ? null : code, error, text, ms: performance.now() - began, cpuMs });
    };
    child.once('error', (reason) => {
      error = reason.code === 'ENOENT' ? `${command} is not installed` : reason.message;
      if (child.pid === undefined) finish(null);
    });
    // What the child left in its group ends with it, and lets go of the pipes: only then comes `close`.
    child.once('exit', () => {
      cpuMs = takeChildrenCpuMs();
      if (account) account.cpuMs += cpuMs;
      void endGroup(child.pid, 0);
    });
    child.once('close', finish);
  });
}

process.once('exit', () => {
  for (const pid of live) signalGroup(pid, 'SIGKILL');
});
let ending = false;
for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
  ['SIGHUP', 1],
]) {
  // Stays in place: npm hands on an interrupt that the terminal has already sent, and the second must not cut this short.
  process.on(signal, () => {
    if (ending) return;
    ending = true;
    void Promise.all([...live].map((pid) => endGroup(pid))).then(() => process.exit(128 + number));
  });
}
