/**
 * A program that is not there yet: it runs in a terminal with the agent in it, so that it is recorded from its first
 * moment, and whoever runs it sees what it prints and types what it asks for.
 */
import {
  l10n,
  ProcessExecution,
  ShellExecution,
  Task,
  TaskPanelKind,
  TaskRevealKind,
  tasks,
  TaskScope,
  workspace,
  Disposable,
  type TaskExecution,
} from 'vscode';
import { isJava, nameOfCommand } from '../../targets/local/java-command.js';
import {
  launch,
  type AgentCommand,
  type LaunchOptions,
  type RunningCommand,
} from '../../targets/local/launch.js';
import { nativeProgram } from '../../targets/local/native-command.js';
import type { RecordOptions, Session, Target } from '../../targets/target.js';
import { Problem } from '../notice.js';
import type { WorkspaceStart } from './workspace-starts.js';

/** How a program is started once a person has chosen it. */
interface PreparedLaunch {
  readonly words: readonly string[];
  readonly options: Pick<LaunchOptions, 'env' | 'name' | 'run' | 'runsIn'>;
}

export class LaunchTarget implements Target {
  readonly kind = 'local';
  /** It has none before it runs. */
  readonly pid = 0;
  readonly runtime = '';
  readonly refusal: string | undefined = undefined;
  readonly #options: LaunchOptions;
  readonly #prepare: (signal: AbortSignal) => Promise<PreparedLaunch>;

  private constructor(
    readonly id: string,
    readonly name: string,
    readonly detail: string,
    options: LaunchOptions,
    prepare: (signal: AbortSignal) => Promise<PreparedLaunch>,
  ) {
    this.#options = options;
    this.#prepare = prepare;
  }

  /** `program`: a part of the name of the JVM that is meant, where the command starts several; empty for the first. */
  static ofCommand(command: string, program: string, options: LaunchOptions): LaunchTarget {
    const name = program === '' ? nameOfCommand([command]) : program;
    const [folder] = workspace.workspaceFolders ?? [];
    const prepare = (signal: AbortSignal): Promise<PreparedLaunch> =>
      Promise.resolve({
        words: [command],
        options: {
          ...(program === '' ? {} : { name: program }),
          ...(folder === undefined ? {} : { runsIn: folder.uri.fsPath }),
          run: (withAgent) => inShell(name, withAgent, signal),
        },
      });
    return new LaunchTarget(`launch:${command}`, name, command, options, prepare);
  }

  /** A program of the workspace, started as its launch configuration says. */
  static ofStart(start: WorkspaceStart, options: LaunchOptions): LaunchTarget {
    const { name, detail } = start;
    const prepare = async (signal: AbortSignal): Promise<PreparedLaunch> => {
      const { words, folder, env } = await start.prepare();
      const [program = ''] = words;
      if (!isJava(program) && (await nativeProgram(words)) === undefined)
        throw new Problem(
          l10n.t('No agent can be loaded into {0} as it starts.', program),
          l10n.t('See that it is built. Start it, and pick it from the list.'),
        );
      return { words, options: { env, run: (withAgent) => asProcess(name, withAgent, folder, signal) } };
    };
    return new LaunchTarget(`start:${name} ${detail}`, name, detail, options, prepare);
  }

  async start(options: RecordOptions, signal = new AbortController().signal): Promise<Session> {
    const { words, options: own } = await this.#prepare(signal);
    signal.throwIfAborted();
    const { session } = await launch(words, options, { ...this.#options, ...own }, signal);
    return session;
  }
}

/** A process of its own, in that folder, with what of its environment is not this process's. */
function asProcess(
  name: string,
  { args, env }: AgentCommand,
  cwd: string,
  giveUp: AbortSignal,
): Promise<RunningCommand> {
  const [file = '', ...rest] = args;
  return asTask(name, new ProcessExecution(file, rest, { cwd, env: ownEnvironment(env) }), giveUp);
}

/** What of the environment is not this process's. */
function ownEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const own = Object.entries(env).flatMap(([key, value]) =>
    value === undefined || value === process.env[key] ? [] : [[key, value] as const],
  );
  return Object.fromEntries(own);
}

/** A shell of its own for the command. */
function inShell(name: string, command: AgentCommand, giveUp: AbortSignal): Promise<RunningCommand> {
  const [text = ''] = command.args;
  return asTask(name, new ShellExecution(text, { env: ownEnvironment(command.env) }), giveUp);
}

/** In a terminal of its own; giving up before its program has called back ends it. */
async function asTask(
  name: string,
  execution: ShellExecution | ProcessExecution,
  giveUp: AbortSignal,
): Promise<RunningCommand> {
  const scope = workspace.workspaceFolders?.[0] ?? TaskScope.Workspace;
  const type = execution instanceof ShellExecution ? 'shell' : 'process';
  const task = new Task({ type }, scope, name, 'BTrace', execution, []);
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
