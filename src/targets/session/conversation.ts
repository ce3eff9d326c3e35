/**
 * The desktop's side of the conversation with an agent (docs/FORMAT.md, "Conversation") over any stream of bytes: a
 * path socket of this machine, or a phone's socket through adb.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { counted } from '../../trace/model/counted.js';
import { type CommandKind, formatMajor, Policy } from '../../trace/model/kinds.js';
import {
  type Chunk,
  ChunkKind,
  chunkName,
  ChunkParser,
  chunkPayload,
  encodeChunk,
} from '../../trace/recording/chunk.js';
import { Command, type Config, Header, Hello, Welcome } from '../../trace/recording/messages.js';
import { DamageError } from '../../trace/recording/wire.js';
import type { RecordOptions } from '../target.js';

const tokenBytes = 16;
/** A stranger may say this much before it has to have proved who it is. */
const maxBytesBeforeWelcome = 4096;

/** What each side must show the other, once. */
export interface Tokens {
  /** In our Hello: the agent closes on a wrong one. */
  readonly ours: Buffer;
  /** In its Welcome: who answers there is who was attached. */
  readonly theirs: Buffer;
}

export function newTokens(): Tokens {
  return { ours: randomBytes(tokenBytes), theirs: randomBytes(tokenBytes) };
}

/** The tokens as the agent's options carry them. */
export function tokenOptions(tokens: Tokens): string {
  return `token=${tokens.ours.toString('hex')},answer=${tokens.theirs.toString('hex')}`;
}

const policies = {
  stream: Policy.Stream,
  'stop-when-full': Policy.StopWhenFull,
  ring: Policy.Ring,
} as const;

export function configOf(options: RecordOptions): Config {
  return {
    syncIntervalNs: options.syncIntervalNs,
    asyncIntervalNs: options.asyncIntervalNs,
    memoryBytes: options.memoryBytes,
    policy: policies[options.policy],
    ringNs: options.ringNs,
    budgetPpm: options.budgetPpm,
    kinds: [...options.kinds],
    mainOnly: options.mainOnly,
    allocationIntervalBytes: options.allocationIntervalBytes,
    ringCopies: false,
    survey: options.survey === true,
  };
}

/** Who is at the other end is not who was asked for. */
export class StrangerError extends Error {
  override readonly name = 'StrangerError';
}

export class Conversation {
  /** The agent's process, as it sees itself. */
  pid = 0;
  readonly #parser = new ChunkParser({ magic: false });
  readonly #source: AsyncIterator<unknown, undefined>;
  #sequence = 0;
  #received = 0;
  /** Read ahead, to be given by `next`. */
  #ahead: Chunk | undefined;
  readonly #stream: Duplex;

  private constructor(stream: Duplex) {
    this.#stream = stream;

    stream.on('error', () => undefined); // reading says it
    this.#source = stream[Symbol.asyncIterator]() as AsyncIterator<unknown, undefined>;
  }

  /** Says Hello and waits for the right Welcome; throws a StrangerError, and closes, for anything else. */
  static async open(
    stream: Duplex,
    tokens: Tokens,
    config: Config,
    timeoutMs: number,
  ): Promise<Conversation> {
    const conversation = new Conversation(stream);
    const timer = setTimeout(
      () => stream.destroy(new StrangerError(`no answer within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    try {
      conversation.#send(ChunkKind.Hello, Hello.encode({ major: formatMajor, token: tokens.ours, config }));
      const chunk = await conversation.next(maxBytesBeforeWelcome);
      if (chunk?.kind !== ChunkKind.Welcome) throw new StrangerError('it did not say Welcome');
      const { token, pid } = Welcome.decode(chunkPayload(chunk));
      if (token.length !== tokens.theirs.length || !timingSafeEqual(token, tokens.theirs)) {
        throw new StrangerError('it does not know the token');
      }
      conversation.pid = pid;
      return conversation;
    } catch (error) {
      stream.destroy();
      if (error instanceof StrangerError) throw error;
      throw new StrangerError(error instanceof Error ? error.message : String(error), { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /** The next intact chunk; undefined when the other end has closed. Reads no faster than it is asked. */
  async next(limitBytes = Infinity): Promise<Chunk | undefined> {
    for (;;) {
      const chunk = this.#ahead ?? this.#parser.next();
      this.#ahead = undefined;
      if (chunk) return chunk;
      if (this.#received > limitBytes) throw new StrangerError('it talks without saying Welcome');
      const { done, value } = await this.#source.next();
      if (done === true) return undefined;
      if (!(value instanceof Uint8Array)) throw new TypeError('the stream must give bytes');
      this.#received += value.length;
      this.#parser.push(value);
    }
  }

  /** What the recording says about its target; it comes first, and `next` gives it all the same. */
  async header(): Promise<Header> {
    this.#ahead = await this.next();
    if (this.#ahead?.kind !== ChunkKind.Header) throw new StrangerError('it sent no header');
    return Header.decode(chunkPayload(this.#ahead));
  }

  /** Reads what a chunk holds; undefined where that is damaged, which `damage` then tells. */
  read<T>(chunk: Chunk, by: (chunk: Chunk) => T): T | undefined {
    try {
      return by(chunk);
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
      this.#parser.report(chunk.offset, `${chunkName(chunk.kind)}: ${error.message}`);
      return undefined;
    }
  }

  /** What was wrong in the bytes received so far, in words. */
  get damage(): string | undefined {
    const [first] = this.#parser.problems;
    return (
      first && `${counted(this.#parser.problemCount, 'thing was', 'things were')} wrong, first: ${first.what}`
    );
  }

  command(kind: (typeof CommandKind)[keyof typeof CommandKind], dumpNs = 0): void {
    this.#send(ChunkKind.Command, Command.encode({ kind, dumpNs }));
  }

  close(): void {
    this.#stream.destroy();
  }

  #send(kind: number, payload: Uint8Array): void {
    if (this.#stream.writable) this.#stream.write(encodeChunk(kind, payload, this.#sequence++));
  }
}
