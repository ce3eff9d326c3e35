/**
 * Texts in the language of the person's terminal. They are written in English where they are said, as in the extension, and stand
 * in the same bundles of l10n/. One bundle is read, when the first text is said. What machines read is never translated: JSON, CSV,
 * files, names of commands and options.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { errorText, withValues } from '../targets/error-texts.js';
import { packageRoot } from './package.js';

export type Bundle = Readonly<Record<string, string>>;

/** Before `speak`, and in tests of single functions, texts are in English. */
let find: () => Bundle | undefined = () => undefined;
let isForMachines = false;

/** From now on texts are in the language that `env` asks for. */
export function speak(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): void {
  let bundle: Bundle | undefined;
  let isRead = false;
  find = () => {
    if (!isRead) bundle = bundleOf(localeOf(env, platform), path.join(packageRoot(), 'l10n'));
    isRead = true;
    return bundle;
  };
}

/** Results are in English from now on, errors are not. */
export function speakToMachines(): void {
  isForMachines = true;
}

/** As POSIX has it: the first of these that is set. Windows sets none of them, and has its own setting. */
export function localeOf(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const set = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'];
  if (set) return set;
  return platform === 'win32' ? Intl.DateTimeFormat().resolvedOptions().locale : '';
}

/**
 * What the files of a locale's bundle may be called, the closest first: "zh_CN.UTF-8" → "zh-cn", "zh". Empty for English, and for a
 * terminal that has another encoding than UTF-8, where other letters than English ones would be wrong.
 */
export function languagesOf(locale: string): string[] {
  const [name = '', encoding = 'utf8'] = (locale.split('@')[0] ?? '').split('.');
  const [language = '', ...more] = name.toLowerCase().split(/[-_]/);
  if (!/^utf-?8$/i.test(encoding) || !/^[a-z]{2,3}$/.test(language) || language === 'en') return [];
  if (language === 'zh') {
    // Who reads traditional characters gets no simplified ones.
    const isTraditional = more.includes('hant') || (!more.includes('hans') && /tw|hk|mo/.test(more.join()));
    return [isTraditional ? 'zh-tw' : 'zh-cn'];
  }
  const region = more.at(-1);
  return [...(region === undefined ? [] : [`${language}-${region}`]), language];
}

function bundleOf(locale: string, folder: string): Bundle | undefined {
  for (const language of languagesOf(locale)) {
    try {
      return JSON.parse(readFileSync(path.join(folder, `bundle.l10n.${language}.json`), 'utf8')) as Bundle;
    } catch {
      // There is none of it, or it is damaged: texts are in English then.
    }
  }
  return undefined;
}

const forPeople = (): Bundle | undefined => (isForMachines ? undefined : find());

export const l10n = {
  /** A text, with its values in {0}, {1} …: as `vscode.l10n.t`. */
  t(text: string, ...values: readonly (string | number)[]): string {
    return withValues(forPeople()?.[text] || text, values);
  },

  /** Of findings, by their keys. */
  get findings(): Bundle {
    const texts = Object.entries(forPeople() ?? {}).filter(([key]) => key.startsWith('page.finding.'));
    return Object.fromEntries(texts.map(([key, text]) => [key.slice('page.'.length), text]));
  },
};

/** What went wrong, which is always for a person. */
export const errorWords = (said: string): string => errorText(said, find());

export const helpWords = (said: string): string => errorText(said, forPeople(), 'help.');
