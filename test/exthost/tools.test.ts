/** The tools for language models in VS Code, invoked as its models invoke them. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { tools } from '../../src/tools/tools.js';
import { btrace, closeAll, scratchFile } from './btrace.js';
import { tillMethods, writeRecording } from './recordings.js';
import { ScriptedTarget, withScriptedTargets } from './scripted-targets.js';
import { anyMoment, until } from '../rigs/until.js';

async function invoked(name: string, input: object): Promise<string> {
  const { content } = await vscode.lm.invokeTool(`btrace_${name}`, { input, toolInvocationToken: undefined });
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}

describe('tools for language models', () => {
  const { source, target } = withScriptedTargets();
  const file = scratchFile('till.btrace');

  before(() => writeRecording(file, { methods: tillMethods, stacks: [[0, 1], [0, 1], [2]], samples: 300 }));
  after(closeAll);

  it('are known to VS Code, with the schemas of the MCP server', () => {
    const known = vscode.lm.tools.filter(({ name }) => name.startsWith('btrace_'));
    const plain = (all: readonly { name: string; description: string; inputSchema?: object | undefined }[]) =>
      all
        .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
        .sort((a, b) => a.name.localeCompare(b.name));
    assert.deepEqual(plain(known), plain(tools));
  });

  it('answer of a recording, with the sources of the workspace', async () => {
    assert.match(await invoked('open', { file }), /Program "Till", "HotSpot 17\.0\.15", 300 ms, 1 thread\./);
    assert.match(
      await invoked('hot_methods', { file }),
      /self 99\.5 ms \(66\.\d %\).*: "com\.example\.shop\.Till\.count"/,
    );
    assert.match(
      await invoked('source', { file, method: 'Till.ring' }),
      /Till\.java", line 8:\n.*\n.*\n8: "/,
    );
    const sql = 'SELECT count(*) AS n FROM sample';
    assert.match(await invoked('query', { file, sql }), /"n"\n300$/);
  });

  it('end when they are cancelled, wherever a query is, and answer what is asked next', async () => {
    const endless =
      'SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE a.range % 7 = b.range % 5';
    for (const afterMs of [0, 200, 1000]) {
      const cancel = new vscode.CancellationTokenSource();
      void anyMoment(afterMs).then(() => cancel.cancel());
      const input = { file, sql: endless };
      await assert.rejects(async () => {
        await vscode.lm.invokeTool('btrace_query', { input, toolInvocationToken: undefined }, cancel.token);
      });
    }
    assert.match(await invoked('query', { file, sql: 'SELECT count(*) AS n FROM sample' }), /"n"\n300$/);
  });

  it('tell the model what is wrong with a question', async () => {
    await assert.rejects(invoked('hot_methods', { file, by: 'luck' }), /"by" is one of/);
    await assert.rejects(invoked('open', { file: `${file}.gone` }), /no such file/);
  });

  it('ask the person before a recording, and before nothing else', async () => {
    const till = target('till <b>Main');
    const asked = new Map<string, vscode.LanguageModelToolConfirmationMessages>();
    for (const [name, tool] of (await btrace()).parts.tools.all) {
      const { confirmationMessages } = await tool.prepareInvocation({
        input: { target: till.id, seconds: 2 },
      });
      if (confirmationMessages !== undefined) asked.set(name, confirmationMessages);
    }
    assert.deepEqual([...asked.keys()], ['btrace_record']);
    const { title, message } = asked.get('btrace_record')!;
    assert.equal(title, 'Record a running program?');
    assert.ok(message instanceof vscode.MarkdownString);
    // No markup of a name is left.
    assert.match(message.value, /^May BTrace record \\"till \\<b\\>Main\\" \(process \d+\) for 2 s\? /);
    // What does not run yet has no process.
    const app = new ScriptedTarget('app', 0);
    source.targets.push(app);
    const before = await (
      await btrace()
    ).parts.tools.all
      .get('btrace_record')!
      .prepareInvocation({ input: { target: app.id, seconds: 2 } });
    const asksNow = before.confirmationMessages!.message as vscode.MarkdownString;
    assert.match(asksNow.value, /^May BTrace record \\"app\\" for 2 s\? /);
  });

  // VS Code answers its own question with yes while it runs tests.
  it('record after a person has agreed', async () => {
    const till = target('till.Main');
    assert.match(
      await invoked('list_targets', { name: 'TILL' }),
      new RegExp(`"${till.id}" "till\\.Main" Script`),
    );
    const made = invoked('record', { target: till.id, seconds: 2 });
    const session = await until('it records', () => till.sessions[0]);
    assert.equal(till.options!.maxDurationMs, 2000);
    await session.end('limit');
    assert.equal(await made, `Recorded into ${JSON.stringify(session.file)}.`);
  });
});
