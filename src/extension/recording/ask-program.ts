/** Asks which program to start: one of the workspace, or a command as one types it in a terminal. */
import { Disposable, l10n, QuickPickItemKind, window, workspace, type QuickPickItem } from 'vscode';
import { isJava } from '../../targets/local/java-command.js';
import { externalProgramOf, nativeProgram } from '../../targets/local/native-command.js';
import type { Memory } from '../memory.js';
import { plain } from './progress.js';
import { withoutIcons } from './short-name.js';
import { SteadyRows } from './steady-rows.js';
import type { WorkspacePrograms } from './workspace-programs.js';
import type { WorkspaceStart } from './workspace-starts.js';

const rememberedCommands = 8;

export interface ChosenCommand {
  readonly command: string;
  readonly program: string;
}

/** Undefined: the person gave none. Commands given before are a key away. */
export async function askProgram(
  memory: Memory,
  programs: Pick<WorkspacePrograms, 'configurations' | 'mainClasses'>,
): Promise<ChosenCommand | WorkspaceStart | undefined> {
  const before = memory.launchCommands.get();
  const command = await typedOrListed(
    before.map((one) => one.command),
    programs,
  );
  if (typeof command !== 'string') return command;
  let program = before.find((one) => one.command === command)?.program ?? '';
  const runsIn = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const isOneProgram =
    isJava(/\S+/.exec(command)?.[0] ?? '') ||
    (await nativeProgram([command], runsIn)) !== undefined ||
    (await externalProgramOf([command], runsIn)) !== undefined;
  if (!isOneProgram) {
    const answer = await window.showInputBox({
      title: l10n.t('BTrace: Start a Program and Record It'),
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

interface StartItem extends QuickPickItem {
  readonly start?: WorkspaceStart;
  readonly command?: string;
}

function isHeading({ kind }: StartItem): boolean {
  return kind === QuickPickItemKind.Separator;
}

function fits(item: StartItem, typed: string): boolean {
  const { command, label, description = '' } = item;
  const text = (command ?? `${label} ${description}`).toLowerCase();
  return !isHeading(item) && text.includes(typed.toLowerCase());
}

function typedOrListed(
  before: readonly string[],
  programs: Pick<WorkspacePrograms, 'configurations' | 'mainClasses'>,
): Promise<string | WorkspaceStart | undefined> {
  const pick = window.createQuickPick<StartItem>();
  pick.title = l10n.t('BTrace: Start a Program and Record It');
  pick.placeholder = l10n.t('Which one? Or its command, as in a terminal: java -jar shop.jar');
  pick.matchOnDescription = true;
  pick.keepScrollPosition = true;
  const section = (heading: string, items: readonly StartItem[]): StartItem[] =>
    items.length === 0 ? [] : [{ label: heading, kind: QuickPickItemKind.Separator }, ...items];
  const startItem =
    (icon: string) =>
    (start: WorkspaceStart): StartItem => ({
      label: `$(${icon}) ${plain(start.name)}`,
      description: start.detail === start.name ? '' : withoutIcons(start.detail),
      start,
    });
  const configurations = programs.configurations().map(startItem('debug-alt'));
  let classes: readonly StartItem[] = [];
  const rowsOf = (typed: string): StartItem[] => {
    const others = [
      ...section(
        l10n.t('Given before'),
        before.filter((one) => one !== typed).map((one) => ({ label: withoutIcons(one), command: one })),
      ),
      ...section(l10n.t('Launch configurations'), configurations),
      ...section(l10n.t('Main classes of this workspace'), classes),
    ];
    const own = section(
      l10n.t('This command'),
      typed === '' ? [] : [{ label: `$(terminal) ${withoutIcons(typed)}`, command: typed, alwaysShow: true }],
    );
    return [...others, ...own];
  };
  /** Where the person was when rows came that nobody asked for. */
  let active: readonly StartItem[] | undefined;
  const rows: SteadyRows<StartItem> = new SteadyRows(
    pick,
    () => rowsOf(pick.value.trim()),
    () => {
      const typed = pick.value.trim();
      // Enter takes what is searched for, else what is typed. VS Code has an order of its own for what fits.
      const first = rows.shown.find((item) => fits(item, typed));
      if (active !== undefined) {
        const [{ label } = { label: '' }] = active;
        rows.activate(rows.shown.filter((item) => !isHeading(item) && item.label === label));
      } else if (typed !== '' && first !== undefined) rows.activate([first]);
    },
  );
  rows.draw();
  pick.busy = true;
  let isOpen = true;
  void programs
    .mainClasses()
    .catch(() => [])
    .then((found) => {
      if (!isOpen) return;
      active = pick.activeItems;
      classes = found.map(startItem('symbol-class'));
      rows.draw();
      pick.busy = false;
    });
  const listening: { dispose(): unknown }[] = [
    pick,
    pick.onDidChangeValue(() => {
      active = undefined;
      rows.draw();
    }),
  ];
  return new Promise<string | WorkspaceStart | undefined>((resolve) => {
    listening.push(
      pick.onDidAccept(() => {
        const [chosenItem] = pick.selectedItems;
        const item = chosenItem && (rows.before(chosenItem) ?? chosenItem);
        const typed = pick.value.trim();
        // The list follows the typing a moment later: a row of what was typed before is none to take.
        const isTaken = item !== undefined && (typed === '' || fits(item, typed));
        const chosen = isTaken ? (item.start ?? item.command ?? typed) : typed;
        if (chosen !== '') resolve(chosen);
      }),
      pick.onDidHide(() => resolve(undefined)),
    );
    pick.show();
  }).finally(() => {
    isOpen = false;
    Disposable.from(...listening).dispose();
  });
}
