/** What the editor shows of a recording's figures, as VS Code asks for it. */
import * as vscode from 'vscode';

export async function lenses(uri: vscode.Uri): Promise<vscode.CodeLens[]> {
  return vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 100);
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
