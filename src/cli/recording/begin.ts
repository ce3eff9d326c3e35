/** The ways a recording begins: in a program that runs, with one, or in an app on a device. */
import type { AndroidTargets } from '../../targets/android/android-targets.js';
import type { Wanted } from '../../targets/android/choose-target.js';
import type { StartKind } from '../../targets/android/timed-start.js';
import type { IosDoor, IosTargets } from '../../targets/ios/ios-targets.js';
import { nameOfCommand } from '../../targets/local/java-command.js';
import { type Launched, launch } from '../../targets/local/launch.js';
import type { LocalOptions } from '../../targets/local/local-recording.js';
import { LocalTargets } from '../../targets/local/local-targets.js';
import { type RecordOptions, type Session, type Target, TargetError } from '../../targets/target.js';
import { plainText } from '../plain-text.js';
import { type RecordRequest, recordOptions } from './request.js';
import { l10n } from '../l10n.js';

export interface Begun {
  readonly session: Session;
  /** The program that was started for it, if one was. */
  readonly launched?: Launched;
  /** Of a start of the same kind that was not recorded: until its first frame, as Android says. */
  readonly screenNs?: number;
}

export type Begin = (signal: AbortSignal) => Promise<Begun>;

async function targetNamed(targets: LocalTargets, name: string): Promise<Target> {
  const all = (await targets.list()).filter((one) => one.name.toLowerCase().includes(name.toLowerCase()));
  // Who has a JVM and a script of that name means the JVM.
  const java = all.filter((one) => one.kind !== 'native');
  const found = java.length > 0 ? java : all;
  const [only, ...others] = found;
  if (!only) {
    throw new TargetError(
      'not-found',
      `No program of yours has "${name}" in its name.`,
      'See those that run with: btrace list',
    );
  }
  if (others.length > 0) {
    const names = found.map((one) => `  ${one.pid}  ${plainText(one.name)}`).join('\n');
    throw new TargetError(
      'not-found',
      `${found.length} programs have "${name}" in their names:\n${names}`,
      'Choose one with --pid.',
    );
  }
  return only;
}

type Which = { readonly pid: number } | { readonly name: string };

export function attachTo(which: Which, request: RecordRequest, local: LocalOptions): Begin {
  return attachWith(which, (name) => recordOptions(request, name), local);
}

export function attachWith(
  which: Which,
  optionsFor: (name: string) => Promise<RecordOptions>,
  local: LocalOptions,
): Begin {
  return async (signal) => {
    const targets = new LocalTargets(local);
    const target = 'pid' in which ? await targets.find(which.pid) : await targetNamed(targets, which.name);
    return { session: await target.start(await optionsFor(target.name), signal) };
  };
}

export function launchWith(
  command: readonly string[],
  name: string | undefined,
  request: RecordRequest,
  local: LocalOptions & { readonly external?: boolean },
): Begin {
  return async (signal) => {
    const options = await recordOptions(request, name ?? nameOfCommand(command));
    const launched = await launch(
      command,
      options,
      { ...local, ...(name !== undefined && { name }) },
      signal,
    );
    return { session: launched.session, launched };
  };
}

/** `startedElsewhere`: who else starts the app is told when. */
export function recordApp(
  targets: AndroidTargets,
  wanted: Wanted,
  request: RecordRequest,
  startedElsewhere: (() => void) | undefined,
): Begin {
  return async (signal) => {
    const target = await targets.choose(wanted);
    const options = await recordOptions(request, target.name);
    const session = await target.start({ ...options, ...(startedElsewhere && { startedElsewhere }) }, signal);
    return { session };
  };
}

/**
 * A start that Android times, and then one like it that is recorded: from its first message if it is cold; else the app is recorded
 * from before it is started again.
 */
export function recordStart(
  targets: AndroidTargets,
  wanted: Wanted,
  kind: StartKind,
  request: RecordRequest,
): Begin {
  return async (signal) => {
    const first = await targets.choose(wanted);
    if (kind !== 'cold') {
      if (first.pid === 0) await first.startTimed('cold');
      await first.leave();
    }
    const ms = await first.startTimed(kind);
    signal.throwIfAborted();
    const timed = ms === undefined ? {} : { screenNs: ms * 1e6 };
    const target = await targets.choose(wanted);
    if (kind !== 'cold') {
      await target.leave();
      if (target.pid === 0)
        throw new TargetError(
          'not-supported',
          `${target.name} has ended since it was started.`,
          'Its log (adb logcat) may have the reason. Only a cold start can be measured of an app that does not stay.',
        );
    }
    const options = await recordOptions({ ...request, fromLaunch: kind === 'cold' }, target.name);
    const session = await target.start(options, signal);
    try {
      if (kind !== 'cold') await target.startTimed(kind);
    } catch (error) {
      await session.cancel();
      throw error;
    }
    return { session, ...timed };
  };
}

export interface WantedIosApp {
  readonly device: string | undefined;
  /** A part of what it calls itself. */
  readonly app: string | undefined;
}

/**
 * An app at one of the usual ports. An app tells its name only when it is recorded: one of another name is recorded for a moment, told
 * by `note`, and left alone.
 */
export function recordIosApp(
  targets: Pick<IosTargets, 'choose'>,
  { device, app }: WantedIosApp,
  request: RecordRequest,
  note: (line: string) => void,
): Begin {
  return async (signal) => {
    const found = await targets.choose(device);
    if (app === undefined && found.length > 1)
      throw new TargetError(
        'not-found',
        `Several apps listen: ${found.map(({ name, detail }) => `${name} of ${detail}`).join(', ')}.`,
        'Choose one with --app, --device or --ios-port.',
      );
    const others: string[] = [];
    let refusal: TargetError | undefined;
    for (const target of found) {
      let session: Session;
      try {
        session = await target.start(await recordOptions(request, app ?? target.name), signal);
      } catch (error) {
        // It has another token, is recorded by somebody else, or is no app of ours: the next one may be the one that is meant.
        if (!(error instanceof TargetError) || error.kind !== 'not-permitted') throw error;
        refusal ??= error;
        continue;
      }
      const { name } = session.target;
      if (name.toLowerCase().includes(app?.toLowerCase() ?? '')) return { session };
      others.push(name);
      await session.cancel();
      note(
        l10n.t('{0} was recorded for a moment to learn its name. Nothing of that is kept.', plainText(name)),
      );
    }
    if (refusal !== undefined && others.length === 0) throw refusal;
    throw new TargetError(
      'not-found',
      `No app that listens is called "${app ?? ''}". There is: ${others.map(plainText).join(', ')}.`,
      refusal?.message ?? 'See them with: btrace list --ios',
      { cause: refusal },
    );
  };
}

/** The app behind a door that is known. */
export function recordIosPort(
  targets: IosTargets,
  door: IosDoor,
  device: string | undefined,
  request: RecordRequest,
): Begin {
  return async (signal) => {
    const target = await targets.app(door, device);
    return { session: await target.start(await recordOptions(request, target.name), signal) };
  };
}
