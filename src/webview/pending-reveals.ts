/** What the editor asked the page to show, until there is something to show it in. */
import type { SourceKey, ThreadStretch } from '../protocol/messages.js';
import type { ViewContext } from './model.js';
import type { PageCommands } from './page-commands.js';

export class PendingReveals {
  readonly #context: ViewContext;
  readonly #commands: PageCommands;
  #method: SourceKey | undefined;
  #stretch: ThreadStretch | undefined;

  constructor(context: ViewContext, commands: PageCommands) {
    this.#context = context;
    this.#commands = commands;
  }

  /** A lens of the editor was clicked: the method in every view. */
  method(key: SourceKey): void {
    this.#method = key;
    // The editor knows names as written only.
    this.#context.store.set({ namesAsRecorded: false });
    this.#showMethod();
  }

  stretch(stretch: ThreadStretch): void {
    this.#stretch = stretch;
    this.#showStretch();
  }

  /** After the model has taken more. */
  show(): void {
    this.#showMethod();
    this.#showStretch();
  }

  /** A name, or a call of it, may come with the rest. */
  get #isWhole(): boolean {
    const { snapshot } = this.#context.model;
    return snapshot !== undefined && snapshot.toCome === undefined;
  }

  #showMethod(): void {
    const key = this.#method;
    if (key === undefined || !this.#isWhole) return;
    const overloads = this.#context.model.names.find(key.className, key.method);
    if (overloads.length === 0) return;
    this.#method = undefined;
    void this.#showOverload(overloads, key.signature);
  }

  async #showOverload(overloads: readonly number[], signature: string): Promise<void> {
    const { actions } = this.#context;
    const keys = await Promise.all(
      overloads.length > 1 ? overloads.map((method) => actions.ask({ kind: 'source', method })) : [],
    );
    const method = overloads[keys.findIndex((key) => key.signature === signature)] ?? overloads[0];
    if (method !== undefined) this.#commands.reveal(method);
  }

  #showStretch(): void {
    const stretch = this.#stretch;
    if (stretch === undefined || !this.#isWhole) return;
    this.#stretch = undefined;
    this.#commands.showStretch(stretch);
  }
}
