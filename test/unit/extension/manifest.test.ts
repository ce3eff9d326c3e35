// What VS Code reads of the extension before it runs: where it may run, its settings in their order, its commands by name.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { root } from '../../../scripts/setup.mjs';

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
  readonly browser?: string;
  readonly capabilities: {
    readonly untrustedWorkspaces: {
      readonly supported: unknown;
      readonly restrictedConfigurations: readonly string[];
    };
    readonly virtualWorkspaces: { readonly supported: unknown };
  };
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly category?: string }[];
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
const settings = sections.flatMap(({ properties }) => Object.entries(properties));

describe('the manifest', () => {
  it('has the extension run where the workspace is, whatever brings it there, and only when it is used', () => {
    assert.deepEqual(manifest.extensionKind, ['workspace']);
    assert.equal(manifest.browser, undefined);
    assert.deepEqual(manifest.activationEvents, []);
    assert.equal(manifest.capabilities.untrustedWorkspaces.supported, 'limited');
    assert.equal(manifest.capabilities.virtualWorkspaces.supported, 'limited');
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

  it('has all its commands under one name', () => {
    for (const { command, category } of manifest.contributes.commands)
      assert.equal(category, 'BTrace', command);
  });

  it('tells of every setting that a text speaks of by its name', () => {
    const known = new Set(settings.map(([name]) => name));
    const spoken = Object.values(texts)
      .concat(Object.values(read('l10n/bundle.l10n.json') as Record<string, string>))
      .flatMap(
        (text) => text.match(/\bbtrace\.(recording|figures|sources|files|adb|agent|chart)\.\w+/g) ?? [],
      );
    assert.ok(spoken.length > 0);
    assert.deepEqual(
      spoken.filter((name) => !known.has(name)),
      [],
    );
  });
});
