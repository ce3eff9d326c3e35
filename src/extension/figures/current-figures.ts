/** Which recording's figures the editor shows: the one opened last, or the one that led to a source last, until they are hidden. */
import { commands, EventEmitter, type Disposable, type Event, type LogOutputChannel, type Uri } from 'vscode';
import type { SourceKey } from '../../protocol/messages.js';
import type { SourceIndex } from '../../symbols/find-source.js';
import { FiguresByDocument } from './document-figures.js';
import { EngineClient } from '../engine/engine-client.js';
import type { KnownRetraceMappings } from '../engine/engine-messages.js';
import { Figures } from './figures.js';

export class CurrentFigures implements Disposable {
  readonly documents: FiguresByDocument;
  readonly #change = new EventEmitter<void>();
  /** Other figures, or none, or they are to be shown otherwise. */
  readonly onDidChange: Event<void> = this.#change.event;
  #figures: Figures | undefined;
  #loading: EngineClient | undefined;
  #loadingOf = '';
  readonly #extensionPath: string;

  constructor(extensionPath: string, files: SourceIndex, log: LogOutputChannel) {
    this.#extensionPath = extensionPath;

    this.documents = new FiguresByDocument(files, log);
  }

  get figures(): Figures | undefined {
    return this.#figures;
  }

  /** Reads a recording's figures. A later call ends an earlier one. What was shown stays until the new ones are there. */
  async show(recording: Uri, mapping: KnownRetraceMappings): Promise<boolean> {
    this.#loading?.dispose();
    const engine = (this.#loading = new EngineClient(this.#extensionPath));
    this.#loadingOf = recording.toString();
    try {
      const columns = await engine.open(recording, mapping);
      if (this.#loading !== engine) return false;
      this.#loading = undefined;
      this.#replace(new Figures(recording, columns, engine));
      return true;
    } catch (error) {
      engine.dispose();
      if (this.#loading !== engine) return false; // ended by a later call
      this.#loading = undefined;
      throw error;
    }
  }

  /** Whether the figures are of this recording, or soon will be. */
  isOf(recording: Uri): boolean {
    const shown = this.#loading === undefined ? this.#figures?.recording.toString() : this.#loadingOf;
    return shown === recording.toString();
  }

  /** The recording has another name now. */
  renamed(from: Uri, to: Uri): void {
    if (this.#figures?.recording.toString() === from.toString()) this.#figures.recording = to;
  }

  hide(): void {
    this.#endLoading();
    this.#replace(undefined);
  }

  /** The settings changed. */
  redraw(): void {
    this.#change.fire();
  }

  /** A row's method as the page knows it. */
  keyOf(row: number): SourceKey | undefined {
    const columns = this.#figures?.columns;
    if (columns === undefined || row < 0 || row >= columns.count) return undefined;
    return {
      className: columns.className[row] ?? '',
      method: columns.name[row] ?? '',
      signature: columns.signature[row] ?? '',
      file: columns.file[row] ?? '',
      line: columns.firstLine[row] ?? 0,
    };
  }

  #endLoading(): void {
    this.#loading?.dispose();
    this.#loading = undefined;
  }

  #replace(next: Figures | undefined): void {
    const before = this.#figures;
    this.#figures = next;
    before?.engine.dispose();
    void commands.executeCommand('setContext', 'btrace.figures', next !== undefined);
    this.#change.fire();
  }

  dispose(): void {
    this.#endLoading();
    this.#figures?.engine.dispose();
    this.#change.dispose();
  }
}
