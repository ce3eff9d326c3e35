/**
 * A program that is not there yet: its command runs in a terminal with the agent in its environment, so that it is recorded from its
 * first moment, and whoever runs it sees what it prints and types what it asks for.
 */
import {
  l10n,
  ShellExecution,
  Task,
  TaskPanelKind,
  TaskRevealKind,
  tasks,
  TaskScope,
  window,
  workspace,
  Disposable,
  type QuickPickItem,
  type TaskExecution,
} from 'vscode';
import { isJava, nameOfCommand } from '../../targets/local/java-command.js';
import {
  launch,
  type AgentCommand,
  type LaunchOptions,
  type RunningCommand,
} from '../../targets/local/launch.js';
import type { RecordOptions, Session, Target } from '../../targets/target.js';
import type { Memory } from '../memory.js';

const rememberedCommands = 8;

export class LaunchTarget implements Target {
  readonly kind = 'local';
  readonly id: string;
  readonly name: string;
  /** It has none before it runs. */
  readonly pid = 0;
  readonly runtime = '';
  readonly detail: string;
  readonly refusal: string | undefined = undefined;

  /** `program`: a part of the name of the JVM that is meant, where the command starts several; empty for the first. */
  constructor(
    command: string,
    private readonly program: string,
    private readonly options: LaunchOptions,
  ) {
    this.id = `launch:${command}`;
    this.detail = command;
    this.name = program === '' ? nameOfCommand([command]) : program;
  }

  async start(options: RecordOptions, signal = new AbortController().signal): Promise<Session> {
    const { session } = await launch(
      [this.detail],
      options,
      {
        agentRoots: this.options.agentRoots,
        ...(this.options.log === undefined ? {} : { log: this.options.log }),
        ...(this.program === '' ? {} : { name: this.program }),
        run: (command) => inTerminal(this.name, command, signal),
      },
      signal,
    );
    return session;
  }
}

/** A shell of its own for the command; giving up before its program has called back ends it. */
async function inTerminal(name: string, command: AgentCommand, giveUp: AbortSignal): Promise<RunningCommand> {
  const [text = ''] = command.args;
  const tools = command.env['JAVA_TOOL_OPTIONS'] ?? '';
  const scope = workspace.workspaceFolders?.[0] ?? TaskScope.Workspace;
  const execution = new ShellExecution(text, { env: { JAVA_TOOL_OPTIONS: tools } });
  const task = new Task({ type: 'shell' }, scope, name, 'BTrace', execution, []);
  task.presentationOptions = { reveal: TaskRevealKind.Always, panel: TaskPanelKind.New, focus: false };
  let settle: (code: number) => void = () => undefined;
  const exit = new Promise<number>((resolve) => (settle = resolve));
  // It may end before we are told which execution is ours.
  const ended = (execution: TaskExecution, code: number): void =>
    void started.then(
      (own) => execution === own && settle(code),
      () => undefined,
    );
  const listening = Disposable.from(
    tasks.onDidEndTaskProcess((event) => ended(event.execution, event.exitCode ?? 1)),
    // A shell that could not be started has no process that ends.
    tasks.onDidEndTask((event) => ended(event.execution, 1)),
  );
  void exit.then(() => void listening.dispose());
  const started = Promise.resolve(tasks.executeTask(task));
  started.catch(() => settle(1));
  const running = await started;
  const end = (): void => running.terminate();
  giveUp.addEventListener('abort', end, { once: true });
  void exit.then(() => giveUp.removeEventListener('abort', end));
  return { exit, kill: end };
}

export interface ChosenCommand {
  readonly command: string;
  readonly program: string;
}

/** A command as one types it in a terminal; those given before are a key away. */
export async function askCommand(memory: Memory): Promise<ChosenCommand | undefined> {
  const before = memory.launchCommands.get();
  const command = await typedOrBefore(before.map((one) => one.command));
  if (command === undefined) return undefined;
  let program = before.find((one) => one.command === command)?.program ?? '';
  if (!isJava(/\S+/.exec(command)?.[0] ?? '')) {
    const answer = await window.showInputBox({
      title: l10n.t('BTrace: Record a Program from Its Start'),
      prompt: l10n.t(
        'If this starts several Java programs (Gradle and Maven are such themselves): a part of the main class or jar that is meant. Empty: the first one.',
      ),
      value: program,
    });
    if (answer === undefined) return undefined;
    program = answer.trim();
  }
  const chosen = { command, program };
  const rest = before.filter((one) => one.command !== command);
  await memory.launchCommands.set([chosen, ...rest].slice(0, rememberedCommands));
  return chosen;
}

function typedOrBefore(before: readonly string[]): Promise<string | undefined> {
  const pick = window.createQuickPick();
  pick.title = l10n.t('BTrace: Record a Program from Its Start');
  pick.placeholder = l10n.t('Its command, as in a terminal: java -jar shop.jar');
  const list = (): QuickPickItem[] => {
    const typed = pick.value.trim();
    const others = before.filter((one) => one !== typed).map((label) => ({ label }));
    return typed === '' ? others : [{ label: typed, alwaysShow: true }, ...others];
  };
  const show = (): void => void (pick.items = list());
  show();
  const listening: { dispose(): unknown }[] = [pick, pick.onDidChangeValue(show)];
  return new Promise<string | undefined>((resolve) => {
    listening.push(
      pick.onDidAccept(() => {
        // The list follows the typing a moment later: unless it is one given before, the text itself counts.
        const label = pick.selectedItems[0]?.label;
        const command = label !== undefined && before.includes(label) ? label : pick.value.trim();
        if (command !== '') resolve(command);
      }),
      pick.onDidHide(() => resolve(undefined)),
    );
    pick.show();
  }).finally(() => void Disposable.from(...listening).dispose());
}
