/** What is remembered between windows and sessions, each with its type and its place. */
import type { ExtensionContext, Memento } from 'vscode';

class Remembered<T> {
  readonly #memento: Memento;
  readonly #key: string;
  readonly #initial: T;

  constructor(memento: Memento, key: string, initial: T) {
    this.#memento = memento;
    this.#key = key;
    this.#initial = initial;
  }
  get(): T {
    return this.#memento.get<T>(this.#key, this.#initial);
  }
  async set(value: T): Promise<void> {
    await this.#memento.update(this.#key, value);
  }
}

export class Memory {
  /** Names of the targets recorded last, newest first: a process id does not survive, a name does. */
  readonly lastTargets: Remembered<readonly string[]>;
  readonly lastPreset: Remembered<string>;
  /** That BTrace opens foreign traces was said. */
  readonly openingOffered: Remembered<boolean>;
  /** Commands that started programs to record, newest first. */
  readonly launchCommands: Remembered<readonly { readonly command: string; readonly program: string }[]>;
  /** Which of several files holds the source of a class: source path in the package → URI. */
  readonly sourceChoices: Remembered<Readonly<Record<string, string>>>;
  /** Folders outside the workspace from which files may be opened without asking again. */
  readonly allowedFolders: Remembered<readonly string[]>;
  /** Which recording another one is compared with, the last one first: URI → URI. */
  readonly baselines: Remembered<Readonly<Record<string, string>>>;
  /** Whose lags are shown; empty: nobody chose one. */
  readonly lagsFolder: Remembered<string>;
  /** The mapping chosen for this workspace. */
  readonly mapping: Remembered<string>;

  constructor(context: ExtensionContext) {
    const { workspaceState, globalState } = context;
    this.lastTargets = new Remembered<readonly string[]>(globalState, 'lastTargets', []);
    this.openingOffered = new Remembered<boolean>(globalState, 'openingOffered', false);
    this.lastPreset = new Remembered(workspaceState, 'lastPreset', '');
    this.launchCommands = new Remembered<readonly { command: string; program: string }[]>(
      workspaceState,
      'launchCommands',
      [],
    );
    this.sourceChoices = new Remembered<Readonly<Record<string, string>>>(
      workspaceState,
      'sourceChoices',
      {},
    );
    this.baselines = new Remembered<Readonly<Record<string, string>>>(workspaceState, 'baselines', {});
    this.allowedFolders = new Remembered<readonly string[]>(workspaceState, 'allowedFolders', []);
    this.lagsFolder = new Remembered(workspaceState, 'lagsFolder', '');
    this.mapping = new Remembered(workspaceState, 'mapping', '');
  }
}
