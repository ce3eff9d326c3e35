import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import { roomDirection } from './scripts/lint/rooms.mjs';

export default tseslint.config(
  {
    ignores: [
      'dist',
      'build',
      'out',
      '.cache',
      'artefacts',
      'native-agent',
      'test/**/fixtures',
      'node_modules',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './src/trace/tsconfig.json', './src/webview/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    plugins: { btrace: { rules: { rooms: roomDirection } } },
    rules: {
      'btrace/rooms': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unused-expressions': 'off',
    },
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
