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
    const sources = [...this.#sources].sort((a, b) => rankOf(a) - rankOf(b));
    const answers = new Map<TargetSource, readonly Target[]>();
    const failures: { kind: string; error: unknown }[] = [];
    // In the order of ranks: of a list whose rows stay where they are, the first are those that are looked for most.
    const targets = (isWhole: boolean): Target[] => {
      const isMissing = (source: TargetSource): boolean =>
        !answers.has(source) && !failures.some(({ kind }) => kind === source.kind);
      const waiting = isWhole ? Infinity : Math.min(...sources.filter(isMissing).map(rankOf));
      return sources.flatMap((source) => (isHeldBack(source, waiting) ? [] : (answers.get(source) ?? [])));
    };
    await Promise.all(
      sources.map(async (source) => {
        try {
          answers.set(source, await source.list(signal));
        } catch (error) {
          if (signal?.aborted !== true) failures.push({ kind: source.kind, error });
        }
        if (signal?.aborted !== true) found?.({ targets: targets(false), failures: [...failures] });
      }),
    );
    return { targets: targets(true), failures };
  }
}

/** Java programs, then apps, then the many programs that are neither. */
const ranks: Readonly<Record<string, number>> = { local: 0, android: 1, ios: 1, native: 2 };

function rankOf({ kind }: TargetSource): number {
  return ranks[kind] ?? 1;
}

/** Native programs, of which any machine has dozens, do not come before the Java programs of it. */
function isHeldBack(source: TargetSource, firstMissing: number): boolean {
  return source.kind === 'native' && firstMissing === ranks['local'];
}
