/** Stands in for the agent where a real one will not misbehave: speaks the protocol, and breaks it when told to. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import {
  ChunkKind,
  ChunkParser,
  chunkPayload,
  encodeChunk,
  type Chunk,
} from '../../../src/trace/recording/chunk.js';
import {
  Goodbye,
  Header,
  Hello,
  Hooks,
  Status,
  Texts,
  Welcome,
} from '../../../src/trace/recording/messages.js';
import type { RecordOptions, Target } from '../../../src/targets/target.js';

export class FakeAgent {
  readonly hello: Hello;
  /** Settles when the connection has ended, by whomever and however. */
  readonly closed: Promise<void>;
  #sequence = 0;
  readonly #parser: ChunkParser;
  readonly #answer: string;

  private constructor(
    readonly socket: net.Socket,
    parser: ChunkParser,
    hello: Hello,
    answer: string,
  ) {
    this.#parser = parser;
    this.#answer = answer;

    this.hello = hello;
    this.closed = closed(socket);
  }

  /** Calls back as the agent does with `socket=…,secret=…`, and waits for Hello. */
  static async connect(options: string): Promise<FakeAgent> {
    const words = (text: string) => text.split(',').map((option) => option.split('=') as [string, string]);
    const of = new Map(words(options));
    for (const [name, value] of words(readFileSync(of.get('secret')!, 'utf8'))) of.set(name, value);
    const socket = net.connect(of.get('socket')!);
    socket.on('error', () => undefined);
    const parser = new ChunkParser({ magic: false });
    socket.on('data', (bytes: Buffer) => parser.push(bytes));
    const hello = Hello.decode(chunkPayload(await nextChunk(socket, parser)));
    if (Buffer.from(hello.token).toString('hex') !== of.get('token')) throw new Error('wrong token');
    return new FakeAgent(socket, parser, hello, of.get('answer')!);
  }

  send(kind: number, payload: Uint8Array): void {
    this.socket.write(encodeChunk(kind, payload, this.#sequence++));
  }

  welcome(token = this.#answer): void {
    this.send(ChunkKind.Welcome, Welcome.encode({ token: Buffer.from(token, 'hex'), pid: process.pid }));
  }

  /** What every recording starts with. */
  begin(name = 'Fake'): void {
    this.welcome();
    this.send(ChunkKind.Header, Header.encode({ major: 1, target: { name, pid: process.pid } }));
    this.send(ChunkKind.Hooks, Hooks.encode({ hooks: [{ name: 'allocation', state: 0 }] }));
  }

  text(id: number, value: string): void {
    this.send(ChunkKind.Texts, Texts.encode({ texts: [{ id, value }] }));
  }

  status(samples: number): void {
    this.send(ChunkKind.Status, Status.encode({ samples }));
  }

  goodbye(reason: number, detail = ''): void {
    this.send(ChunkKind.Goodbye, Goodbye.encode({ reason, detail }));
  }

  /** The desktop's next chunk: a Command. */
  async heard(): Promise<Chunk> {
    return await nextChunk(this.socket, this.#parser);
  }
}

async function nextChunk(socket: net.Socket, parser: ChunkParser): Promise<Chunk> {
  for (;;) {
    const chunk = parser.next();
    if (chunk) return chunk;
    if (socket.destroyed) throw new Error('the desktop closed the connection');
    await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  }
}

export function closed(socket: net.Socket): Promise<void> {
  return socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once('close', () => resolve()));
}

export const noTarget: Target = {
  id: 'fake:1',
  kind: 'fake',
  name: 'Fake',
  pid: 1,
  runtime: '',
  detail: '',
  refusal: undefined,
  start: () => Promise.reject(new Error('not here')),
};

export function optionsFor(file: string, more: Partial<RecordOptions> = {}): RecordOptions {
  return {
    file,
    syncIntervalNs: 1_000_000,
    asyncIntervalNs: 10_000_000,
    memoryBytes: 1 << 20,
    policy: 'stream',
    ringNs: 0,
    budgetPpm: 10_000,
    mainOnly: false,
    kinds: [3, 5],
    allocationIntervalBytes: 1024,
    maxDurationMs: 0,
    maxBytes: 0,
    ...more,
  };
}
