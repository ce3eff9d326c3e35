/** The tools for language models as VS Code has them: it shows them to its models and asks the person before a recording. */
import path from 'node:path';
import {
  l10n,
  LanguageModelTextPart,
  LanguageModelToolResult,
  lm,
  MarkdownString,
  Uri,
  workspace,
  type CancellationToken,
  type Disposable,
  type LanguageModelTool,
  type PreparedToolInvocation,
} from 'vscode';
import { quoted } from '../../tools/answer.js';
import type { FoundSource, ListedTarget, Recorded, Tool, ToolInput } from '../../tools/tool.js';
import { tools, usualSeconds } from '../../tools/tools.js';
import type { KnownRetraceMappings } from '../engine/engine-messages.js';
import type { Recorder } from '../recording/recorder.js';
import type { TargetRegistry } from '../recording/target-registry.js';
import { openedMemoryBytes } from '../settings.js';
import type { WorkspaceFiles } from '../sources/workspace-files.js';
import type { HostCall } from './tool-messages.js';
import { ToolsClient } from './tools-client.js';

export interface ToolParts {
  readonly extensionPath: string;
  readonly registry: TargetRegistry;
  readonly recorder: Recorder;
  readonly files: WorkspaceFiles;
  mapping(): Promise<KnownRetraceMappings>;
}

/** A longer file is no source that a person wrote. */
const mostSourceBytes = 8 << 20;

/** Registers them where there are tools for language models: an editor that is built of VS Code may have none. */
export class ModelTools implements Disposable {
  /** By name. */
  readonly all: ReadonlyMap<string, ModelTool>;
  readonly #client: ToolsClient;
  readonly #registered: readonly Disposable[];

  constructor(parts: ToolParts) {
    this.#client = new ToolsClient(parts.extensionPath, (call) => doFor(parts, call));
    this.all = new Map(tools.map((tool) => [tool.name, new ModelTool(tool, parts, this.#client)]));
    // Types promise what such an editor leaves out.
    const models = lm as Partial<typeof lm> | undefined;
    this.#registered =
      typeof models?.registerTool === 'function'
        ? [...this.all].map(([name, tool]) => lm.registerTool(name, tool))
        : [];
  }

  dispose(): void {
    for (const one of this.#registered) one.dispose();
    this.#client.dispose();
  }
}

/** In Markdown each of these may be escaped. `MarkdownString.appendText` also makes spaces that no line ends at. */
const withoutMarkup = (name: string): string => name.replace(/[!-/:-@[-`{-~]/g, '\\$&');

class ModelTool implements LanguageModelTool<ToolInput> {
  constructor(
    readonly tool: Tool,
    readonly parts: ToolParts,
    readonly client: ToolsClient,
  ) {}

  async prepareInvocation({ input }: { readonly input: ToolInput }): Promise<PreparedToolInvocation> {
    if (!this.tool.needsConsent) return {};
    const { targets } = await this.parts.registry.list();
    const found = targets.find(({ id }) => id === input['target']);
    const name = found === undefined ? String(input['target']) : found.name;
    const program = withoutMarkup(quoted(name));
    const seconds = Number(input['seconds'] ?? usualSeconds);
    const pid = found?.pid ?? 0;
    const question =
      pid === 0
        ? l10n.t(
            'May BTrace record {0} for {1} s? The recording has names of its methods, files and threads.',
            program,
            seconds,
          )
        : l10n.t(
            'May BTrace record {0} (process {1}) for {2} s? The recording has names of its methods, files and threads.',
            program,
            pid,
            seconds,
          );
    return {
      confirmationMessages: {
        title: l10n.t('Record a running program?'),
        message: new MarkdownString(question),
      },
    };
  }

  async invoke(
    { input }: { readonly input: ToolInput },
    token: CancellationToken,
  ): Promise<LanguageModelToolResult> {
    const place = {
      folder: workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath ?? '',
      memoryBytes: openedMemoryBytes(),
      namesCode: workspace.isTrusted,
      mapping: await this.parts.mapping(),
    };
    const { text, isError } = await this.client.ask(this.tool.name, input, place, token);
    if (isError) throw new Error(text);
    return new LanguageModelToolResult([new LanguageModelTextPart(text)]);
  }
}

function doFor(parts: ToolParts, call: HostCall): Promise<unknown> {
  switch (call.name) {
    case 'listTargets':
      return listed(parts);
    case 'record':
      return recorded(parts, call.target, call.seconds);
    case 'source':
      return sourceOf(parts, call.file);
  }
}

/** Only what a thread can be sent. */
async function listed({ registry }: ToolParts): Promise<ListedTarget[]> {
  const { targets } = await registry.list();
  return targets.map(({ id, name, runtime, refusal }) => ({ id, name, runtime, refusal }));
}

async function recorded({ registry, recorder }: ToolParts, id: string, seconds: number): Promise<Recorded> {
  const { targets } = await registry.list();
  const target = targets.find((one) => one.id === id);
  if (target === undefined) return { refusal: 'the program has ended.' };
  const file = await recorder.recordFor(target, seconds * 1000);
  return file === undefined ? { refusal: 'the person cancelled it.' } : { file };
}

/** The workspace's file that ends with these names. */
async function sourceOf({ files }: ToolParts, file: string): Promise<FoundSource | undefined> {
  const wanted = `/${file.replaceAll('\\', '/').replace(/^\/+/, '')}`;
  const found = (await files.filesNamed(path.posix.basename(wanted)))
    .map((name) => Uri.parse(name))
    .find((uri) => uri.path.endsWith(wanted));
  if (found === undefined || (await workspace.fs.stat(found)).size > mostSourceBytes) return undefined;
  const text = new TextDecoder().decode(await workspace.fs.readFile(found));
  return { path: workspace.asRelativePath(found), text };
}
