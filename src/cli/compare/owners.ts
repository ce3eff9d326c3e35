/** Whose a call is: by CODEOWNERS, by a map of packages, else the last author of its lines. Names stay on this machine. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { RunPlace } from '../../trace/compare/run-sets.js';
import type { NamePattern } from './limit.js';

const run = promisify(execFile);
/** git must not wait for a person or a network. */
const gitLimits = { timeout: 20_000, maxBuffer: 64 * 2 ** 20 };

export interface Owned {
  readonly owner: string;
  /** In the repository; empty: it is not there. */
  readonly file: string;
  readonly line: number;
}

const nobody: Owned = { owner: '', file: '', line: 0 };

interface Rule {
  readonly pattern: NamePattern;
  readonly owners: string;
}

export class Owners {
  readonly #folder: string;
  readonly #rules: readonly Rule[];
  readonly #packages: readonly (readonly [prefix: string, owner: string])[];
  /** Files of the repository by their last name. */
  readonly #files: ReadonlyMap<string, readonly string[]>;

  private constructor(
    folder: string,
    rules: readonly Rule[],
    packages: Owners['packages'],
    files: ReadonlyMap<string, readonly string[]>,
  ) {
    this.#folder = folder;
    this.#rules = rules;
    this.#packages = packages;
    this.#files = files;
  }

  get packages(): readonly (readonly [prefix: string, owner: string])[] {
    return this.#packages;
  }

  /** `codeowners` and `packages` are files; the first is looked for where GitHub does. */
  static async read(folder: string, codeowners?: string, packages?: string): Promise<Owners> {
    const usual = ['CODEOWNERS', '.github/CODEOWNERS', 'docs/CODEOWNERS'].map((name) =>
      path.join(folder, name),
    );
    const texts = codeowners === undefined ? usual : [codeowners];
    let rules: Rule[] = [];
    for (const file of texts) {
      const text = await readFile(file, 'utf8').catch((error: unknown) => {
        if (codeowners !== undefined) throw error;
        return undefined;
      });
      if (text !== undefined) {
        rules = codeownersRules(text);
        break;
      }
    }
    const map = packages === undefined ? '' : await readFile(packages, 'utf8');
    const prefixes = map.split(/\r?\n/).flatMap((line) => {
      const [prefix = '', owner = ''] = (line.split('#')[0] ?? '').trim().split(/[\s=]+/);
      return owner === '' ? [] : [[prefix, owner] as const];
    });
    // The longest prefix says most.
    prefixes.sort(([a], [b]) => b.length - a.length);
    const listed = await run('git', ['-C', folder, 'ls-files', '-z'], gitLimits).catch(() => undefined);
    const files = new Map<string, string[]>();
    for (const file of listed?.stdout.split('\0') ?? []) {
      const base = path.posix.basename(file);
      const before = files.get(base);
      if (before === undefined) files.set(base, [file]);
      else before.push(file);
    }
    return new Owners(folder, rules, prefixes, files);
  }

  /** The owner of the innermost call that is in the repository, or in the map of packages. */
  async of(places: readonly RunPlace[]): Promise<Owned> {
    for (const place of [...places].reverse()) {
      const file = this.#fileOf(place);
      const rule = file === '' ? undefined : this.#rules.findLast(({ pattern }) => pattern.test(file));
      const mapped = this.#packages.find(
        ([prefix]) => place.className === prefix || place.className.startsWith(`${prefix}.`),
      );
      const owner =
        rule?.owners ?? mapped?.[1] ?? (file === '' ? '' : await this.#lastAuthor(file, place.line));
      if (owner !== '') return { owner, file, line: place.line };
    }
    return nobody;
  }

  /** A file of that name in the folder of its package. */
  #fileOf({ className, file }: RunPlace): string {
    if (file === '') return '';
    const packages = className.split('.').slice(0, -1).join('/');
    const wanted = packages === '' ? file : `${packages}/${file}`;
    return this.#files.get(file)?.find((one) => one === wanted || one.endsWith(`/${wanted}`)) ?? '';
  }

  async #lastAuthor(file: string, line: number): Promise<string> {
    const at = line > 0 ? ['-L', `${line},+1`] : [];
    const args = ['-C', this.#folder, 'blame', '--porcelain', ...at, '--', file];
    const told = await run('git', args, gitLimits).catch(() => undefined);
    return /^author (.+)$/m.exec(told?.stdout ?? '')?.[1] ?? '';
  }
}

/** As .gitignore's patterns; the last rule that fits holds. One without owners takes them away. */
export function codeownersRules(text: string): Rule[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [pattern = '', ...owners] = (line.split('#')[0] ?? '').trim().split(/\s+/);
    return pattern === '' ? [] : [{ pattern: pathPattern(pattern), owners: owners.join(' ') }];
  });
}

function pathPattern(pattern: string): NamePattern {
  const isRooted = pattern.replace(/\/$/, '').includes('/');
  const steps = pattern
    .replace(/^\//, '')
    .replace(/\/$/, '')
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .flatMap((part) => (wildcards.has(part) ? part : part.split('')));
  return { test: (file) => fitsPath(file, steps, isRooted) };
}

const wildcards: ReadonlySet<string> = new Set(['**/', '**', '*', '?']);

/** Follows all ways through the pattern at once, so that no file takes longer than its length times the pattern's. */
function fitsPath(file: string, steps: readonly string[], isRooted: boolean): boolean {
  let places = new Set<number>();
  for (let at = 0; at <= file.length; at++) {
    const isFolderStart = at === 0 || file[at - 1] === '/';
    if (at === 0 || (isFolderStart && !isRooted)) places.add(0);
    // What is added on the way is visited, too.
    for (const place of places) {
      const step = steps[place];
      if (step === '*' || step === '**' || (step === '**/' && isFolderStart)) places.add(place + 1);
    }
    const letter = file[at];
    if (places.has(steps.length) && (letter === undefined || letter === '/')) return true;
    const next = new Set<number>();
    for (const place of places) {
      const step = steps[place];
      if (step === '**' || step === '**/' || (step === '*' && letter !== '/')) next.add(place);
      else if (step === letter || (step === '?' && letter !== '/')) next.add(place + 1);
    }
    places = next;
  }
  return false;
}
