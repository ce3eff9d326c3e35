/** From a chosen target to an opened recording: the one flow behind the command, the view and the task. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { commands, EventEmitter, l10n, ProgressLocation, Uri, window, workspace, type Event } from 'vscode';
import type { LaunchOptions } from '../../targets/local/launch.js';
import { isTargetError, type SessionEnd, type Target } from '../../targets/target.js';
import { goneRecording } from '../gone.js';
import type { Memory } from '../memory.js';
import { Problem, type Notices } from '../notice.js';
import { setting, type PresetName } from '../settings.js';
import { askProgram } from './ask-program.js';
import { LaunchTarget } from './launch-target.js';
import { pickHow, pickTarget, refuse } from './pick-target.js';
import { isPresetName } from './presets.js';
import { plain, showProgress } from './progress.js';
import type { ActiveRecording, Sessions } from './sessions.js';
import { goesOn } from './recording-length.js';
import { closeRecording, showRecording } from '../editor/show-recording.js';
import type { DiscardedRecording } from './discarded.js';
import { systemLabel, systemOptions, systemWish, type SystemWish } from './system-choice.js';
import { describe, type RecordingStore } from './store.js';
import type { TargetRegistry } from './target-registry.js';
import { isThere, type UnfinishedRecording } from './unfinished.js';
import type { WorkspacePrograms } from './workspace-programs.js';
import type { WorkspaceStart } from './workspace-starts.js';

/** What `btrace.record` takes when it is called with arguments: by a key binding or another extension. */
export interface RecordArguments {
  /** Id of a target, or a part of its name. */
  readonly target?: string;
  /** Starts this program in a terminal and records it from its first moment; `target` is a part of the name of its JVM. */
  readonly command?: string;
  readonly preset?: string;
  readonly fromLaunch?: boolean;
}

/** One recording, with nothing left to ask. */
export interface RecordRequest {
  readonly target: Target;
  readonly preset: PresetName;
  readonly fromLaunch: boolean;
  /** What the settings say when left out. */
  readonly system?: SystemWish;
  /** Where to; a new file in the store's folder when left out. */
  readonly file?: string;
  /** Stops by itself after this; what the settings say when left out. */
  readonly maxDurationMs?: number;
}

const rememberedTargets = 3;

export class Recorder {
  readonly #finished = new EventEmitter<string>();
  /** A recording is whole, and open. */
  readonly onDidFinish: Event<string> = this.#finished.event;
  readonly #recorded = new EventEmitter<Target>();
  /** A recording was made and kept. */
  readonly onDidRecord: Event<Target> = this.#recorded.event;
  readonly #memory: Memory;
  readonly #notices: Notices;
  /** Those whose end is not to be kept: their ids. */
  readonly #cancelled = new Set<number>();
  readonly #launching: LaunchOptions;
  readonly #workspacePrograms: WorkspacePrograms;

  constructor(
    readonly registry: TargetRegistry,
    readonly sessions: Sessions,
    readonly store: RecordingStore,
    memory: Memory,
    notices: Notices,
    launching: LaunchOptions,
    workspacePrograms: WorkspacePrograms,
  ) {
    this.#memory = memory;
    this.#notices = notices;
    this.#launching = launching;
    this.#workspacePrograms = workspacePrograms;
  }

  /** The whole way with questions. Resolves once the recording has ended and is open, with its file. */
  async record(given: RecordArguments = {}): Promise<string | undefined> {
    const request = await this.ask(given);
    return request && this.run(request);
  }

  /** What to record, asking for what is not given; undefined when a question was left without an answer. */
  async ask(given: RecordArguments = {}): Promise<RecordRequest | undefined> {
    requireTrust();
    const chosen = await this.#target(given);
    const target = chosen === 'launch' ? await this.#askProgram() : chosen;
    if (target === undefined) return undefined;
    const asked = given.preset === undefined && given.target === undefined && given.command === undefined;
    const how = asked
      ? await pickHow(target, this.#lastPreset())
      : { preset: presetOf(given.preset), fromLaunch: given.fromLaunch ?? false };
    if (how === undefined) return undefined;
    await this.#memory.lastPreset.set(how.preset);
    return { target, ...how };
  }

  #target(given: RecordArguments): Promise<Target | 'launch' | undefined> {
    if (given.command !== undefined) return Promise.resolve(this.#launchTarget(given.command, given.target));
    return given.target === undefined ? this.#pickTarget() : this.find(given.target, given.fromLaunch);
  }

  async #pickTarget(): Promise<Target | 'launch' | undefined> {
    const programs = this.#workspacePrograms;
    return pickTarget(this.registry, {
      lastNames: this.#memory.lastTargets.get(),
      isOfWorkspace: await programs.tellApart(),
      startable: programs.configurations().map((one) => this.#startTarget(one)),
    });
  }

  async recordTarget(target: Target): Promise<string | undefined> {
    requireTrust();
    const how = await pickHow(target, this.#lastPreset());
    return how && this.run({ target, ...how });
  }

  /** Records so long, with the usual preset and without a question. */
  async recordFor(target: Target, maxDurationMs: number): Promise<string | undefined> {
    requireTrust();
    refuse(target, false);
    return this.run({ target, preset: setting('recording.preset'), fromLaunch: false, maxDurationMs });
  }

  /** Asks for a command, starts it in a terminal and records from its first moment. */
  async recordFromStart(): Promise<string | undefined> {
    requireTrust();
    const target = await this.#askProgram();
    return target && this.recordTarget(target);
  }

  async #askProgram(): Promise<Target | undefined> {
    const chosen = await askProgram(this.#memory, this.#workspacePrograms);
    if (chosen === undefined) return undefined;
    return 'prepare' in chosen
      ? this.#startTarget(chosen)
      : this.#launchTarget(chosen.command, chosen.program);
  }

  #launchTarget(command: string, program = ''): Target {
    return LaunchTarget.ofCommand(command, program, this.#launching);
  }

  #startTarget(start: WorkspaceStart): Target {
    return LaunchTarget.ofStart(start, this.#launching);
  }

  async run(request: RecordRequest): Promise<string | undefined> {
    const active = await window.withProgress(
      { location: ProgressLocation.Notification, title: startingTitle(request), cancellable: true },
      (_progress, token) => {
        const giveUp = new AbortController();
        token.onCancellationRequested(() => giveUp.abort());
        return this.start(request, giveUp.signal);
      },
    );
    return this.finish(active, await showProgress(active));
  }

  /** Where the system alone cannot be recorded, the app still can. */
  #withoutSystem(request: RecordRequest, error: unknown): unknown {
    if (!isTargetError(error) || error.about !== 'system') return error;
    return new Problem(
      error.message,
      l10n.t('Record without the system’s trace, or choose another one in btrace.recording.system.'),
      [
        {
          title: l10n.t('Record Without It'),
          run: () => this.run({ ...request, system: { name: 'off', file: '' } }),
        },
      ],
      { cause: error },
    );
  }

  async start(request: RecordRequest, signal: AbortSignal): Promise<ActiveRecording> {
    const { target, preset, fromLaunch } = request;
    if (!fromLaunch) this.#refuseTwice(target);
    const wish = request.system ?? systemWish(target);
    const system = await systemOptions(wish);
    if (request.file !== undefined) await mkdir(path.dirname(request.file), { recursive: true });
    const file = request.file ?? (await this.store.newFile(target.name));
    const names = [target.name, ...this.#memory.lastTargets.get().filter((name) => name !== target.name)];
    await this.#memory.lastTargets.set(names.slice(0, rememberedTargets));
    this.#notices.log.info(
      `Recording ${target.id} (${target.name}), preset ${preset}, system ${wish.name}, into ${file}`,
    );
    const limits =
      request.maxDurationMs === undefined ? {} : { limits: { maxDurationMs: request.maxDurationMs } };
    const active = await this.sessions
      .start({ target, preset, fromLaunch, file, system, ...limits }, signal)
      .catch((error: unknown) => {
        throw this.#withoutSystem(request, error);
      });
    await this.store.unfinished.add(file, target.name).catch((error: unknown) => {
      this.#notices.log.warn('The next window will not know of this recording:', error);
    });
    return active;
  }

  /** One recording of a program at a time: the agent says so, too, but not which one to stop. */
  #refuseTwice(target: Target): void {
    const running = this.sessions.all.find((one) => one.target.id === target.id && target.pid > 0);
    if (running === undefined) return;
    const open = () => openRecording(running.session.file);
    throw new Problem(
      l10n.t('{0} is being recorded already.', plain(running.name)),
      l10n.t('Stop that recording to begin another one.'),
      [
        // VS Code cannot take the toast away when that recording has ended: then both open what came of it.
        {
          title: l10n.t('Stop and Open'),
          run: () => (this.sessions.get(running.id) === undefined ? open() : running.session.stop()),
        },
        { title: l10n.t('Watch'), run: open },
      ],
    );
  }

  /** A target by id, else the one whose name holds the text; of several the newest process. */
  async find(wanted: string, fromLaunch = false): Promise<Target> {
    const { targets, failures } = await this.registry.list();
    const text = wanted.toLowerCase();
    const found =
      targets.find((target) => target.id === wanted) ??
      targets
        .filter((target) => target.name.toLowerCase().includes(text))
        .sort(
          (a, b) => Number(a.refusal !== undefined) - Number(b.refusal !== undefined) || b.pid - a.pid,
        )[0];
    if (found === undefined) {
      for (const { kind, error } of failures)
        this.#notices.log.warn(`Could not look for ${kind} targets:`, error);
      throw new Problem(
        l10n.t('No program that can be recorded is called “{0}”.', wanted),
        l10n.t('Start it, or pick one from the list.'),
        [{ title: l10n.t('Record…'), run: () => commands.executeCommand('btrace.record') }],
      );
    }
    refuse(found, fromLaunch);
    return found;
  }

  async stop(id?: number): Promise<void> {
    for (const one of await this.#which(id, l10n.t('Stop which recordings?'))) await one.session.stop();
  }

  async cancel(id?: number): Promise<void> {
    for (const one of await this.#which(id, l10n.t('Cancel which recordings?'))) {
      this.#cancelled.add(one.id);
      await closeRecording(Uri.file(one.session.file));
      await one.session.stop();
    }
  }

  isCancelled({ id }: ActiveRecording): boolean {
    return this.#cancelled.has(id);
  }

  /** Keeps what was recorded out of sight, and offers it back. */
  async #putAside(active: ActiveRecording, file: string): Promise<void> {
    this.#cancelled.delete(active.id);
    const one = await this.store.discarded.take(file, active.target.name);
    this.#tellDiscarded();
    if (one === undefined) return;
    const undo = l10n.t('Undo');
    const text = l10n.t('The recording of {0} was cancelled.', plain(active.name));
    // Not awaited: the toast may stay for long.
    void window
      .showInformationMessage(text, undo)
      .then((answer) => (answer === undo ? this.#notices.guard(() => this.#bringBack(one)) : undefined));
  }

  /** Brings a cancelled recording back and opens it. Asks which one where there are several. */
  async undoCancel(): Promise<string | undefined> {
    const all = this.store.discarded.all;
    if (all.length <= 1) return this.#bringBack(all[0]);
    const items = all.map((one) => ({
      label: plain(one.target),
      description: one.at.toLocaleTimeString(),
      one,
    }));
    const chosen = await window.showQuickPick(items, {
      title: l10n.t('Which cancelled recording?'),
      matchOnDescription: true,
    });
    return this.#bringBack(chosen?.one);
  }

  async #bringBack(one: DiscardedRecording | undefined): Promise<string | undefined> {
    if (one === undefined) return undefined;
    const isTaken = (await describe(one.file)) !== undefined;
    const place = isTaken ? await this.store.newFile(one.target) : one.file;
    const file = await this.store.discarded.restore(one, place);
    this.#tellDiscarded();
    if (file === undefined) return undefined;
    await openRecording(file);
    this.#finished.fire(file);
    return file;
  }

  #tellDiscarded(): void {
    void commands.executeCommand('setContext', 'btrace.cancelled', this.store.discarded.all.length > 0);
  }

  /** Writes the last seconds of what goes on to a file of its own and opens that. */
  async dump(id?: number): Promise<string | undefined> {
    const [one] = await this.#which(id, l10n.t('Dump from which recording?'), true);
    if (one === undefined) return undefined;
    if (one.session.whyNoDump !== undefined) throw one.session.whyNoDump;
    const answer = await window.showInputBox({
      title: l10n.t('BTrace: Dump Last Seconds'),
      prompt: l10n.t('How many of the last seconds to write?'),
      value: String(setting('recording.ringSeconds') || 10),
      validateInput: (text) => (Number(text) > 0 ? undefined : l10n.t('A number of seconds, such as 10.')),
    });
    if (answer === undefined) return undefined;
    const file = await this.store.newFile(one.target.name);
    const end = await one.session.dump(file, Number(answer) * 1e9);
    if (end.message !== '') void this.#notices.warning(end.message);
    await openRecording(end.file);
    return end.file;
  }

  async watch(id: number): Promise<void> {
    const one = this.sessions.get(id);
    if (one !== undefined) await openRecording(one.session.file);
  }

  async #which(
    id: number | undefined,
    question: string,
    single = false,
  ): Promise<readonly ActiveRecording[]> {
    const all = this.sessions.all;
    if (id !== undefined) return all.filter((one) => one.id === id);
    if (all.length === 0) {
      void window.showInformationMessage(l10n.t('Nothing is being recorded.'));
      return [];
    }
    if (all.length === 1) return all;
    const items = all.map((one) => ({
      label: one.name,
      description: String(one.target.pid),
      picked: true,
      one,
    }));
    if (single) {
      const chosen = await window.showQuickPick(items, { title: question });
      return chosen === undefined ? [] : [chosen.one];
    }
    const chosen = await window.showQuickPick(items, { title: question, canPickMany: true });
    return (chosen ?? []).map((item) => item.one);
  }

  /** After a recording has ended: opens it, says what went wrong, and lets the oldest ones go. */
  async finish(active: ActiveRecording, end: SessionEnd, open = true): Promise<string | undefined> {
    this.#notices.log.info(`Recording of ${active.target.id} ended: ${end.reason} ${end.message}`.trim());
    if (this.sessions.isClosing) return end.file;
    await this.store.unfinished.remove(active.session.file);
    if (this.#cancelled.has(active.id)) {
      await this.#putAside(active, end.file);
      return undefined;
    }
    if (end.reason === 'cancelled') return undefined;
    // Said here, and not by each that would show it.
    if ((await describe(end.file)) === undefined) throw goneRecording(Uri.file(end.file), end.message);
    if (open) await openRecording(end.file);
    this.#finished.fire(end.file);
    this.#recorded.fire(active.target);
    if (end.message !== '') void this.#notices.warning(end.message);
    const writing = this.sessions.all.map(({ session }) => session.file);
    const gone = await this.store.retain(new Set([end.file, ...writing]));
    for (const file of gone) this.#notices.log.info(`Deleted ${file}: more than btrace.recording.keep`);
    return end.file;
  }

  /** What a window that is gone could not say any more: its recordings ended with it, and what they had is kept. */
  async tellUnfinished(): Promise<void> {
    const all = await this.store.unfinished.all();
    await Promise.all(all.map((one) => this.#tellUnfinished(one)));
  }

  async #tellUnfinished(one: UnfinishedRecording): Promise<void> {
    const recording = await describe(one.file);
    if (recording !== undefined && isThere(one) && (await goesOn(recording))) return;
    if (!(await this.store.unfinished.remove(one.file)) || recording === undefined) return;
    const text = l10n.t(
      'The recording of {0} ended with its window, which was closed or reloaded. What was recorded until then is kept.',
      plain(one.target),
    );
    const open = l10n.t('Open');
    if ((await window.showInformationMessage(text, open)) === open) await openRecording(one.file);
  }

  #lastPreset(): PresetName {
    const last = this.#memory.lastPreset.get();
    return isPresetName(last) ? last : setting('recording.preset');
  }
}

export async function openRecording(file: string): Promise<void> {
  await showRecording(Uri.file(file));
}

function presetOf(name: string | undefined): PresetName {
  if (name === undefined) return setting('recording.preset');
  if (isPresetName(name)) return name;
  throw new Problem(l10n.t('There is no preset called “{0}”.', name));
}

function requireTrust(): void {
  if (workspace.isTrusted) return;
  throw new Problem(
    l10n.t('Recording is switched off in Restricted Mode, because it loads an agent into a running program.'),
    l10n.t('Trust this workspace to record; recordings can be opened either way.'),
    [
      {
        title: l10n.t('Manage Workspace Trust'),
        run: () => commands.executeCommand('workbench.trust.manage'),
      },
    ],
  );
}

/** To begin a trace of the system takes seconds of its own. */
function startingTitle({ target, system = systemWish(target) }: RecordRequest): string {
  const name = plain(target.name);
  if (target.pid === 0) return l10n.t('Waiting for {0} to start…', name);
  if (system.name === 'off') return l10n.t('Attaching to {0}…', name);
  return l10n.t('Starting the system’s trace ({0}), then attaching to {1}…', systemLabel(system), name);
}
