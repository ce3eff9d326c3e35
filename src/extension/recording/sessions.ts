/** The recordings being made in this window, and how they are begun and ended. */
import { commands, EventEmitter, type Disposable, type Event } from 'vscode';
import type { Session, SessionEnd, Target } from '../../targets/target.js';
import { recordOptions, type RecordingLimits } from './presets.js';
import type { PresetName } from '../settings.js';
import type { SystemOptions } from './system-choice.js';

export interface ActiveRecording {
  /** Counts up within the window: what a command link or a tree item names it by. */
  readonly id: number;
  readonly target: Target;
  /** What it is called wherever a person meets it: the target's name, and what tells it from another of that name. */
  readonly name: string;
  readonly session: Session;
  readonly startedMs: number;
}

export interface StartRequest {
  readonly target: Target;
  readonly preset: PresetName;
  readonly fromLaunch: boolean;
  readonly file: string;
  readonly limits?: RecordingLimits;
  readonly system: SystemOptions;
}

function nameAmong(
  others: readonly ActiveRecording[],
  { name, kind, pid, detail }: Target,
  id: number,
): string {
  if (!others.some(({ target }) => target.name === name)) return name;
  return `${name} · ${kind === 'android' || kind === 'ios' ? detail : String(pid > 0 ? pid : id)}`;
}

export class Sessions implements Disposable {
  readonly #active = new Map<number, ActiveRecording>();
  readonly #change = new EventEmitter<void>();
  #next = 1;
  #isClosing = false;

  /** A recording began or ended. */
  readonly onDidChange: Event<void> = this.#change.event;

  get all(): readonly ActiveRecording[] {
    return [...this.#active.values()];
  }

  get(id: number): ActiveRecording | undefined {
    return this.#active.get(id);
  }

  /** The recording that is being written to this file. */
  writing(file: string): ActiveRecording | undefined {
    return this.all.find((one) => one.session.file === file);
  }

  async start(request: StartRequest, signal: AbortSignal): Promise<ActiveRecording> {
    const { file, preset, fromLaunch, limits, system } = request;
    const options = { ...recordOptions(file, preset, fromLaunch, limits), ...system };
    const session = await request.target.start(options, signal);
    if (signal.aborted) {
      await session.cancel(); // given up as it began
      signal.throwIfAborted();
    }
    const id = this.#next++;
    const name = nameAmong(this.all, request.target, id);
    const active = { id, target: request.target, name, session, startedMs: Date.now() };
    this.#active.set(active.id, active);
    this.#changed();
    void session.ended.then(() => {
      this.#active.delete(active.id);
      this.#changed();
    });
    return active;
  }

  /** The window goes away: nothing can be shown any more. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  close(): Promise<SessionEnd[]> {
    this.#isClosing = true;
    return this.stopAll();
  }

  /** Ends all of them and waits: what was recorded must be whole before the host goes away. */
  async stopAll(): Promise<SessionEnd[]> {
    return Promise.all(this.all.map((one) => one.session.stop()));
  }

  #changed(): void {
    void commands.executeCommand('setContext', 'btrace.recording', this.#active.size > 0);
    this.#change.fire();
  }

  dispose(): void {
    this.#change.dispose();
  }
}
