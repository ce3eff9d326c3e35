/** The ways a recording begins: in a program that runs, with one, or in an app on a device. */
import type { AndroidTargets } from '../../targets/android/android-targets.js';
import type { Wanted } from '../../targets/android/choose-target.js';
import { nameOfCommand } from '../../targets/local/java-command.js';
import { type Launched, launch } from '../../targets/local/launch.js';
import { type LocalOptions, LocalTargets } from '../../targets/local/local-targets.js';
import { type Session, type Target, TargetError } from '../../targets/target.js';
import { plainText } from '../plain-text.js';
import { type RecordRequest, recordOptions } from './request.js';

export interface Begun {
  readonly session: Session;
  /** The program that was started for it, if one was. */
  readonly launched?: Launched;
}

export type Begin = (signal: AbortSignal) => Promise<Begun>;

async function targetNamed(targets: LocalTargets, name: string): Promise<Target> {
  const found = (await targets.list()).filter((one) => one.name.toLowerCase().includes(name.toLowerCase()));
  const [only, ...others] = found;
  if (!only) {
    throw new TargetError(
      'not-found',
      `No Java program of yours has "${name}" in its name.`,
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

export function attachTo(
  which: { readonly pid: number } | { readonly name: string },
  request: RecordRequest,
  local: LocalOptions,
): Begin {
  return async (signal) => {
    const targets = new LocalTargets(local);
    const target = 'pid' in which ? await targets.find(which.pid) : await targetNamed(targets, which.name);
    return { session: await target.start(await recordOptions(request, target.name), signal) };
  };
}

export function launchWith(
  command: readonly string[],
  name: string | undefined,
  request: RecordRequest,
  local: LocalOptions,
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
