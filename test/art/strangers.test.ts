/** Who may be the desktop: any app of a device reaches an abstract socket, and the token alone is not asked of one. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile } from 'node:fs/promises';
import path from 'node:path';
import { Duplex } from 'node:stream';
import { newDoor, type Door } from '../../src/targets/android/attach.js';
import { configOf, Conversation, newTokens, StrangerError } from '../../src/targets/session/conversation.js';
import { HookState } from '../../src/trace/model/kinds.js';
import { agentLibrary, sessionOf } from '../rigs/art/record.js';
import { type Engine, engines } from '../rigs/art/runtime.js';
import { stopped, withArt } from '../rigs/art/with-art.js';
import { recordOptions } from '../rigs/record-options.js';

/** As Android numbers them. */
const SHELL = 2000;
const ANOTHER_APP = 10_123;

describe("an agent's socket in the abstract namespace", () => {
  const bench = withArt();
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
      const [said] = (await Promise.race([once(helper.stderr, 'data'), once(helper, 'exit')])) as unknown[];
      if (String(said) === '+') return Duplex.from({ writable: helper.stdin, readable: helper.stdout });
      assert.equal(said, 1, `the connector could not be run: ${String(said)}`);
    }
  }

  for (const engine of Object.keys(engines) as Engine[])
    it(`turns away other users, whatever they know, says so, and lets the shell in with the token alone (${engine})`, async () => {
      const app = await bench.running({ engine, app: 'Jank', arguments: [0] });
      const door = newDoor(app.pid);
      const options = recordOptions(bench.file());
      const greet = async (user: number, tokens = door.tokens) =>
        await Conversation.open(await connectedAs(user, door), tokens, configOf(options), 10_000);
      app.system(`attach-agent ${agentLibrary}=${door.options}`);
      for (let time = 0; time < 2; time++) await assert.rejects(greet(ANOTHER_APP), StrangerError);

      const session = await sessionOf(app, options, await greet(SHELL), () => Promise.resolve());
      await app.more('frame', 2);
      const trace = await stopped(session);
      assert.ok(trace.paths.count > 10);
      const hook = trace.hooks.find(({ name }) => name === "a stranger's connection");
      assert.equal(hook?.state, HookState.Failed);
      assert.match(hook.why, new RegExp(`^user ${ANOTHER_APP} was turned away, 2 in all: `));

      // The shell without the token is nobody either: the agent ends, and the app goes on.
      const again = newDoor(app.pid);
      app.system(`attach-agent ${agentLibrary}=${again.options}`);
      const guess = Conversation.open(
        await connectedAs(SHELL, again),
        newTokens(),
        configOf(options),
        10_000,
      );
      await assert.rejects(guess, StrangerError);
      await app.more('frame', 2);
      assert.deepEqual(await app.quit(), { code: 0, signal: null }, app.output());
    });
});
