/** Programs of this workspace: those that run in its folders or are called after its packages, and those that could be started. */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { workspace } from 'vscode';
import type { Target } from '../../targets/target.js';
import type { WorkspaceFiles } from '../sources/workspace-files.js';
import type { WorkspacePackages } from '../sources/workspace-packages.js';
import { launchConfigurations, mainClasses, type WorkspaceStart } from './workspace-starts.js';

export class WorkspacePrograms {
  readonly #packages: WorkspacePackages;
  readonly #files: WorkspaceFiles;

  constructor(packages: WorkspacePackages, files: WorkspaceFiles) {
    this.#packages = packages;
    this.#files = files;
  }

  /** Tells which targets are of the workspace, by the packages that are known when it is asked. */
  async tellApart(): Promise<(target: Target) => boolean> {
    void this.#packages.look();
    const folders = await Promise.all(
      (workspace.workspaceFolders ?? [])
        .filter(({ uri }) => uri.scheme === 'file')
        // A program's folder is told without symbolic links.
        .map(({ uri }) => realpath(uri.fsPath).catch(() => uri.fsPath)),
    );
    return (target) => isOfWorkspace(target, folders, this.#packages.prefixes);
  }

  configurations(): WorkspaceStart[] {
    return launchConfigurations(this.#files);
  }

  mainClasses(): Promise<WorkspaceStart[]> {
    return mainClasses(this.#files);
  }
}

export function isOfWorkspace(
  { name, folder }: Pick<Target, 'name' | 'folder'>,
  folders: readonly string[],
  packages: readonly string[],
): boolean {
  const isIn = (root: string): boolean =>
    folder !== undefined &&
    (folder === root || folder.startsWith(root.endsWith(path.sep) ? root : root + path.sep));
  const isCalled = (prefix: string): boolean => name === prefix || name.startsWith(`${prefix}.`);
  return folders.some(isIn) || packages.some(isCalled);
}
