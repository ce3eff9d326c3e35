/** All kinds of targets in one list. A source that cannot look says why and does not hide what the others found. */
import { Disposable, EventEmitter, type Event } from 'vscode';
import type { Target, TargetSource } from '../../targets/target.js';

export interface TargetListing {
  readonly targets: readonly Target[];
  readonly failures: readonly { readonly kind: string; readonly error: unknown }[];
}

export class TargetRegistry {
  readonly #sources: TargetSource[] = [];
  readonly #change = new EventEmitter<void>();
  readonly onDidChangeSources: Event<void> = this.#change.event;

  add(source: TargetSource): { dispose(): void } {
    this.#sources.push(source);
    this.#change.fire();
    return {
      dispose: () => {
        this.#sources.splice(this.#sources.indexOf(source), 1);
        this.#change.fire();
      },
    };
  }

  /** Calls `changed` when a source is told that something came or went. */
  watch(changed: () => void): Disposable {
    return Disposable.from(
      ...this.#sources.map((source) => new Disposable(source.watch?.(changed) ?? (() => undefined))),
    );
  }

  /** Calls `found` as each source answers, so that a slow device does not hold up the processes of this machine. */
  async list(signal?: AbortSignal, found?: (listing: TargetListing) => void): Promise<TargetListing> {
    const targets: Target[] = [];
    const failures: { kind: string; error: unknown }[] = [];
    await Promise.all(
      this.#sources.map(async (source) => {
        try {
          targets.push(...(await source.list(signal)));
        } catch (error) {
          if (signal?.aborted !== true) failures.push({ kind: source.kind, error });
        }
        if (signal?.aborted !== true) found?.({ targets: [...targets], failures: [...failures] });
      }),
    );
    return { targets, failures };
  }
}
