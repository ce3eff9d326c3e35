/** Who may be the desktop: any app of a device reaches an abstract socket, and the token alone is not asked of one. */
import assert from 'node:assert/strict';
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile } from 'node:fs/promises';
import path from 'node:path';
import { Duplex, Writable } from 'node:stream';
import { newDoor, type Door } from '../../src/targets/android/attach.js';
import { configOf, Conversation, newTokens, StrangerError } from '../../src/targets/session/conversation.js';
import { HookState } from '../../src/trace/model/kinds.js';
import { agentLibrary, sessionOf } from '../rigs/art/record.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { quitsWell, stopped, onEachArt } from '../rigs/art/with-art.js';
import { recordOptions } from '../rigs/record-options.js';
import { waitLimitMs } from '../rigs/wait-limit.js';

/** As Android numbers them. */
const shell = 2000;
const anotherApp = 10_123;

onEachArt("an agent's socket in the abstract namespace", (bench) => {
  const helpers: ChildProcess[] = [];

  before(async () => {
    // Every user may run it who is in its folder; those above it may be closed to them.
    const connector = path.join(bench.folder, 'abstract-socket');
    await copyFile(path.join(bench.runtime.folder, 'abstract-socket'), connector);
    await chmod(connector, 0o755);
    await chmod(bench.folder, 0o755);
  });
  afterEach(() => {
    for (const helper of helpers.splice(0)) helper.stdin?.end(); // it ends then
  });

  /** By a process of this user's, once somebody listens. */
  async function connectedAs(user: number, { name }: Door): Promise<Duplex> {
    const become = `setpriv --reuid=${user} --regid=${user} --clear-groups`.split(' ');
    const [program = '', ...rest] = process.getuid?.() === 0 ? become : ['sudo', '-n', ...become];
    for (;;) {
      // sudo passes on no more than these three.
      const helper = spawn(program, [...rest, 'sh', '-c', 'exec ./abstract-socket "$0" 3>&2', name], {
        cwd: bench.folder,
      });
      helpers.push(helper);
      helper.stdin.on('error', () => undefined); // the agent closed first
      // Not its exit: one that is turned away at once may have ended before it is read what it said.
      const [said] = (await Promise.race([once(helper.stderr, 'data'), once(helper, 'close')])) as unknown[];
      if (String(said) === '+') return streamOf(helper);
      assert.equal(said, 1, `the connector could not be run: ${String(said)}`);
    }
  }

  /**
   * Its output is read to the end, although it has ended: Node closes an ended program's input at once, and a stream of
   * both would break then and drop what was not read yet, the agent's last words.
   */
  function streamOf({ stdin, stdout }: ChildProcessWithoutNullStreams): Duplex {
    const writable = new Writable({
      write: (bytes, _encoding, done) => void stdin.write(bytes, () => done()),
      destroy: (error, done) => {
        stdin.end();
        done(error);
      },
    });
    return Duplex.from({ writable, readable: stdout });
  }

  for (const engine of Object.keys(engines) as Engine[])
    it(`turns away other users, whatever they know, says so, and lets the shell in with the token alone (${engine})`, async () => {
      const app = await bench.running({ engine, app: 'Jank', arguments: [0] });
      const door = newDoor(app.pid);
      const options = recordOptions(bench.file(), { budgetPpm: 0 });
      const greet = async (user: number, tokens = door.tokens) =>
        await Conversation.open(await connectedAs(user, door), tokens, configOf(options), waitLimitMs);
      app.system(`attach-agent ${agentLibrary}=${door.options}`);
      for (let time = 0; time < 2; time++) await assert.rejects(greet(anotherApp), StrangerError);

      const session = await sessionOf(app, options, await greet(shell), () => Promise.resolve());
      await app.more('frame', 2);
      const trace = await stopped(session);
      assert.ok(trace.paths.count > 0);
      const hook = trace.hooks.find(({ name }) => name === "a stranger's connection");
      assert.equal(hook?.state, HookState.Failed);
      assert.match(hook.why, new RegExp(`^user ${anotherApp} was turned away, 2 in all: `));

      // The shell without the token is nobody either: the agent ends, and the app goes on.
      const again = newDoor(app.pid);
      app.system(`attach-agent ${agentLibrary}=${again.options}`);
      const guess = Conversation.open(
        await connectedAs(shell, again),
        newTokens(),
        configOf(options),
        waitLimitMs,
      );
      await assert.rejects(guess, StrangerError);
      await app.more('frame', 2);
      await quitsWell(app);
    });
});
