/**
 * What a hostile agent says: whole recordings and the conversation around them, damaged in every way that a seed can think of.
 * Used by the test with a fixed budget and by `npm run fuzz` without one.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { Duplex } from 'node:stream';
import { Random } from '../../../src/trace/synth/random.js';
import { EndReason } from '../../../src/trace/model/kinds.js';
import {
  type Chunk,
  ChunkKind,
  ChunkParser,
  chunkPayload,
  encodeChunk,
  firstConversationKind,
} from '../../../src/trace/recording/chunk.js';
import {
  Command,
  Footer,
  Goodbye,
  Hello,
  Status,
  Symbols,
  Welcome,
} from '../../../src/trace/recording/messages.js';
import { DamageError } from '../../../src/trace/recording/wire.js';
import { AgentSession } from '../../../src/targets/session/agent-session.js';
import { NativeNames } from '../../../src/targets/session/native-names.js';
import { configOf, Conversation, newTokens } from '../../../src/targets/session/conversation.js';
import { RecordingFile } from '../../../src/targets/session/recording-file.js';
import type { SessionEnd } from '../../../src/targets/target.js';
import { chunksOf, openAndMeasure, withDamagedField } from '../trace/mutations.js';
import { randomRecording } from '../trace/random-recording.js';
import { noTarget, optionsFor } from './fake-agent.js';

/** Recordings in turns, of which each gives so many streams. */
const streamsARecording = 50;
let original: { seed: number; chunks: readonly Chunk[] } = { seed: -1, chunks: [] };

/** All that the agent of this seed says after the right Welcome. */
export function hostileWords(seed: number): Uint8Array {
  const from = Math.floor(seed / streamsARecording);
  if (original.seed !== from) original = { seed: from, chunks: chunksOf(randomRecording(from).bytes) };
  const random = new Random(seed);
  const said: Uint8Array[] = [];
  let sequence = 1;
  const say = (kind: number, payload: Uint8Array, deflate = false): void =>
    void said.push(encodeChunk(kind, payload, sequence++, { deflate }));
  const small = Uint8Array.of(8, 1);
  // What belongs to the conversation, at any place in it.
  const words: (() => void)[] = [
    () => say(ChunkKind.Hello, Hello.encode({ major: 1, token: small })),
    () => say(ChunkKind.Welcome, Welcome.encode({ token: small, pid: 1 })),
    () => say(ChunkKind.Command, Command.encode({ kind: random.below(5), dumpNs: 1e18 })),
    () =>
      say(ChunkKind.Goodbye, Goodbye.encode({ reason: random.below(12), detail: '\u001b[2J'.repeat(400) })),
    () => say(ChunkKind.Goodbye, Uint8Array.of(0x12, 0x7f, 1)),
    () => say(ChunkKind.Status, Status.encode({ samples: 2 ** 60, cpuNs: 1 })),
    () => say(ChunkKind.Footer, Footer.encode({ endNs: 5, reason: EndReason.Stopped, detail: 'not yours' })),
    () => say(random.below(70), small),
    () => say(ChunkKind.Texts, new Uint8Array(1 << 18), true),
    () => said.push(Uint8Array.from({ length: random.below(3000) }, () => random.below(256))),
  ];
  const often = 0.02 + 0.1 * random.next();
  for (const chunk of original.chunks) {
    const { kind } = chunk;
    if (kind === ChunkKind.Footer) continue;
    if (random.next() < often) words[random.below(words.length)]!();
    const whole = chunkPayload(chunk);
    const payload = random.next() < often ? withDamagedField(whole, random).payload : whole;
    say(random.next() < often / 10 ? random.below(20) : kind, payload, random.next() < 0.1);
    const last = said.at(-1)!;
    const harm = random.next() / often;
    if (harm < 0.2) last[random.below(last.length)]! ^= 1 << random.below(8);
    else if (harm < 0.3) said.push(last);
    else if (harm < 0.35) said.splice(random.below(said.length), 0, said.pop()!);
    else if (harm < 0.4) sequence = [0, 2 ** 31, 2 ** 32 - 2][random.below(3)]!;
    else if (harm < 0.42)
      new DataView(last.buffer).setUint32(12 + 4 * random.below(2), 2 ** (8 * random.below(4)));
    else if (harm < 0.44) said[said.length - 1] = last.subarray(0, random.below(last.length));
  }
  if (random.next() < 0.7) say(ChunkKind.Goodbye, Goodbye.encode({ reason: random.below(9) }));
  return Buffer.concat(said);
}

/** The desktop's end of a connection whose other end says that, in pieces, and closes. What is sent to it is lost. */
function agentThatSays(words: Uint8Array, pieceBytes: number): Duplex {
  let at = 0;
  return new Duplex({
    read() {
      const piece = words.subarray(at, at + pieceBytes);
      at += piece.length;
      this.push(piece.length > 0 ? Buffer.from(piece) : null);
    },
    write(_bytes, _encoding, done) {
      done();
    },
  });
}

/** A session with that agent, from the Welcome to its end, in `file`; throws unless it ends as one must. */
export async function survives(seed: number, file: string): Promise<SessionEnd> {
  const random = new Random(seed ^ 0x5bd1e995);
  const words = hostileWords(seed);
  const tokens = newTokens();
  const welcome = encodeChunk(ChunkKind.Welcome, Welcome.encode({ token: tokens.theirs, pid: 1 }), 0);
  const said = Buffer.concat([welcome, words]);
  const stream = agentThatSays(said, 1 + random.below(2 * said.length));
  const isRing = random.next() < 0.2;
  const options = optionsFor(file, {
    policy: isRing ? 'ring' : 'stream',
    redact: random.next() < 0.3,
    maxBytes: random.next() < 0.1 ? 5000 : 0,
  });
  const logged: string[] = [];
  let released = 0;
  try {
    const conversation = await Conversation.open(stream, tokens, configOf(options), 60_000);
    const session = new AgentSession({
      target: noTarget,
      options,
      conversation,
      file: await RecordingFile.create(file),
      nativeNames: new NativeNames({ root: '' }),
      targetIsAlive: () => Promise.resolve(false),
      release: () => {
        released++;
        return Promise.resolve();
      },
      log: (line) => logged.push(line),
    });
    const dump = isRing ? session.dump(`${file}.dump`, 1e9).catch(() => undefined) : undefined;
    session.status();
    const end = await session.ended;
    const dumped = await dump;
    assert.equal(released, 1);
    assert.ok(end.message.length < 2000, 'a message is longer than anybody reads');
    const bytes = readFileSync(file);
    assert.equal(bytes.length, end.fileBytes);
    const decoder = openAndMeasure(bytes);
    assert.ok(decoder.trace().complete || decoder.refused !== '', 'the file has no end');
    if (dumped?.reason === 'stopped') openAndMeasure(readFileSync(dumped.file));
    if (!isRing && options.redact !== true) keepsWhatWasWhole(said, bytes);
    return end;
  } finally {
    for (const made of [file, `${file}.dump`]) rmSync(made, { force: true });
  }
}

/** What an agent found in memory the desktop writes as a person reads it, with what files tell. */
function isNamedAnew(chunk: Chunk): boolean {
  if (chunk.kind !== ChunkKind.Symbols) return false;
  try {
    return Symbols.decode(chunkPayload(chunk)).functions.some(({ ofMemory }) => ofMemory);
  } catch (error) {
    if (error instanceof DamageError) return false;
    throw error;
  }
}

/** Each intact chunk until the session ended, in its order and to the letter. */
function keepsWhatWasWhole(said: Uint8Array, file: Uint8Array): void {
  const parser = new ChunkParser({ magic: false });
  parser.push(said);
  const nextKept = (): Chunk | undefined => {
    for (let chunk = parser.next(); chunk; chunk = parser.next()) {
      if (chunk.kind === ChunkKind.Goodbye) return undefined;
      if (chunk.kind < firstConversationKind && chunk.kind !== ChunkKind.Footer) return chunk;
    }
    return undefined;
  };
  const kept = chunksOf(file);
  assert.equal(kept.pop()?.kind, ChunkKind.Footer);
  for (const [at, chunk] of kept.entries()) {
    const sent = nextKept();
    assert.ok(sent, `chunk ${at} was never said`);
    if (chunk.kind === ChunkKind.Symbols && isNamedAnew(sent)) continue;
    assert.deepEqual([chunk.kind, chunk.flags, chunk.rawLength], [sent.kind, sent.flags, sent.rawLength]);
    assert.ok(Buffer.from(chunk.stored).equals(sent.stored), `chunk ${at} is another`);
  }
  assert.equal(nextKept()?.kind, undefined, 'what came whole is not in the file');
}
