import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AgentListener } from '../../../src/targets/local/agent-listener.js';
import { AgentSession, type SessionParts } from '../../../src/targets/session/agent-session.js';
import { configOf } from '../../../src/targets/session/conversation.js';
import { RecordingFile } from '../../../src/targets/session/recording-file.js';
import type { RecordOptions, SessionStatus } from '../../../src/targets/target.js';
import { CommandKind, EndReason, HookState } from '../../../src/trace/model/kinds.js';
import { ChunkKind, ChunkParser, chunkPayload, encodeChunk } from '../../../src/trace/recording/chunk.js';
import { Command, Footer, Hooks, Texts } from '../../../src/trace/recording/messages.js';
import { closed, FakeAgent, noTarget, optionsFor } from './fake-agent.js';

/** The chunks of a file: what a reader would take from it. */
function chunksOf(file: string) {
  const parser = new ChunkParser({ magic: true });
  parser.push(readFileSync(file));
  parser.finish();
  const chunks = [];
  for (let chunk = parser.next(); chunk; chunk = parser.next()) chunks.push(chunk);
  assert.deepEqual(parser.problems, []);
  return chunks;
}

function footerOf(file: string): Footer {
  const last = chunksOf(file).at(-1)!;
  assert.equal(last.kind, ChunkKind.Footer);
  return Footer.decode(chunkPayload(last));
}

describe('a session', () => {
  let folder: string;
  let file: string;
  let log: string[];
  let alive: boolean;
  let listener: AgentListener;

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'session-'));
    file = path.join(folder, 'x.btrace');
    log = [];
    alive = true;
    listener = await AgentListener.open('', (line) => log.push(line));
  });
  afterEach(async () => {
    await listener.close();
    rmSync(folder, { recursive: true });
  });

  async function begin(
    more: Partial<RecordOptions> = {},
    patience: Pick<SessionParts, 'silenceMs' | 'endingMs' | 'whyStill'> = { silenceMs: 5000 },
  ) {
    const options = optionsFor(file, more);
    const accepted = listener.accept(configOf(options), new AbortController().signal);
    const agent = await FakeAgent.connect(listener.options);
    agent.begin();
    const session = new AgentSession({
      target: noTarget,
      options,
      ...patience,
      conversation: await accepted,
      file: await RecordingFile.create(file),
      targetIsAlive: () => Promise.resolve(alive),
      release: () => listener.close(),
      log: (line) => log.push(line),
    });
    return { agent, session };
  }

  function statusWhere(
    session: AgentSession,
    holds: (status: SessionStatus) => boolean,
  ): Promise<SessionStatus> {
    return new Promise((resolve) => {
      const stop = session.onStatus((status) => {
        if (!holds(status)) return;
        stop();
        resolve(status);
      });
    });
  }

  it('writes what comes, numbered anew, privately, and ends with a footer', async () => {
    const { agent, session } = await begin();
    assert.equal(agent.hello.config.syncIntervalNs, 1_000_000);
    assert.deepEqual([...agent.hello.config.kinds], [3, 5]);
    agent.text(1, 'one');
    agent.send(63, Uint8Array.of(1, 2, 3)); // a kind of a newer agent
    agent.status(7);
    const status = await statusWhere(session, ({ samples }) => samples === 7);
    assert.equal(status.hooks[0]!.name, 'allocation');
    assert.ok(status.fileBytes > 0);
    const stopped = session.stop();
    assert.equal(Command.decode(chunkPayload(await agent.heard())).kind, CommandKind.Stop);
    agent.text(2, 'late name');
    agent.goodbye(EndReason.Stopped);
    const end = await stopped;
    assert.deepEqual({ ...end, fileBytes: 0 }, { reason: 'stopped', message: '', file, fileBytes: 0 });
    assert.equal(end.fileBytes, statSync(file).size);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const chunks = chunksOf(file);
    assert.deepEqual(
      chunks.map(({ kind }) => kind),
      [1, 2, 10, 63, 13, 10, 14],
    );
    assert.deepEqual(
      chunks.map(({ sequence }) => sequence),
      [0, 1, 2, 3, 4, 5, 6],
    );
    assert.equal(footerOf(file).reason, EndReason.Stopped);
    assert.equal(await session.stop(), end, 'stop is idempotent');
    assert.ok(!existsSync(listener.folder.path), 'the socket folder is gone');
  });

  it('logs once what the agent says of each hook', async () => {
    const { agent, session } = await begin();
    const hooks: { name: string; state: number; why?: string }[] = [
      { name: 'libart', state: HookState.Installed, why: 'build id 0123' },
      { name: 'park', state: HookState.Missing, why: 'no such callback' },
      { name: 'gc', state: HookState.Off },
    ];
    for (let turn = 0; turn < 2; turn++) agent.send(ChunkKind.Hooks, Hooks.encode({ hooks }));
    hooks[0]!.state = HookState.Removed;
    agent.send(ChunkKind.Hooks, Hooks.encode({ hooks }));
    const stopped = session.stop();
    await agent.heard();
    agent.goodbye(EndReason.Stopped);
    await stopped;
    assert.deepEqual(log, [
      'Fake: installed: libart: build id 0123',
      'Fake: missing: park: no such callback',
    ]);
  });

  it('bounds what it logs of an agent that never ends to say something else of a hook', async () => {
    const { agent, session } = await begin();
    for (let turn = 0; turn < 1000; turn++) {
      const hooks = [{ name: 'walk', state: HookState.Failed, why: `${turn}${'x'.repeat(10_000)}` }];
      agent.send(ChunkKind.Hooks, Hooks.encode({ hooks }));
    }
    const stopped = session.stop();
    await agent.heard();
    agent.goodbye(EndReason.Stopped);
    await stopped;
    assert.equal(log.length, 200);
    assert.ok(log.every((line) => line.length < 1100));
  });

  it('keeps strangers out and goes on waiting for the agent', async () => {
    const options = optionsFor(file);
    const accepted = listener.accept(configOf(options), new AbortController().signal);
    const wrong = await FakeAgent.connect(listener.options);
    wrong.welcome('00'.repeat(16));
    await wrong.closed;
    const junk = net.connect(listener.folder.socket);
    junk.on('error', () => undefined);
    junk.write(Buffer.alloc(100_000, 'junk'));
    junk.resume();
    await closed(junk);
    const agent = await FakeAgent.connect(listener.options);
    agent.welcome();
    assert.equal((await accepted).pid, process.pid);
    assert.equal(log.length, 2);
    assert.match(log[0]!, /dropped .* does not know the token/);
    assert.match(log[1]!, /dropped .* without saying Welcome/);
  });

  it('has a private socket that leaves with it', async () => {
    assert.equal(statSync(listener.folder.path).mode & 0o777, 0o700);
    await listener.close();
    assert.ok(!existsSync(listener.folder.path));
  });

  it('survives a torn stream: what came whole is there, and the end says why', async () => {
    const { agent, session } = await begin();
    agent.text(1, 'whole');
    agent.socket.end(
      encodeChunk(ChunkKind.Texts, Texts.encode({ texts: [{ id: 2, value: 'torn' }] }), 4).subarray(0, 30),
    );
    const end = await session.ended;
    assert.equal(end.reason, 'connection-lost');
    assert.match(end.message, /connection .* was lost/);
    assert.deepEqual(
      chunksOf(file).map(({ kind }) => kind),
      [1, 2, 10, 14],
    );
    assert.equal(footerOf(file).reason, EndReason.ConnectionLost);
  });

  it('skips junk in the stream and says so', async () => {
    const { agent, session } = await begin();
    agent.socket.write(Buffer.alloc(500, 0x77));
    agent.text(1, 'after');
    agent.goodbye(EndReason.Stopped);
    const end = await session.ended;
    assert.equal(end.reason, 'stopped');
    assert.match(end.message, /stream was damaged/);
    assert.deepEqual(
      chunksOf(file).map(({ kind }) => kind),
      [1, 2, 10, 14],
    );
  });

  it('tells a program that ended from a connection that broke', async () => {
    const { agent, session } = await begin();
    alive = false;
    agent.socket.destroy();
    assert.equal((await session.ended).reason, 'target-exited');
    assert.equal(footerOf(file).reason, EndReason.TargetExited);
  });

  it('passes on a fault of the agent in its words', async () => {
    const { agent, session } = await begin();
    agent.goodbye(EndReason.Fault, 'a read failed at 0x10');
    const end = await session.ended;
    assert.equal(end.reason, 'fault');
    assert.match(end.message, /a read failed at 0x10.*runs on/);
  });

  it('does not wait for ever for an agent that does not stop', async () => {
    const { session } = await begin({}, { silenceMs: 50 });
    const end = await session.stop();
    assert.equal(end.reason, 'connection-lost');
    assert.match(end.message, /did not finish/);
    assert.equal(footerOf(file).reason, EndReason.ConnectionLost);
  });

  it('says that an agent does not answer, waits for it, and not where it cannot answer', async () => {
    const whyStill = (): Promise<string | undefined> =>
      Promise.resolve(isStill ? 'It stands still.' : undefined);
    let isStill = false;
    const { agent, session } = await begin({}, { whyStill });
    void session.stop();
    await statusWhere(session, ({ isSilent }) => isSilent);
    agent.goodbye(EndReason.Stopped);
    assert.deepEqual([(await session.ended).reason, (await session.ended).message], ['stopped', '']);
    assert.equal(session.status().isSilent, false);

    rmSync(file);
    listener = await AgentListener.open('', (line) => log.push(line));
    isStill = true;
    const second = await begin({}, { whyStill, silenceMs: 60_000 });
    const end = await second.session.stop();
    assert.deepEqual([end.reason, end.message], ['stopped', 'It stands still.']);
    assert.equal(footerOf(file).reason, EndReason.Stopped);

    rmSync(file);
    listener = await AgentListener.open('', (line) => log.push(line));
    const third = await begin({ maxDurationMs: 10 }, { whyStill, silenceMs: 60_000 });
    const { message } = await third.session.ended;
    assert.equal(message, 'the limit of 0.01 s was reached. It stands still.');
  });

  it('does not listen for ever to one that goes on talking, and waits for nothing when it has ended', async () => {
    const { agent, session } = await begin({}, { silenceMs: 60_000, endingMs: 100 });
    const talking = setInterval(() => agent.text(1, 'and another thing'), 5);
    const end = await session.stop();
    clearInterval(talking);
    assert.equal(end.reason, 'connection-lost');
    assert.match(end.message, /did not finish/);
    assert.equal(await session.stop(), end);

    rmSync(file);
    listener = await AgentListener.open('', (line) => log.push(line));
    const second = await begin();
    second.agent.goodbye(EndReason.TargetExited);
    const ended = await second.session.ended;
    const { setTimeout } = globalThis;
    let waits = 0;
    globalThis.setTimeout = ((...given: Parameters<typeof setTimeout>) => {
      waits++;
      return setTimeout(...given).unref();
    }) as typeof setTimeout;
    try {
      assert.equal(await second.session.stop(), ended);
    } finally {
      globalThis.setTimeout = setTimeout;
    }
    assert.equal(waits, 0, 'a timer keeps the process');
  });

  it('stops at its limits of time and size', async () => {
    const { agent, session } = await begin({ maxDurationMs: 30 });
    assert.equal(Command.decode(chunkPayload(await agent.heard())).kind, CommandKind.Stop);
    agent.goodbye(EndReason.Stopped);
    const end = await session.ended;
    assert.equal(end.reason, 'limit');
    assert.match(end.message, /0.03 s/);
    assert.equal(footerOf(file).reason, EndReason.Limit);

    rmSync(file);
    listener = await AgentListener.open('', (line) => log.push(line));
    const second = await begin({ maxBytes: 2000 });
    second.agent.text(1, 'x'.repeat(3000));
    assert.equal(Command.decode(chunkPayload(await second.agent.heard())).kind, CommandKind.Stop);
    second.agent.goodbye(EndReason.Stopped);
    const { reason, message } = await second.session.ended;
    assert.deepEqual([reason, message], ['limit', 'the limit of 1.95 KB was reached']);
  });

  it('leaves nothing of a cancelled recording', async () => {
    const { agent, session } = await begin();
    agent.text(1, 'unwanted');
    const end = await session.cancel();
    assert.equal(end.reason, 'cancelled');
    assert.ok(!existsSync(file));
    await agent.closed;
  });

  it('dumps a ring to a file of its own and goes on', async () => {
    const { agent, session } = await begin({ policy: 'ring', ringNs: 30e9 });
    agent.text(1, 'name');
    agent.status(1);
    await statusWhere(session, ({ samples }) => samples === 1);
    const dumpFile = path.join(folder, 'dump.btrace');
    const dumped = session.dump(dumpFile, 5e9);
    const command = Command.decode(chunkPayload(await agent.heard()));
    assert.deepEqual(command, { kind: CommandKind.Dump, dumpNs: 5e9 });
    agent.text(2, 'new name');
    agent.send(ChunkKind.Losses, new Uint8Array(0));
    agent.goodbye(EndReason.Dumped);
    assert.equal((await dumped).reason, 'stopped');
    const stopped = session.stop();
    await agent.heard();
    agent.goodbye(EndReason.Stopped);
    await stopped;
    assert.equal(footerOf(dumpFile).reason, EndReason.Dumped);
    const kinds = (of: string) => chunksOf(of).map(({ kind }) => kind);
    assert.deepEqual(kinds(dumpFile), [1, 2, 10, 13, 10, 12, 14]);
    assert.deepEqual(kinds(file), [1, 2, 10, 13, 10, 14], 'what the ring held is not in the running file');
  });

  it('dumps a ring once at a time, and ends a dump with the recording', async () => {
    const { agent, session } = await begin({ policy: 'ring', ringNs: 30e9 });
    agent.status(1);
    await statusWhere(session, ({ samples }) => samples === 1);
    const [first, second, third] = ['first', 'second', 'third'].map((name) => path.join(folder, name)) as [
      string,
      string,
      string,
    ];
    const dumped = session.dump(first, 5e9);
    await assert.rejects(session.dump(second, 5e9), /is being written already/);
    await agent.heard();
    agent.socket.destroy();
    assert.equal((await dumped).reason, 'connection-lost');
    assert.equal((await session.ended).reason, 'connection-lost');
    await assert.rejects(session.dump(third, 5e9), /The recording is ending/);
    assert.deepEqual([existsSync(second), existsSync(third)], [false, false]);
  });

  it('never writes over a file', async () => {
    await RecordingFile.create(file).then((made) => made.close());
    await assert.rejects(RecordingFile.create(file), /is there already/);
    await assert.rejects(RecordingFile.create(path.join(folder, 'no/such/x.btrace')), /cannot be written/);
  });
});
