/** What one open text shows: its declarations with their figures. Scanned once a version; the text as first seen tells whether it was edited. */
import { workspace, type LogOutputChannel, type TextDocument, type Uri } from 'vscode';
import { findSource, type SourceIndex } from '../../symbols/find-source.js';
import { fittingPlaces } from '../../symbols/fitting-places.js';
import { matchDeclarations, type RecordedMethod } from '../../symbols/match-declarations.js';
import { languageOf, scanDeclarations, type Declaration } from '../../symbols/scan/declarations.js';
import { packageOf } from '../../symbols/scan/package-of.js';
import { withoutLosses, type OutlinedText } from '../../symbols/scan/half-typed.js';
import { baseName } from '../base-name.js';
import type { Figures } from './figures.js';

/** Beyond this a text is generated, and scanning it would take the host's thread for more than 50 ms. */
const maxCharacters = 900_000;

export interface DeclarationFigures {
  readonly declaration: Declaration;
  /** Of the figures, the heaviest first. Several where one declaration became several methods. */
  readonly rows: readonly number[];
}

export interface DocumentFigures {
  readonly declarations: readonly DeclarationFigures[];
  /** All rows of this file, also those that belong to no declaration: for line figures. */
  readonly rows: readonly number[];
  /** The text is not what was recorded. */
  readonly stale: boolean;
}

interface Known {
  readonly figures: Figures;
  /** The text that the figures are about, as far as one can tell: undefined when it was changed before they came. */
  readonly recorded: string | undefined;
  /** The class of this name that was recorded is that of another file. */
  readonly isOther: boolean;
  /** As it was when nothing in it was half typed, and its package. */
  whole: (OutlinedText & { readonly packageName: string }) | undefined;
  version: number;
  shown: DocumentFigures;
}

const none: DocumentFigures = { declarations: [], rows: [], stale: false };

export class FiguresByDocument {
  readonly #known = new WeakMap<TextDocument, Known>();
  readonly #files: SourceIndex;
  readonly #log: LogOutputChannel;

  constructor(files: SourceIndex, log: LogOutputChannel) {
    this.#files = files;
    this.#log = log;
  }

  /** Immediate but for the first time, when the file's time is looked at. */
  of(document: TextDocument, figures: Figures): DocumentFigures | Promise<DocumentFigures> {
    const name = baseName(document.uri);
    if (languageOf(name) === undefined || !figures.mayHold(name)) return none;
    const known = this.#known.get(document);
    if (known?.figures === figures) return this.#update(document, known);
    return this.#first(document, figures);
  }

  /** What is known already, without looking. */
  peek(document: TextDocument, figures: Figures): DocumentFigures | undefined {
    const known = this.#known.get(document);
    return known?.figures === figures ? known.shown : undefined;
  }

  async #first(document: TextDocument, figures: Figures): Promise<DocumentFigures> {
    const [recorded, isOther] = await Promise.all([
      recordedText(document, figures.columns.startedMs),
      this.#isOther(document, figures),
    ]);
    const again = this.#known.get(document);
    if (again?.figures === figures) return this.#update(document, again);
    const known: Known = {
      figures,
      recorded,
      isOther,
      whole: again?.whole,
      version: -1,
      shown: none,
    };
    this.#known.set(document, known);
    if (document.getText().length > maxCharacters)
      this.#log.info(`${document.fileName}: no figures in a text of more than ${maxCharacters} characters.`);
    // What is half typed already hides nothing that was recorded.
    if (recorded !== undefined && document.isDirty) scan(recorded, baseName(document.uri), known);
    return this.#update(document, known);
  }

  #update(document: TextDocument, known: Known): DocumentFigures {
    if (known.version === document.version) return known.shown;
    known.shown = known.isOther ? none : scan(document.getText(), baseName(document.uri), known);
    known.version = document.version;
    return known.shown;
  }

  /** Two modules may have a class of one name: its figures are those of the one where the lines fit. */
  async #isOther(document: TextDocument, figures: Figures): Promise<boolean> {
    const rows = figures.rowsOf(packageOf(document.getText()), baseName(document.uri));
    const [first] = rows;
    if (first === undefined) return false;
    const { className, file } = figures.columns;
    const frame = { className: className[first] ?? '', file: file[first] ?? '' };
    const { signal } = new AbortController();
    const wanted = { ...frame, method: '', signature: '', line: 0 };
    const { places } = await findSource(wanted, this.#files, signal);
    const isThis = (place: { readonly file: string }): boolean => place.file === document.uri.toString();
    if (!places.some(isThis)) return false;
    return !(await fittingPlaces(places, recordedMethods(figures, rows), this.#files, signal)).some(isThis);
  }
}

function scan(text: string, file: string, known: Known): DocumentFigures {
  const language = languageOf(file);
  if (language === undefined || text.length > maxCharacters) return none;
  const { figures, whole } = known;
  const scanned = scanDeclarations(text, language, file);
  const own = figures.rowsOf(scanned.packageName, file);
  // The name of the package may be what is just being typed.
  const rows = own.length > 0 || whole === undefined ? own : figures.rowsOf(whole.packageName, file);
  const declarations =
    whole === undefined ? scanned.declarations : withoutLosses({ text, ...scanned }, whole);
  const natives = language === 'cpp' ? nativesIn(declarations, figures) : [];
  if (rows.length === 0 && natives.length === 0) return none;
  if (declarations === scanned.declarations && own.length + natives.length > 0)
    known.whole = { text, ...scanned };
  const stale = text !== known.recorded;
  const methods = [...recordedMethods(figures, rows), ...natives.map(({ method }) => method)];
  const allRows = [...rows, ...natives.map(({ row }) => row)];
  const matched = matchDeclarations(declarations, methods, stale);
  const { totalWallNs } = figures.columns;
  return {
    stale,
    rows: allRows,
    declarations: declarations
      .map((declaration, at) => ({
        declaration,
        rows: (matched[at] ?? [])
          .map((index) => allRows[index])
          .filter((row) => row !== undefined)
          .sort((one, other) => (totalWallNs[other] ?? 0) - (totalWallNs[one] ?? 0)),
      }))
      .filter((one) => one.rows.length > 0),
  };
}

/** Functions of no known file that this text declares. */
function nativesIn(
  declarations: readonly Declaration[],
  figures: Figures,
): { row: number; method: RecordedMethod }[] {
  const names = new Set(declarations.map(({ name }) => name));
  return [...names].flatMap((name) =>
    figures.nativesNamed(name).map(({ row, parameters }) => ({
      row,
      method: { className: '', name, signature: '', parameters, firstLine: 0 },
    })),
  );
}

function recordedMethods({ columns }: Figures, rows: readonly number[]): RecordedMethod[] {
  return rows.map((row) => ({
    className: withoutPackage(columns.className[row] ?? ''),
    name: columns.name[row] ?? '',
    signature: columns.signature[row] ?? '',
    firstLine: columns.firstLine[row] ?? 0,
  }));
}

function withoutPackage(className: string): string {
  return className.slice(className.lastIndexOf('.') + 1);
}

/**
 * The text that was recorded: as the file has it, also where edits are not saved yet. Undefined where it was written since. Taken before the
 * file's time is looked at: what is saved meanwhile is not taken for what was recorded.
 */
async function recordedText(document: TextDocument, startedMs: number): Promise<string | undefined> {
  const text = document.isDirty ? await savedText(document.uri) : document.getText();
  return (await unchangedSince(document, startedMs)) ? text : undefined;
}

async function savedText(file: Uri): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await workspace.fs.readFile(file));
  } catch {
    return undefined; // never saved
  }
}

/** Whether the file was last written before the recording began. A file without a time counts as unchanged. */
async function unchangedSince(document: TextDocument, startedMs: number): Promise<boolean> {
  if (startedMs === 0) return true;
  try {
    const { mtime } = await workspace.fs.stat(document.uri);
    return mtime <= startedMs;
  } catch {
    return true; // not on a disk
  }
}
