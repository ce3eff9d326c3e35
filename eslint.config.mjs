import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { sharedFolders } from './scripts/lint/files.mjs';
import { foreignNumbers } from './scripts/lint/foreign-numbers.mjs';
import { linearRegexps } from './scripts/lint/linear-regexps.mjs';
import { roomDirection } from './scripts/lint/rooms.mjs';
import { testTime } from './scripts/lint/test-time.mjs';

export default tseslint.config(
  {
    ignores: [
      'dist',
      'build',
      'out',
      '.cache',
      'artefacts',
      'test-results',
      'native-agent',
      'test/**/fixtures',
      'node_modules',
    ],
  },
  { ...js.configs.recommended, files: ['**/*.mjs'] },
  {
    files: ['**/*.ts'],
    // Oxlint has the rules of `recommended` and `strictTypeChecked` (.oxlintrc.json), and comments of its own:
    // oxlint-disable-next-line.
    extends: [tseslint.configs.base],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: {
      btrace: {
        rules: {
          rooms: roomDirection,
          'shared-folders': sharedFolders,
          'linear-regexps': linearRegexps,
          'foreign-numbers': foreignNumbers,
          'test-time': testTime,
        },
      },
    },
    rules: {
      'btrace/rooms': 'error',
      'btrace/shared-folders': 'error',
      'no-unused-vars': 'off',
      // One style: #private members, camelCase constants.
      'no-restricted-syntax': [
        'error',
        {
          selector:
            ':matches(PropertyDefinition, MethodDefinition[kind!="constructor"], TSParameterProperty)[accessibility="private"]',
          message: 'Name a private member with #.',
        },
        {
          selector: 'VariableDeclarator > Identifier.id[name=/^[A-Z][A-Z0-9]+(_[A-Z0-9]+)*$/]',
          message: 'Name a constant in camelCase.',
        },
      ],
    },
  },
  { files: ['src/**/*.ts'], rules: { 'btrace/linear-regexps': 'error' } },
  {
    files: ['test/**/*.ts'],
    // What measures, what works for as long as it is asked to, and the stand-in for a device, which takes its time.
    ignores: [
      'test/bench/**',
      'test/soak/**',
      'test/storms/**',
      'test/rigs/storms/**',
      'test/rigs/phone/**',
      'test/rigs/until.ts',
    ],
    rules: { 'btrace/test-time': 'error' },
  },
  {
    files: ['src/trace/formats/**/*.ts'],
    ignores: ['**/*-export.ts', '**/*-writer.ts'],
    rules: { 'btrace/foreign-numbers': 'error' },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: Object.fromEntries(
        'process console URL Buffer setTimeout clearTimeout setInterval clearInterval fetch performance AbortController AbortSignal TextDecoder TextEncoder'
          .split(' ')
          .map((name) => [name, 'readonly']),
      ),
    },
  },
);
