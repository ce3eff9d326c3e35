import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { launch, type AgentCommand } from '../../../src/targets/local/launch.js';
import { TargetError } from '../../../src/targets/target.js';
import { recordOptions } from '../../rigs/record-options.js';
import { FakeAgent } from './fake-agent.js';
import { anyMoment } from '../../rigs/until.js';

describe('a program that is started with the agent in it', function () {
  let folder: string;
  let file: string;

  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'launch-'));
    file = path.join(folder, 'x.btrace');
    const agents = path.join(folder, 'agents', `${process.platform}-${process.arch}`);
    mkdirSync(agents, { recursive: true });
    // Any library of this machine's kind: nothing loads it.
    const extension = process.platform === 'darwin' ? 'dylib' : 'so';
    copyFileSync(process.execPath, path.join(agents, `libbtrace-agent.${extension}`));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** A java whose agent calls back and does what it is told to. */
  function launched(
    agentDoes: (agent: FakeAgent) => void,
    {
      beginMs,
      signal = new AbortController().signal,
      command = ['java', 'Main'],
    }: { beginMs?: number; signal?: AbortSignal; command?: readonly string[] } = {},
  ) {
    const run = async ({ args }: { args: readonly string[] }) => {
      const [, options = ''] = /^-agentpath:[^=]*=(.*)$/.exec(args[1] ?? '') ?? [];
      void FakeAgent.connect(options).then(agentDoes);
      return Promise.resolve({ exit: new Promise<number>(() => undefined), kill: () => undefined });
    };
    const options = { agentRoots: [folder], run, ...(beginMs !== undefined && { beginMs }) };
    return launch(command, recordOptions(file), options, signal);
  }

  const isTold = (error: unknown): boolean => {
    assert.ok(error instanceof TargetError, String(error));
    assert.equal(error.kind, 'timeout');
    const { pid } = process;
    assert.equal(error.message, `The agent is in Main (process ${pid}), but could not begin to record.`);
    assert.match(error.nextStep, /may have ended.*try again/);
    assert.ok(!existsSync(file), 'no file is left');
    return true;
  };

  it('that its shell does not find is not looked for in a Gradle daemon', async () => {
    const run = () => Promise.resolve({ exit: Promise.resolve(127), kill: () => undefined });
    const starting = launch(
      ['/no/such/java Main'],
      recordOptions(file),
      { agentRoots: [folder], run },
      new AbortController().signal,
    );
    await assert.rejects(
      starting,
      (error) => error instanceof TargetError && /did not find .*whole path/.test(error.nextStep),
    );
  });

  it('has the environment that it was given, with the agent beside what stands there', async () => {
    let given: NodeJS.ProcessEnv = {};
    const run = ({ env }: AgentCommand) => {
      given = env;
      return Promise.resolve({ exit: Promise.resolve(1), kill: () => undefined });
    };
    const starting = launch(
      ['./gradlew'],
      recordOptions(file),
      { agentRoots: [folder], run, env: { JAVA_TOOL_OPTIONS: '-Xmx64m', MODE: 'test' } },
      new AbortController().signal,
    );
    await assert.rejects(starting, TargetError);
    assert.match(given['JAVA_TOOL_OPTIONS']!, /^-Xmx64m -agentpath:/);
    assert.deepEqual([given['MODE'], given['PATH']], ['test', process.env['PATH']]);
  });

  it('is recorded under the name that its header says', async () => {
    const { session } = await launched((agent) => agent.begin());
    assert.deepEqual([session.target.name, session.target.pid], ['Fake', process.pid]);
    await session.cancel();
  });

  it('is called by its command where its header has no name, and not by the path of its JVM', async () => {
    const command = ['/usr/lib/jvm/jdk-25/bin/java', '-version'];
    const { session } = await launched((agent) => agent.begin(''), { command });
    assert.equal(session.target.name, 'java');
    await session.cancel();
  });

  it('is not waited for without end when its agent does not begin, and is left', async () => {
    let left: Promise<void> | undefined;
    const starting = launched(
      (agent) => {
        agent.welcome();
        left = agent.closed;
      },
      { beginMs: 50 },
    );
    await assert.rejects(starting, isTold);
    await left;
  });

  it('is told of when it ends before its agent begins', async () => {
    const starting = launched((agent) => {
      agent.welcome();
      agent.socket.end();
    });
    await assert.rejects(starting, isTold);
  });

  it('is given up while its agent does not begin', async () => {
    const gaveUp = new AbortController();
    const starting = launched(
      (agent) => {
        agent.welcome();
        void anyMoment(50).then(() => gaveUp.abort());
      },
      { signal: gaveUp.signal },
    );
    await assert.rejects(starting, { name: 'AbortError' });
    assert.ok(!existsSync(file));
  });
});
