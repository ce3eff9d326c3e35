/** What a retrace mapping does to the open trace: which classes are needed, and whether the person wants them retraced. */
import type { PageRetraceMapping, WantedRetraceMapping } from '../../protocol/messages.js';
import { recordedMapId } from '../../symbols/r8/map-id.js';
import { RetraceMapping } from '../../symbols/r8/retrace-mapping.js';
import { classNames, mayBeMapped, retraceTrace } from '../../symbols/r8/retrace-trace.js';
import type { Trace } from '../../trace/model/trace.js';

export class Retracing {
  #source: PageRetraceMapping | undefined;
  #asRecorded = false;
  #mapping: RetraceMapping | undefined;
  /** How many methods there were when classes were asked for last. */
  #askedFor = -1;
  #isWaiting = false;
  #mapId = '';

  /** Another recording. */
  reset(): void {
    this.#mapping = undefined;
    this.#askedFor = -1;
    this.#isWaiting = false;
    this.#mapId = '';
  }

  /** Whether anything is other than before. */
  use(source: PageRetraceMapping | undefined, asRecorded: boolean): boolean {
    const isOther = source?.chosen !== this.#source?.chosen;
    const isSame = !isOther && asRecorded === this.#asRecorded;
    this.#source = source;
    this.#asRecorded = asRecorded;
    if (isOther) this.reset();
    return !isSame;
  }

  /** What the host answered; empty where it has none. */
  take(text: string): void {
    this.#isWaiting = false;
    const mapping = new RetraceMapping(text);
    this.#mapping = mapping.classCount > 0 ? mapping : undefined;
  }

  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** What to ask the host for; undefined: nothing new. Where it had none it is asked again at the end only. */
  wanted(trace: Trace, isLive: boolean): WantedRetraceMapping | undefined {
    const { count } = trace.methods;
    if (isLive && this.#askedFor >= 0 && this.#mapping === undefined) return undefined;
    if (this.#source === undefined || this.#isWaiting || count === this.#askedFor) return undefined;
    if (!mayBeMapped(trace, this.#source.chosen !== '')) return undefined;
    this.#askedFor = count;
    this.#isWaiting = true;
    this.#mapId = recordedMapId(trace.methods);
    return { classes: [...classNames(trace)], mapId: this.#mapId };
  }

  /** Of the mapping that the recorded build has; empty: not known. */
  get mapId(): string {
    return this.#mapId;
  }

  /** Of the mapping, where it is newer than what is read here; else empty. */
  get newerVersion(): string {
    return this.#mapping?.newerVersion ?? '';
  }

  /** Whether names are as written; undefined where there is no mapping to choose by. */
  get isRetraced(): boolean | undefined {
    return this.#mapping === undefined ? undefined : !this.#asRecorded;
  }

  applied(trace: Trace): Trace {
    return this.#mapping === undefined || this.#asRecorded ? trace : retraceTrace(trace, this.#mapping);
  }
}
