// What VS Code reads of the extension before it runs: where it may run, its settings in their order, its commands by name.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { bundles } from '../../../scripts/bundles.mjs';
import { root } from '../../../scripts/setup.mjs';
import { traceNames } from '../../../src/extension/editor/trace-names.js';
import { pageViews } from '../../../src/protocol/messages.js';
import { importers } from '../../../src/trace/formats/index.js';
import { tools } from '../../../src/tools/tools.js';

interface Setting {
  readonly order?: number;
  readonly default?: unknown;
  readonly scope?: string;
  readonly markdownDescription?: string;
  readonly enum?: readonly string[];
  readonly markdownEnumDescriptions?: readonly string[];
}

interface Manifest {
  readonly extensionKind: readonly string[];
  readonly activationEvents: readonly string[];
  readonly main: string;
  readonly browser: string;
  readonly capabilities: {
    readonly untrustedWorkspaces: {
      readonly supported: unknown;
      readonly restrictedConfigurations: readonly string[];
    };
    readonly virtualWorkspaces: { readonly supported: unknown };
  };
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly category?: string }[];
    readonly languageModelTools: readonly {
      readonly name: string;
      readonly displayName: string;
      readonly modelDescription: string;
      readonly inputSchema: unknown;
      readonly when?: string;
    }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string; readonly when: string }[]>>;
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly when?: string }[]>>;
    readonly walkthroughs: readonly {
      readonly steps: readonly { readonly id: string; readonly when?: string }[];
    }[];
    readonly taskDefinitions: readonly { readonly when?: string }[];
    readonly configuration: readonly {
      readonly title: string;
      readonly order: number;
      readonly properties: Readonly<Record<string, Setting>>;
    }[];
  };
}

const read = (name: string): unknown => JSON.parse(readFileSync(path.join(root, name), 'utf8'));
const manifest = read('package.json') as Manifest;
const texts = read('package.nls.json') as Record<string, string>;
const sections = manifest.contributes.configuration;
const pageCommands = ['find', 'exportHtml', ...pageViews].map((name) => `page.${name}`);
const settings = sections.flatMap(({ properties }) => Object.entries(properties));

describe('the manifest', () => {
  it('has the extension run where the workspace is, or in the browser alone, and only when it is used', () => {
    assert.deepEqual(manifest.extensionKind, ['workspace']);
    const outputs = bundles().map(({ outfile }) => `./${outfile}`);
    assert.ok(outputs.includes(manifest.main));
    assert.ok(outputs.includes(manifest.browser));
    // VS Code's host in a browser takes a ".js" of a package of modules for one, and loads none.
    assert.match(manifest.browser, /\.cjs$/);
    assert.deepEqual(manifest.activationEvents, []);
    assert.equal(manifest.capabilities.untrustedWorkspaces.supported, 'limited');
    assert.equal(manifest.capabilities.virtualWorkspaces.supported, 'limited');
  });

  it('offers to open each kind of file that is read, in the explorer and in the title of an editor', () => {
    const found = ['explorer/context', 'editor/title'].map((place) =>
      manifest.contributes.menus[place]!.filter(({ command }) => command === 'btrace.openWith').map(
        ({ when }) => new RegExp(/=~ \/(.+?)\/i/.exec(when)![1]!, 'i'),
      ),
    );
    assert.deepEqual(found[0], found[1]);
    const [certain, possible] = found[0]!;
    for (const { id, extensions } of importers) {
      if (id === 'btrace') continue;
      for (const one of extensions) {
        const name = `x${one}`;
        assert.ok(certain!.test(name) !== possible!.test(name), `${id}: ${name} has one row in each menu`);
      }
    }
    for (const any of ['x.json', 'x.txt', 'x.xml']) assert.ok(!certain!.test(any), any);
    assert.deepEqual(traceNames, certain, 'offered once a file is open, too');
  });

  it('has its settings in sections, each in its place, with a default and what it is for', () => {
    assert.deepEqual(
      sections.map(({ order }) => order),
      sections.map((_, at) => at + 1),
    );
    for (const { title, properties } of sections) {
      assert.ok(texts[title.replaceAll('%', '')], title);
      assert.deepEqual(
        Object.values(properties).map(({ order }) => order),
        Object.keys(properties).map((_, at) => at),
        title,
      );
    }
    for (const [name, setting] of settings) {
      assert.notEqual(setting.default, undefined, name);
      assert.ok(texts[setting.markdownDescription?.replaceAll('%', '') ?? ''], name);
      const told = setting.markdownEnumDescriptions?.map((key) => texts[key.replaceAll('%', '')]);
      assert.equal(told?.filter(Boolean).length, setting.enum?.length, `${name}: what each choice means`);
    }
  });

  it('keeps settings that name places of one machine with that machine, and those of strangers out', () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    const ofMachines = settings.filter(([, { scope }]) => scope === 'machine-overridable');
    assert.deepEqual(ofMachines.map(([name]) => name).sort(), restrictedConfigurations.toSorted());
  });

  it('lets no workspace say that the agent is loaded into native programs', () => {
    const [, nativeFrom] = settings.find(([name]) => name === 'btrace.recording.nativeFrom') ?? [];
    assert.deepEqual([nativeFrom?.scope, nativeFrom?.default], ['machine', 'outside']);
  });

  it('offers only what needs no computer where there is none behind the window', () => {
    const { commands, menus, views, walkthroughs, languageModelTools, taskDefinitions } =
      manifest.contributes;
    const inBrowser = ({ when = '' }: { readonly when?: string }): boolean =>
      !/^(?:false|(?:.* && \()?!isWeb \|\| remoteName\)?)$/.test(when);
    const palette = new Map(menus['commandPalette']!.map((row) => [row.command, row]));
    const offered = commands.map(({ command }) => command).filter((one) => inBrowser(palette.get(one) ?? {}));
    assert.deepEqual(
      offered.map((one) => one.replace('btrace.', '')).sort(),
      [...['compareWith', 'forgetSources', 'openRecording', 'openSample', 'showLog'], ...pageCommands].sort(),
    );
    const known = new Set([...offered, 'btrace.openWith']);
    for (const [place, rows] of Object.entries(menus))
      for (const row of rows.filter(inBrowser))
        assert.ok(
          known.has(row.command),
          `${row.command} in ${place}, where it says that it needs a computer`,
        );
    const ids = views['btrace']!.filter(inBrowser).map(({ id }) => id);
    assert.deepEqual(ids, ['btrace.recordings']);
    const steps = walkthroughs.flatMap((one) => one.steps).filter(inBrowser);
    assert.deepEqual(
      steps.map(({ id }) => id),
      ['sample', 'read'],
    );
    assert.deepEqual([...languageModelTools, ...taskDefinitions].filter(inBrowser), []);
  });

  it('has all its commands under one name', () => {
    for (const { command, category } of manifest.contributes.commands)
      assert.equal(category, 'BTrace', command);
  });

  it('tells of every setting that a text speaks of by its name', () => {
    const known = new Set(settings.map(([name]) => name));
    const spoken = Object.values(texts)
      .concat(Object.values(read('l10n/bundle.l10n.json') as Record<string, string>))
      .flatMap(
        (text) => text.match(/\bbtrace\.(recording|figures|sources|files|adb|ios|agent|chart)\.\w+/g) ?? [],
      );
    assert.ok(spoken.length > 0);
    assert.deepEqual(
      spoken.filter((name) => !known.has(name)),
      [],
    );
  });

  it('has Record first of what the palette lists for “BTrace: Rec”, in the order of names as VS Code has it', () => {
    const { commands, menus } = (
      read('package.json') as {
        contributes: {
          commands: readonly { readonly command: string; readonly title: string }[];
          menus: { readonly commandPalette: readonly { readonly command: string; readonly when: string }[] };
        };
      }
    ).contributes;
    // What is there only at times does not come before it for a newcomer.
    const always = commands.filter(
      ({ command }) =>
        !menus.commandPalette.some((one) => one.command === command && one.when !== '!isWeb || remoteName'),
    );
    const listed = always
      .map(({ title }) => texts[title.replaceAll('%', '')] ?? '')
      .filter((title) => /\brec/i.test(title))
      .sort((one, other) => one.localeCompare(other));
    assert.equal(listed[0], 'Record…', listed.join('; '));
  });

  it('has the tools for language models as the sources have them', () => {
    assert.deepEqual(
      manifest.contributes.languageModelTools.map((tool) => ({
        name: tool.name,
        title: texts[tool.displayName.slice(1, -1)],
        description: tool.modelDescription,
        inputSchema: tool.inputSchema,
      })),
      tools.map(({ name, title, description, inputSchema }) => ({ name, title, description, inputSchema })),
    );
  });
});
