// Sees each child of this process that ends by a crash, also one that a test never asks about.
import childProcess, { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { constants } from 'node:os';

const names = ['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL', 'SIGFPE', 'SIGTRAP', 'SIGSYS'];
/** A shell, and a JVM that aborts below one, say of a signal 128 and its number. */
const codes = new Map(names.map((name) => [128 + (constants.signals[name] ?? NaN), name]));

const seen = [];
let watched = false;

function ended(signal, code, words) {
  const by = names.includes(signal) ? signal : codes.get(code);
  if (by !== undefined) seen.push(`A child crashed, by ${by}: ${words.join(' ').slice(0, 300)}`);
}

function watch() {
  watched = true;
  const { spawn } = ChildProcess.prototype;
  ChildProcess.prototype.spawn = function (options) {
    this.once('exit', (code, signal) => ended(signal, code, this.spawnargs));
    return spawn.call(this, options);
  };
  for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
    const call = childProcess[name];
    childProcess[name] = (...args) => {
      try {
        const done = call(...args);
        if (name === 'spawnSync') ended(done.signal, done.status, args.slice(0, 2).flat());
        return done;
      } catch (error) {
        ended(error.signal, error.status, args.slice(0, 2).flat());
        throw error;
      }
    };
  }
  syncBuiltinESMExports();
}

/** Begins to look. Returns a function that tells the crashes since then, a line each. */
export function watchCrashes() {
  if (!watched) watch();
  const from = seen.length;
  return () => seen.slice(from);
}

const word =
  /\b(SIGSEGV|SIGBUS|SIGABRT|SIGILL|SIGFPE|SIGTRAP|SIGSYS)\b|core dumped|hs_err_pid\d|fatal error has been detected by the Java|(Address|Thread|Leak|Memory|UndefinedBehavior)Sanitizer|: runtime error: |uncaught target signal|stack smashing|extension host( \(\w+\))? (ended|terminated|crashed)/i;

/** Whether a failure's message tells of a crash: of a program that another program started, or of a case of the unit tests. */
export function tellsCrash(message) {
  return word.test(message);
}
