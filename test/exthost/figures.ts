/** What the editor shows of a recording's figures, as VS Code asks for it. */
import * as vscode from 'vscode';

/** Those of methods. */
export async function lenses(uri: vscode.Uri): Promise<vscode.CodeLens[]> {
  return (await allLenses(uri)).filter((lens) => !isOfFile(lens));
}

/** The one that names the recording, and leads to what is shown. */
export async function fileLens(uri: vscode.Uri): Promise<vscode.CodeLens | undefined> {
  return (await allLenses(uri)).find(isOfFile);
}

async function allLenses(uri: vscode.Uri): Promise<vscode.CodeLens[]> {
  return vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 100);
}

function isOfFile({ command }: vscode.CodeLens): boolean {
  return command?.command === 'btrace.chooseFigures';
}

export async function titles(uri: vscode.Uri): Promise<string[]> {
  return (await lenses(uri)).map(
    (lens) => `${String(lens.range.start.line + 1)} ${lens.command?.title ?? ''}`,
  );
}

export async function hoverText(uri: vscode.Uri, position: vscode.Position): Promise<string> {
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
    'vscode.executeHoverProvider',
    uri,
    position,
  );
  return hovers
    .flatMap((hover) => hover.contents.map((one) => (one as vscode.MarkdownString).value))
    .join('\n')
    .replaceAll('&nbsp;', ' ');
}
