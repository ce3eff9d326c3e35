/** A person at the window who answers what is asked: the extension host shows no dialogs while it runs tests. */
import * as vscode from 'vscode';

export interface Toast {
  readonly kind: 'error' | 'warning' | 'information';
  readonly text: string;
  readonly modal: boolean;
  readonly buttons: readonly string[];
}

/** Answers in the order in which they are asked for; without one, the question is left. */
export interface Answers {
  readonly buttons?: readonly string[];
  readonly inputs?: readonly string[];
  /** The text of the entry that is chosen. */
  readonly choices?: readonly (string | RegExp)[];
  readonly openFiles?: readonly vscode.Uri[];
  readonly saveFiles?: readonly vscode.Uri[];
}

export interface Person {
  readonly toasts: Toast[];
  readonly picks: vscode.QuickPick<vscode.QuickPickItem>[];
}

type Replaced = Partial<Record<keyof typeof vscode.window, unknown>>;

/** Runs `work` with that person in front of the window. */
export async function withPerson<T>(answers: Answers, work: (person: Person) => Promise<T>): Promise<T> {
  const person: Person = { toasts: [], picks: [] };
  const rest = {
    buttons: [...(answers.buttons ?? [])],
    inputs: [...(answers.inputs ?? [])],
    choices: [...(answers.choices ?? [])],
    openFiles: [...(answers.openFiles ?? [])],
    saveFiles: [...(answers.saveFiles ?? [])],
  };
  const say =
    (kind: Toast['kind']) =>
    (text: string, ...more: unknown[]): Promise<string | undefined> => {
      const modal = more.some((one) => typeof one === 'object' && one !== null && 'modal' in one);
      const buttons = more.filter((one) => typeof one === 'string');
      person.toasts.push({ kind, text, modal, buttons });
      const wanted = rest.buttons[0];
      return Promise.resolve(
        wanted !== undefined && buttons.includes(wanted) ? rest.buttons.shift() : undefined,
      );
    };
  const createQuickPick = vscode.window.createQuickPick.bind(vscode.window);
  const replaced: Replaced = {
    showErrorMessage: say('error'),
    showWarningMessage: say('warning'),
    showInformationMessage: say('information'),
    showInputBox: () => Promise.resolve(rest.inputs.shift()),
    showQuickPick: (items: readonly vscode.QuickPickItem[]) => {
      const wanted = rest.choices.shift();
      const isWanted = ({ label }: vscode.QuickPickItem): boolean =>
        wanted instanceof RegExp ? wanted.test(label) : wanted === label;
      return Promise.resolve(items.find(isWanted));
    },
    showOpenDialog: () => Promise.resolve(rest.openFiles.length > 0 ? [rest.openFiles.shift()] : undefined),
    showSaveDialog: () => Promise.resolve(rest.saveFiles.shift()),
    createQuickPick: () => {
      const pick = createQuickPick();
      tellOfFirstRow(pick);
      person.picks.push(pick);
      return pick;
    },
  };
  const window = vscode.window as Record<string, unknown>;
  const before = Object.keys(replaced).map((name) => [name, window[name]] as const);
  Object.assign(window, replaced);
  try {
    return await work(person);
  } finally {
    for (const [name, value] of before) window[name] = value;
  }
}

/** As VS Code does at times: it says that the first row is chosen, before it takes that none is, and says that. */
function tellOfFirstRow(pick: vscode.QuickPick<vscode.QuickPickItem>): void {
  const { onDidChangeActive } = pick;
  const told: ((rows: readonly vscode.QuickPickItem[]) => void)[] = [];
  const listen: typeof onDidChangeActive = (listener, ...rest) => {
    told.push((rows) => void listener(rows));
    return onDidChangeActive(listener, ...rest);
  };
  Object.defineProperty(pick, 'onDidChangeActive', { value: listen });
  const real = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(pick), 'activeItems')!;
  Object.defineProperty(pick, 'activeItems', {
    get: (): unknown => real.get!.call(pick),
    set: (rows: readonly vscode.QuickPickItem[]) => {
      const first = pick.items.find(({ kind }) => kind !== vscode.QuickPickItemKind.Separator);
      const isTold = rows.length === 0 && first !== undefined;
      if (isTold) for (const tell of told) tell([first]);
      real.set!.call(pick, rows);
      if (isTold) for (const tell of told) tell([]);
    },
    configurable: true,
  });
}

/** The toasts of `work`, which is over before they are looked at. */
export async function toastsOf(
  answers: Answers,
  work: () => PromiseLike<unknown>,
): Promise<readonly Toast[]> {
  return withPerson(answers, async ({ toasts }) => {
    await work();
    return toasts;
  });
}
