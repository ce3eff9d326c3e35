/** Programs of the workspace that do not run yet: launch configurations, and classes with a `main`. */
import path from 'node:path';
import { commands, Disposable, extensions, l10n, tasks, Uri, workspace, type TaskExecution } from 'vscode';
import { mainClassOf } from '../../symbols/scan/main-class.js';
import { configuredProgram, type ConfiguredProgram } from '../../targets/local/launch-configuration.js';
import { baseName } from '../base-name.js';
import { Problem } from '../notice.js';
import type { WorkspaceFiles } from '../sources/workspace-files.js';

/** A program with nothing left to find out. */
export interface Start {
  readonly words: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface WorkspaceStart {
  readonly name: string;
  readonly detail: string;
  /** Builds it where its configuration says how. Throws a Problem where it was not built. */
  prepare(): Promise<Start>;
}

/** Sources that are looked into: enough for a project of one's own. */
const mostSources = 2000;
const atOnce = 16;
const javaExtension = 'redhat.java';

/** Those of launch.json, and of the workspace's own settings. */
export function launchConfigurations(files: WorkspaceFiles): WorkspaceStart[] {
  return (workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .flatMap((folder) => {
      const all = workspace.getConfiguration('launch', folder.uri).get<unknown>('configurations');
      const variables = {
        workspaceFolder: folder.uri.fsPath,
        workspaceRoot: folder.uri.fsPath,
        workspaceFolderBasename: folder.name,
        pathSeparator: path.sep,
      };
      return (Array.isArray(all) ? all : [])
        .map((one) => configuredProgram(one, variables))
        .filter((program) => program !== undefined)
        .map((program) => ({
          name: program.name || nameOf(program),
          detail: [nameOf(program), ...program.args].join(' '),
          prepare: async () => {
            await build(program.buildTask);
            return startOf(program, files);
          },
        }));
    });
}

/** Costs a read of each source; undefined results are left out. */
export async function mainClasses(files: WorkspaceFiles): Promise<WorkspaceStart[]> {
  const sources = (await files.managed()).filter(({ scheme }) => scheme === 'file').slice(0, mostSources);
  const found: WorkspaceStart[] = [];
  for (let at = 0; at < sources.length; at += atOnce) {
    const some = sources.slice(at, at + atOnce).map((uri) => mainClassIn(uri, files));
    found.push(...(await Promise.all(some)).filter((one) => one !== undefined));
  }
  return found.sort((a, b) => a.name.localeCompare(b.name));
}

async function mainClassIn(uri: Uri, files: WorkspaceFiles): Promise<WorkspaceStart | undefined> {
  const text = await files.text(uri.toString()).catch(() => '');
  const mainClass = mainClassOf(text, baseName(uri));
  const folder = workspace.getWorkspaceFolder(uri);
  if (mainClass === undefined || folder === undefined) return undefined;
  const program: ConfiguredProgram = {
    name: mainClass,
    what: { kind: 'java', mainClass, project: '', classPath: [], vmArgs: [], java: '' },
    args: [],
    folder: folder.uri.fsPath,
    env: {},
    buildTask: '',
  };
  return {
    name: mainClass,
    detail: workspace.asRelativePath(uri),
    prepare: () => startOf(program, files),
  };
}

function nameOf({ what }: ConfiguredProgram): string {
  return what.kind === 'java' ? what.mainClass : workspace.asRelativePath(what.program);
}

async function startOf(program: ConfiguredProgram, files: WorkspaceFiles): Promise<Start> {
  const { what, args, folder, env } = program;
  if (what.kind === 'native') return { words: [what.program, ...args], folder, env };
  const { mainClass, project, vmArgs } = what;
  const java = what.java || 'java';
  const { modules, classes } =
    what.classPath.length > 0
      ? { modules: [], classes: what.classPath }
      : ((await askJavaExtension(mainClass, project)) ?? {
          modules: [],
          classes: await builtClasses(mainClass),
        });
  if (classes.length + modules.length === 0) {
    const source = await onlySource(mainClass, files);
    if (source !== undefined) return { words: [java, ...vmArgs, source, ...args], folder, env };
    throw new Problem(
      l10n.t('{0} is not built: its class file is nowhere in the workspace.', mainClass),
      l10n.t('Build it, or give the command that starts it.'),
    );
  }
  const places = [
    ...(modules.length > 0 ? ['--module-path', modules.join(path.delimiter)] : []),
    ...(classes.length > 0 ? ['-cp', classes.join(path.delimiter)] : []),
  ];
  return { words: [java, ...vmArgs, ...places, mainClass, ...args], folder, env };
}

/** As *Run* of the Java extension has it, where that is installed. */
async function askJavaExtension(
  mainClass: string,
  project: string,
): Promise<{ modules: string[]; classes: string[] } | undefined> {
  if (extensions.getExtension(javaExtension) === undefined) return undefined;
  try {
    const answer = await commands.executeCommand(
      'java.execute.workspaceCommand',
      'vscode.java.resolveClasspath',
      mainClass,
      project,
    );
    const [modules, classes] = (Array.isArray(answer) ? answer : []) as readonly unknown[];
    const strings = (all: unknown): string[] =>
      Array.isArray(all) ? all.filter((one) => typeof one === 'string') : [];
    const found = { modules: strings(modules), classes: strings(classes) };
    return found.modules.length + found.classes.length > 0 ? found : undefined;
  } catch {
    return undefined; // its debugger is not installed, or it has not read the project yet
  }
}

/** The folder that a compiler has put the class in, and nothing else: what it needs besides is not known here. */
async function builtClasses(mainClass: string): Promise<string[]> {
  const inPackage = `${mainClass.replaceAll('.', '/')}.class`;
  const found = await workspace.findFiles(`**/${inPackage.replace(/[*?{}[\]!,]/g, '[$&]')}`, null, 10);
  const times = await Promise.all(
    found.map(async (uri) => ({ uri, mtime: (await workspace.fs.stat(uri)).mtime })),
  );
  const newest = times.sort((a, b) => b.mtime - a.mtime)[0]?.uri.fsPath;
  return newest === undefined ? [] : [newest.slice(0, -inPackage.length - 1)];
}

/** A Java file that has no others beside it: `java` compiles and runs it. */
async function onlySource(mainClass: string, files: WorkspaceFiles): Promise<string | undefined> {
  const name = `${mainClass.slice(mainClass.lastIndexOf('.') + 1)}.java`;
  const [file, another] = await files.filesNamed(name);
  if (file === undefined || another !== undefined) return undefined;
  const uri = Uri.parse(file);
  const beside = await workspace.fs.readDirectory(Uri.joinPath(uri, '..'));
  return beside.filter(([one]) => one.endsWith('.java')).length === 1 ? uri.fsPath : undefined;
}

/** Runs the task that a launch configuration names. */
async function build(name: string): Promise<void> {
  if (name === '') return;
  const task = (await tasks.fetchTasks()).find(
    (one) => one.name === name || `${one.source}: ${one.name}` === name,
  );
  if (task === undefined)
    throw new Problem(
      l10n.t('There is no task “{0}”, which is to build the program.', name),
      l10n.t('See tasks.json, or start the program by its command.'),
    );
  let end: (code: number) => void = () => undefined;
  const ended = new Promise<number>((resolve) => (end = resolve));
  // It may end before we are told which execution is ours.
  const tell = (execution: TaskExecution, code: number): void =>
    void started.then((own) => execution === own && end(code));
  const listening = Disposable.from(
    tasks.onDidEndTaskProcess((event) => tell(event.execution, event.exitCode ?? 1)),
    // A task without a process of its own, such as one that runs others, has no exit code.
    tasks.onDidEndTask((event) => tell(event.execution, 0)),
  );
  const started = Promise.resolve(tasks.executeTask(task));
  const code = await started.then(() => ended).finally(() => void listening.dispose());
  if (code !== 0)
    throw new Problem(
      l10n.t('The task “{0}” ended with code {1}.', name, String(code)),
      l10n.t('See what it printed in its terminal.'),
    );
}
