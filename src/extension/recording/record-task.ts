/** *BTrace: Record* as a task: a terminal that tells how the recording goes, and ends with it. */
import path from 'node:path';
import {
  CustomExecution,
  EventEmitter,
  l10n,
  Task,
  TaskScope,
  workspace,
  type Pseudoterminal,
  type TaskDefinition,
  type TaskProvider,
  type Uri,
  type WorkspaceFolder,
} from 'vscode';
import type { SessionEnd } from '../../targets/target.js';
import type { Memory } from '../memory.js';
import { isAbort, Problem, words, type Notices } from '../notice.js';
import { formatBytes } from '../../trace/measure/quantities.js';
import { statusLine } from './progress.js';
import type { RecordArguments, Recorder } from './recorder.js';

/** As package.json declares it; written by hand, so each value is looked at before it is used. */
interface Definition extends TaskDefinition {
  readonly target?: unknown;
  readonly command?: unknown;
  readonly preset?: unknown;
  readonly seconds?: unknown;
  readonly output?: unknown;
  readonly open?: unknown;
}

export class RecordTasks implements TaskProvider {
  static readonly type = 'btrace';
  readonly #recorder: Recorder;
  readonly #memory: Memory;
  readonly #notices: Notices;

  constructor(recorder: Recorder, memory: Memory, notices: Notices) {
    this.#recorder = recorder;
    this.#memory = memory;
    this.#notices = notices;
  }

  /** One that asks, and one for each program recorded lately. */
  provideTasks(): Task[] {
    const definitions: Definition[] = [
      { type: RecordTasks.type },
      ...this.#memory.lastTargets.get().map((target) => ({ type: RecordTasks.type, target })),
    ];
    return definitions.map((definition) => this.#task(definition, TaskScope.Workspace));
  }

  /** Those of tasks.json. */
  resolveTask(task: Task): Task {
    return this.#task(task.definition, task.scope ?? TaskScope.Workspace);
  }

  #task(definition: Definition, scope: WorkspaceFolder | TaskScope): Task {
    const { target, command } = definition;
    const what = typeof target === 'string' ? target : typeof command === 'string' ? command : '';
    const name = what === '' ? l10n.t('Record…') : l10n.t('Record {0}', what);
    const folder = typeof scope === 'object' ? scope.uri : workspace.workspaceFolders?.[0]?.uri;
    // Resolved: `${input:…}` and the like in tasks.json are filled in.
    const execution = new CustomExecution((resolved: Definition) =>
      Promise.resolve(new RecordTerminal(resolved, folder, this.#recorder, this.#notices)),
    );
    // Nothing that it prints is a problem in a file: no matchers, and VS Code does not ask for any.
    return new Task(definition, scope, name, 'BTrace', execution, []);
  }
}

class RecordTerminal implements Pseudoterminal {
  readonly #write = new EventEmitter<string>();
  readonly #close = new EventEmitter<number>();
  readonly onDidWrite = this.#write.event;
  readonly onDidClose = this.#close.event;
  readonly #over = new AbortController();
  readonly #definition: Definition;
  readonly #folder: Uri | undefined;
  readonly #recorder: Recorder;
  readonly #notices: Notices;

  constructor(definition: Definition, folder: Uri | undefined, recorder: Recorder, notices: Notices) {
    this.#definition = definition;
    this.#folder = folder;
    this.#recorder = recorder;
    this.#notices = notices;
  }

  open(): void {
    void this.#record().then((code) => this.#close.fire(code));
  }

  /** The task was ended: the recording is stopped and kept. */
  close(): void {
    this.#over.abort();
  }

  handleInput(data: string): void {
    if (data === '\x03' || data === 'q') this.close();
  }

  /** The exit code. */
  async #record(): Promise<number> {
    try {
      const definition = this.#definition;
      const { seconds, output, open } = definition;
      const file = typeof output === 'string' && output !== '' ? this.#place(output) : undefined;
      const request = await this.#recorder.ask(argumentsOf(definition));
      if (request === undefined) return 1;
      this.#line(l10n.t('Waiting for {0}. Ctrl+C or q stops.', request.target.name));
      const active = await this.#recorder.start(
        {
          ...request,
          ...(file === undefined ? {} : { file }),
          ...(typeof seconds === 'number' && seconds > 0 ? { maxDurationMs: seconds * 1000 } : {}),
        },
        this.#over.signal,
      );
      const { session } = active;
      this.#over.signal.addEventListener('abort', () => void session.stop(), { once: true });
      const silence = session.onStatus((status) => this.#status(statusLine(status)));
      const end = await session.ended;
      silence();
      this.#status(statusLine(session.status()));
      this.#line('');
      const isKept = end.reason !== 'cancelled' && !this.#recorder.isCancelled(active);
      this.#tell(end, isKept);
      await this.#recorder.finish(active, end, open !== false);
      return isKept ? 0 : 1;
    } catch (error) {
      if (isAbort(error)) return 1;
      // The terminal says it; a toast would say it twice.
      const { message, nextStep } = words(error);
      this.#notices.log.error(error instanceof Error ? error : message);
      this.#line(`${message} ${nextStep}`.trim());
      return 1;
    }
  }

  #tell(end: SessionEnd, isKept: boolean): void {
    if (end.message !== '') this.#line(end.message);
    if (isKept) this.#line(l10n.t('{0} written: {1}', end.file, formatBytes(end.fileBytes)));
  }

  /** A folder that is not on this machine has a path all the same, and here that leads to another place. */
  #place(output: string): string {
    if (path.isAbsolute(output)) return output;
    if (this.#folder?.scheme === 'file') return path.join(this.#folder.fsPath, output);
    throw new Problem(
      l10n.t('{0} is in no folder of this machine.', output),
      l10n.t('Give the task an output with its whole path.'),
    );
  }

  /** In place of the one before. */
  #status(text: string): void {
    this.#write.fire(`\r\x1b[K${plain(text)}`);
  }

  #line(text: string): void {
    this.#write.fire(`${plain(text)}\r\n`);
  }
}

/** Names come from the recorded program: what could steer the terminal is taken out. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '�');
}

function argumentsOf({ target, command, preset }: Definition): RecordArguments {
  return {
    ...(typeof target === 'string' ? { target } : {}),
    ...(typeof command === 'string' ? { command } : {}),
    ...(typeof preset === 'string' ? { preset } : {}),
  };
}
