/**
 * One recording being made: what the agent sends goes to the file as it comes, so that memory here is bounded by one
 * chunk and nothing is lost when this process dies. However a recording ends, it ends here, once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { formatBytes } from '../../trace/measure/quantities.js';
import type { Hook, TraceStatus } from '../../trace/model/trace.js';
import { CommandKind, EndReason, HookState } from '../../trace/model/kinds.js';
import { type Chunk, ChunkKind, chunkPayload, encodeChunk } from '../../trace/recording/chunk.js';
import { Footer, Goodbye, Hooks, Status } from '../../trace/recording/messages.js';
import { RecordingWriter } from '../../trace/recording/writer.js';
import type { RecordOptions, Session, SessionEnd, SessionStatus, Target } from '../target.js';
import { TargetError } from '../target.js';
import type { StartedClock, SystemSource } from '../system/system-source.js';
import type { Conversation } from './conversation.js';
import type { NameSource } from './native-names-thread.js';
import { type Ending, endOfFile, footerReasons, sentences } from './ending.js';
import { FileError, type RecordingFile } from './recording-file.js';
import { Redactor } from './redact.js';
import { RingDump } from './ring-dump.js';

/** An agent that is asked to end and then says nothing for this long is not going to. Taking its hooks out may last on a saturated machine. */
const mostSilenceMs = 30_000;
/** One that says nothing for this long may not be able to. */
const usualAnswerMs = 1500;
/** However much it says: all that it may hold is through the slowest cable by then. */
const mostEndingMs = 10 * 60_000;
const statusEveryMs = 1000;
const exitMs = 1000;
/** Letters of what the agent says of its end, or of a hook. */
const mostDetail = 1000;
/** Of one agent that are logged. */
const mostNews = 200;
const hookWords = Object.keys(HookState).map((word) => word.toLowerCase());

export interface SessionParts {
  readonly target: Target;
  readonly options: RecordOptions;
  readonly conversation: Conversation;
  readonly file: RecordingFile;
  /** Of native functions. Absent: the target's files cannot be reached. The session closes it. */
  readonly nativeNames?: NameSource;
  /** What the kernel's scheduler does meanwhile, if that is recorded, and when the recording begins. */
  readonly system?: { readonly source: SystemSource; readonly clock: StartedClock } | undefined;
  /** Tells a program that ended from a connection that broke. */
  readonly targetIsAlive: () => Promise<boolean>;
  /** Name of the program that it became by `exec`, where the agent is not in it any more. Absent: that is not known. */
  readonly becameAnother?: () => Promise<string | undefined>;
  /** Says what keeps all of it from running, if something does: it cannot answer then. Absent: nothing ever does. */
  readonly whyStill?: () => Promise<string | undefined>;
  /** How long an agent that was asked to end may say nothing. */
  readonly silenceMs?: number;
  /** How long it may go on talking. */
  readonly endingMs?: number;
  /** Frees what was set up for this recording: sockets, folders, forwards. */
  readonly release: () => Promise<void>;
  readonly log: (line: string) => void;
}

export class AgentSession implements Session {
  readonly target: Target;
  readonly file: string;
  readonly ended: Promise<SessionEnd>;

  readonly #began = performance.now();
  readonly #writer: RecordingWriter;
  readonly #listeners = new Set<(status: SessionStatus) => void>();
  readonly #timers: NodeJS.Timeout[] = [];
  #silence: NodeJS.Timeout | undefined;
  #live: TraceStatus | undefined;
  #hooks: readonly Hook[] = [];
  readonly #news = new Set<string>();
  #told = 0;
  #chunks = 0;
  /** Why we asked the agent to end, which its Goodbye does not know, or why it has ended: nobody need ask any more. */
  #asked: Ending | undefined;
  readonly #redactor: Redactor | undefined;
  #dumping: RingDump | undefined;
  #isOver = false;
  #isSilent = false;
  #still: string | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.#parts = parts;

    this.target = parts.target;
    this.file = parts.options.file;
    this.#writer = new RecordingWriter(parts.file);
    this.#redactor = parts.options.redact === true ? new Redactor() : undefined;
    // The agent's own word comes once a second; this is for an agent that is silent.
    this.#timers.push(
      setInterval(() => {
        if (performance.now() - this.#told >= statusEveryMs) this.#tell();
      }, statusEveryMs),
    );
    const { maxDurationMs } = parts.options;
    if (maxDurationMs > 0) {
      const words = `the limit of ${maxDurationMs / 1000} s was reached`;
      this.#timers.push(setTimeout(() => this.#ask('limit', words), maxDurationMs));
    }
    this.ended = this.#run();
  }

  status(): SessionStatus {
    return {
      samples: 0,
      dropped: 0,
      captureNs: 0,
      drainNs: 0,
      processCpuNs: 0,
      memoryBytes: 0,
      effectiveIntervalNs: 0,
      costs: [],
      ...this.#live,
      isSilent: this.#isSilent,
      elapsedMs: performance.now() - this.#began,
      fileBytes: this.#parts.file.bytes,
      hooks: this.#hooks,
    };
  }

  onStatus(listener: (status: SessionStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  stop(): Promise<SessionEnd> {
    this.#ask('stopped', '');
    return this.ended;
  }

  cancel(): Promise<SessionEnd> {
    this.#asked = { reason: 'cancelled', message: '' };
    this.#parts.conversation.command(CommandKind.Cancel);
    this.#parts.conversation.close();
    this.#parts.nativeNames?.close();
    return this.ended;
  }

  get whyNoDump(): TargetError | undefined {
    if (this.#parts.options.policy === 'ring') return undefined;
    return new TargetError(
      'not-supported',
      'Only a recording that keeps a ring can be dumped; this one is written as it comes.',
      'Stop it to have the file, or record with a ring next time: btrace record --ring 30s, in VS Code the setting btrace.recording.ringSeconds.',
    );
  }

  async dump(file: string, lastNs: number): Promise<SessionEnd> {
    if (this.whyNoDump !== undefined) throw this.whyNoDump;
    // In turn with the chunks: one that is being appended must be in the copy or come after it.
    const dump = await this.#inTurn(async () => {
      if (this.#asked || this.#isOver)
        throw new TargetError('busy', 'The recording is ending.', 'What came of it is in its file.');
      if (this.#dumping)
        throw new TargetError('busy', 'The ring is being written already.', 'Wait until that is done.');
      return (this.#dumping = await RingDump.begin(file, this.file));
    });
    this.#parts.conversation.command(CommandKind.Dump, lastNs);
    return await dump.ended;
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(run);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Asks the agent to end. The first reason stands. */
  #ask(reason: SessionEnd['reason'], message: string): void {
    if (this.#asked) return;
    this.#asked = { reason, message };
    const { conversation, endingMs = mostEndingMs } = this.#parts;
    conversation.command(CommandKind.Stop);
    this.#watchSilence();
    this.#timers.push(setTimeout(() => conversation.close(), endingMs));
  }

  /** From the moment it was asked to end, the agent must go on talking. */
  #watchSilence(): void {
    clearTimeout(this.#silence);
    this.#isSilent = false;
    if (!this.#asked) return;
    const { conversation, silenceMs = mostSilenceMs } = this.#parts;
    const answerMs = Math.min(usualAnswerMs, silenceMs);
    this.#silence = setTimeout(() => {
      this.#silence = setTimeout(() => conversation.close(), silenceMs - answerMs);
      this.#isSilent = true;
      this.#tell();
      void this.#closeIfStill();
    }, answerMs);
  }

  /** It takes its hooks out as it runs again and finds nobody there. */
  async #closeIfStill(): Promise<void> {
    const why = await this.#parts.whyStill?.();
    if (why === undefined || !this.#isSilent) return;
    this.#still = why;
    this.#parts.conversation.close();
  }

  async #run(): Promise<SessionEnd> {
    const end = await this.#record();
    this.#asked ??= end;
    for (const timer of this.#timers) clearTimeout(timer);
    clearTimeout(this.#silence);
    this.#isSilent = false;
    this.#parts.conversation.close();
    const message = await this.#seal(end);
    this.#parts.nativeNames?.close();
    await this.#inTurn(async () => {
      this.#isOver = true;
      await this.#dumping?.fail(message || 'the recording ended while its ring was being written');
    });
    await this.#parts.release().catch((error: unknown) => this.#parts.log(`cleaning up: ${String(error)}`));
    this.#tell();
    this.#listeners.clear();
    return { reason: end.reason, message, file: this.file, fileBytes: this.#parts.file.bytes };
  }

  /** Takes chunks until there are no more, and says why. Never throws. */
  async #record(): Promise<Ending> {
    try {
      for (;;) {
        const chunk = await this.#parts.conversation.next();
        if (!chunk) return await this.#disconnected();
        if (this.#asked?.reason === 'cancelled') return this.#asked;
        const end = await this.#inTurn(() => this.#take(chunk));
        if (end) return end;
        this.#watchSilence();
      }
    } catch (error) {
      if (!(error instanceof FileError)) return await this.#disconnected(error);
      this.#parts.conversation.command(CommandKind.Cancel);
      return endOfFile(error);
    }
  }

  async #take(chunk: Chunk): Promise<Ending | undefined> {
    const { conversation } = this.#parts;
    switch (chunk.kind) {
      case ChunkKind.Goodbye: {
        const goodbye = conversation.read(chunk, (one) => Goodbye.decode(chunkPayload(one)));
        return goodbye ? await this.#goodbye(goodbye) : await this.#disconnected();
      }
      case ChunkKind.Status: {
        const status = conversation.read(chunk, (one) => Status.decode(chunkPayload(one)));
        if (!status) break;
        const { cpuNs, ...rest } = status;
        this.#live = { ...rest, processCpuNs: cpuNs };
        break;
      }
      case ChunkKind.Hooks: {
        const hooks = conversation.read(chunk, (one) => Hooks.decode(chunkPayload(one)).hooks);
        if (!hooks) break;
        this.#logNews(hooks);
        this.#hooks = hooks;
        break;
      }
    }
    await this.#write(chunk);
    if (chunk.kind === ChunkKind.Status || chunk.kind === ChunkKind.Hooks) this.#tell();
    const { maxBytes } = this.#parts.options;
    if (maxBytes > 0 && this.#parts.file.bytes >= maxBytes) {
      this.#ask('limit', `the limit of ${formatBytes(maxBytes)} was reached`);
    }
    return undefined;
  }

  /** What is said of hooks for the first time: which runtime it is, what is missing in it, what failed. */
  #logNews(hooks: readonly Hook[]): void {
    for (const { name, state, why } of hooks) {
      const news = `${name}: ${why}`.slice(0, mostDetail);
      if (why === '' || this.#news.has(news) || this.#news.size === mostNews) continue;
      this.#news.add(news);
      this.#parts.log(`${this.target.name}: ${hookWords[state] ?? state}: ${news}`);
    }
  }

  async #write(received: Chunk): Promise<void> {
    const redactor = this.#redactor;
    // What cannot be read cannot be redacted: it may hold anything. Else it is kept as it came, and who opens the file is told.
    const chunk = redactor
      ? this.#parts.conversation.read(received, (one) => redactor.redact(one))
      : received;
    if (!chunk) return;
    // What was redacted has no path any more, and so gets no names.
    const names = await this.#parts.nativeNames?.before(chunk);
    if (names) await this.#put(names);
    if (names?.kind !== chunk.kind) await this.#put(chunk);
  }

  async #put(chunk: Chunk): Promise<void> {
    if ((await this.#dumping?.take(chunk)) === true) return;
    await this.#writer.append(chunk);
    // The header comes first.
    if (this.#chunks++ === 0) this.#beginSystem();
  }

  #beginSystem(): void {
    const { system } = this.#parts;
    system?.source.hand(async (kind, payload) => {
      await this.#writer.add(kind, payload);
      this.#chunks++;
    }, system.clock);
  }

  async #goodbye({ reason, detail: said }: Goodbye): Promise<Ending | undefined> {
    const detail = said.slice(0, mostDetail);
    if (reason === EndReason.Dumped && this.#dumping) {
      await this.#dumping.finish();
      this.#dumping = undefined;
      return undefined;
    }
    if (reason === EndReason.TargetExited) return { reason: 'target-exited', message: '' };
    if (reason === EndReason.Fault) {
      const message = `The agent stopped recording: ${detail || 'it met a fault'}. The program runs on.`;
      return { reason: 'fault', message };
    }
    if (reason === EndReason.Limit && !this.#asked) {
      return { reason: 'limit', message: detail || "the agent's memory was full" };
    }
    return this.#asked ?? { reason: 'stopped', message: detail };
  }

  /** The stream ended without a Goodbye. */
  async #disconnected(error?: unknown): Promise<Ending> {
    if (this.#asked?.reason === 'cancelled') return this.#asked;
    if (this.#still !== undefined && this.#asked) {
      return { reason: this.#asked.reason, message: sentences([this.#asked.message, this.#still]) };
    }
    const another = await this.#parts.becameAnother?.();
    if (another !== undefined) {
      const message = `${this.target.name} became another program (exec): ${another}. What came before is in the file; --external records both.`;
      return { reason: 'target-exited', message };
    }
    if (await this.#targetEnds()) {
      const message = `${this.target.name} ended. Names of methods first used in its last second may be missing.`;
      return { reason: 'target-exited', message };
    }
    const why = error instanceof Error ? ` (${error.message})` : '';
    const message = this.#asked
      ? `${this.target.name} did not finish the recording when asked to${why}; it may be stopped or very busy. What had come is in the file.`
      : `The connection to the agent in ${this.target.name} was lost${why}. What had come is in the file.`;
    return { reason: 'connection-lost', message };
  }

  /** A process closes its sockets a moment before it is gone. */
  async #targetEnds(): Promise<boolean> {
    const until = performance.now() + exitMs;
    while (await this.#parts.targetIsAlive()) {
      if (performance.now() > until) return false;
      await delay(10);
    }
    return true;
  }

  /** Ends the file and returns the message for the person. */
  async #seal({ reason, message }: Ending): Promise<string> {
    const { file, conversation } = this.#parts;
    const said = [message];
    await this.#parts.system?.source
      .stop()
      .catch((error: unknown) =>
        said.push(
          `The end of the system's trace is missing: ${error instanceof Error ? error.message : String(error)}.`,
        ),
      );
    try {
      if (reason === 'cancelled') await file.remove();
      else if (reason === 'disk-full') await this.#lastWords(message);
      else await this.#writer.finish(footerReasons[reason], this.#redactor ? '' : message);
    } catch (error) {
      said.push(`The end of the file could not be written: ${String(error)}.`);
    }
    await file.close().catch((error: unknown) => said.push(`Closing the file failed: ${String(error)}.`));
    if (conversation.damage) said.push(`The agent's stream was damaged: ${conversation.damage}.`);
    for (const line of said) if (line !== '') this.#parts.log(line);
    return sentences(said);
  }

  /** On a full disk the writer is no use: a footer without an index often fits into what the torn chunk gave back. */
  async #lastWords(detail: string): Promise<void> {
    const payload = Footer.encode({ endNs: this.#writer.lastNs, reason: EndReason.DiskFull, detail });
    await this.#parts.file.write(encodeChunk(ChunkKind.Footer, payload, this.#chunks)).catch(() => undefined);
  }

  #tell(): void {
    this.#told = performance.now();
    const status = this.status();
    for (const listener of this.#listeners) listener(status);
  }
}
