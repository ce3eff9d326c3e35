/** A query in the editor: completion, the answer of the recording in front, and errors at their place. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { btrace, closeAll, openRecording, scratchFile } from './btrace.js';
import { tillMethods, writeRecording } from './recordings.js';
import { until } from '../rigs/until.js';

describe('a query in the editor', () => {
  const recording = scratchFile('query.btrace');

  before(async () => {
    await writeRecording(recording, {
      methods: tillMethods,
      stacks: [[0, 1], [0, 1], [2]],
      samples: 300,
      startedMs: Date.now(),
    });
    await openRecording(recording);
  });
  after(closeAll);

  async function asked(sql: string) {
    const document = await vscode.workspace.openTextDocument({ language: 'btrace-sql', content: sql });
    await vscode.window.showTextDocument(document);
    const { parts } = await btrace();
    await vscode.commands.executeCommand('btrace.runQuery');
    return { document, queries: parts.queries };
  }

  it('is answered by the recording in front, and its rows name methods', async () => {
    const { queries } = await asked('SELECT name, sum(dur) AS ns FROM slice GROUP BY name ORDER BY ns DESC');
    const { answered } = queries;
    assert.equal(answered?.recording.fsPath, recording);
    assert.deepEqual(answered.result.columns, ['name', 'ns']);
    assert.equal(answered.result.rows.length, 3);
    const key = await queries.keyOf(answered.recording, answered.result, 0);
    assert.ok(key);
    assert.equal(`${key.className}.${key.method}`, answered.result.rows[0]![0]);
    assert.match(key.file, /^Till\.java$/);
  });

  it('shows an SQL error at its place', async () => {
    const { document } = await asked('SELECT name,\n  durr\nFROM slice');
    const told = () => vscode.languages.getDiagnostics(document.uri);
    await until('the error is shown', () => told().length === 1);
    const [{ range, message }] = told() as [vscode.Diagnostic];
    assert.deepEqual([range.start.line, range.start.character, range.end.character], [1, 2, 6]);
    assert.match(message, /"dur"/);
  });

  it('is completed by tables and columns', async () => {
    const document = await vscode.workspace.openTextDocument({
      language: 'btrace-sql',
      content: 'SELECT w. FROM wait w',
    });
    const list = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      document.uri,
      new vscode.Position(0, 9),
      '.',
    );
    const labels = list.items.map(({ label }) => label);
    assert.ok(labels.includes('owner_utid'));
  });
});
