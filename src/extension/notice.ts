/** What goes wrong is said once: one toast with what happened and what to do, the whole story in the log. */
import { commands, l10n, window, type LogOutputChannel } from 'vscode';
import { isTargetError, type Remedy } from '../targets/target.js';
import { errorText } from '../targets/error-texts.js';
import { systemWords } from './system-words.js';

export interface Step {
  readonly title: string;
  run(): unknown;
}

/** An error whose text is already what a person should read. */
export class Problem extends Error {
  override readonly name = 'Problem';
  constructor(
    message: string,
    readonly nextStep = '',
    readonly steps: readonly Step[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export class Notices {
  constructor(readonly log: LogOutputChannel) {}

  /** Resolves when the toast is closed; callers need not wait for that. */
  async error(what: unknown): Promise<void> {
    const { message, nextStep, steps } = words(what);
    this.log.error(what instanceof Error ? what : message);
    if (what instanceof Error && what.cause !== undefined) this.log.error('Cause:', what.cause);
    await this.#offer(window.showErrorMessage, join(message, nextStep), steps);
  }

  async warning(message: string, nextStep = '', steps: readonly Step[] = []): Promise<void> {
    this.log.warn(join(message, nextStep));
    await this.#offer(window.showWarningMessage, join(message, nextStep), steps);
  }

  /** Runs a command's work; whatever it throws becomes one toast. Being cancelled is no error. */
  async guard<T>(work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (isAbort(error)) this.log.debug('Cancelled.');
      else void this.error(error);
      return undefined;
    }
  }

  async #offer(show: typeof window.showErrorMessage, text: string, steps: readonly Step[]): Promise<void> {
    const showLog = l10n.t('Show Log');
    const chosen = await show(text, ...steps.map((step) => step.title), showLog);
    if (chosen === showLog) this.log.show();
    else await this.guard(() => steps.find((step) => step.title === chosen)?.run());
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** What happened, what to do, and the buttons that do it. */
export function words(what: unknown): { message: string; nextStep: string; steps: readonly Step[] } {
  if (what instanceof Problem) return what;
  if (isTargetError(what)) {
    const { message, nextStep, remedy } = what;
    return {
      message: errorText(message, l10n.bundle),
      nextStep: errorText(nextStep, l10n.bundle),
      steps: remedy ? [stepOf(remedy)] : [],
    };
  }
  const message = what instanceof Error ? what.message : String(what);
  const system = systemWords(message);
  if (system !== undefined) return { ...system, steps: [] };
  const sentence = /[.!?…]$/.test(message) ? message : `${message}.`;
  return { message: sentence, nextStep: l10n.t('The log has the details.'), steps: [] };
}

function stepOf(remedy: Remedy): Step {
  return {
    title: errorText(remedy.title, l10n.bundle),
    run: async () => {
      await remedy.run();
      await commands.executeCommand('btrace.refreshTargets');
    },
  };
}

function join(message: string, nextStep: string): string {
  return nextStep === '' ? message : l10n.t('{0} {1}', message, nextStep);
}
