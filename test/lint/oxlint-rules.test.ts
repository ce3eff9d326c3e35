import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { root } from '../../scripts/setup.mjs';

type Rules = Readonly<Record<string, unknown>>;

/** Of typescript-eslint's strict rules Oxlint lacks these. */
const lacking = ['typescript/no-unsafe-class-instance-assignment'];

describe('.oxlintrc.json', () => {
  const { overrides } = JSON.parse(readFileSync(path.join(root, '.oxlintrc.json'), 'utf8')) as {
    overrides: readonly { readonly rules: Rules }[];
  };
  const { rules } = overrides[0]!;

  it("has all of ESLint's recommended rules that TypeScript does not make needless", () => {
    const needless = { ...tseslint.configs.eslintRecommended.rules } as Rules;
    const wanted = Object.keys(js.configs.recommended.rules).filter((name) => needless[name] !== 'off');
    assert.ok(wanted.length > 40);
    assert.deepEqual(
      wanted.filter((name) => !(name in rules)),
      ['no-octal'], // an error of syntax in a module
    );
  });

  it("has all of typescript-eslint's strict rules that Oxlint has", () => {
    const strict = tseslint.configs.strictTypeChecked.flatMap((one) => Object.entries(one.rules ?? {}));
    const wanted = strict
      .filter(([, level]) => level !== 'off')
      .map(([name]) => name.replace('@typescript-eslint/', 'typescript/'));
    assert.ok(wanted.length > 70);
    assert.deepEqual(
      wanted.filter((name) => !(name in rules)),
      lacking,
    );
    assert.deepEqual(
      Object.keys(rules).filter((name) => rules[name] === 'off'),
      [],
    );
  });
});
