/**
 * What the extension and the page say to each other; both sides import it and it imports nothing.
 * src/webview/README.md says how a host embeds the page.
 *
 * The page holds the engine: it gets the recording's bytes and decodes them in its own worker, so that pan, zoom and
 * selection never cross to the extension host, and the same page works alone in an exported HTML file.
 */

/** Who a frame is, as far as the runtime knows; what the extension needs to find its source. */
export interface SourceKey {
  readonly className: string;
  readonly method: string;
  readonly signature: string;
  readonly file: string;
  readonly line: number;
}

/** From one time of the recording to another. */
export interface ThreadStretch {
  /** Its index in the recording. */
  readonly thread: number;
  readonly beginNs: number;
  readonly endNs: number;
}

/**
 * Where a source opens: beside the recording, which keeps the keyboard (`peek`) or gives it away (`go`); or in the
 * recording's own place (`replace`).
 */
export const sourceOpenings = ['peek', 'go', 'replace'] as const;
export type SourceOpening = (typeof sourceOpenings)[number];

/** Names of the code of one file, or of what one process made at run time. */
export interface CodeNames {
  readonly path: string;
  /** In hexadecimal digits; empty: not known. */
  readonly buildId: string;
  readonly pid: number;
  readonly offsets: readonly number[];
  /** For each offset the functions there, the innermost first. */
  readonly frames: readonly (readonly CodeFrame[])[];
}

export interface CodeFrame {
  readonly name: string;
  readonly file: string;
  /** From 1; 0: not known. */
  readonly line: number;
}

/** The extension → the page. */
export type HostMessage =
  | {
      readonly type: 'open';
      readonly name: string;
      readonly totalBytes: number;
      readonly live: boolean;
      readonly settings: PageSettings;
    }
  /** Bytes of the file in order; more of the same may follow while `live`. */
  | { readonly type: 'bytes'; readonly offset: number; readonly data: ArrayBuffer }
  /** Names of code that stand in other files, which the page cannot read. After the bytes, before their end. */
  | { readonly type: 'codeNames'; readonly names: readonly CodeNames[] }
  /** All bytes were sent: the recording is final. */
  | { readonly type: 'end' }
  | { readonly type: 'settings'; readonly settings: PageSettings }
  /** Another recording to compare this one with, then its bytes in order and their end. */
  | { readonly type: 'baseline'; readonly name: string; readonly totalBytes: number }
  | { readonly type: 'baselineBytes'; readonly data: ArrayBuffer }
  | { readonly type: 'baselineCodeNames'; readonly names: readonly CodeNames[] }
  | { readonly type: 'baselineEnd' }
  /** None any more, or why there is none. */
  | { readonly type: 'noBaseline'; readonly name: string; readonly why: string }
  /** Sources that the recording names and that were written after it began, as the person knows them. */
  | { readonly type: 'changedSources'; readonly files: readonly string[] }
  /** Show this method: select it in every view. */
  | { readonly type: 'reveal'; readonly key: SourceKey }
  /** Show this stretch of a thread on the timeline. */
  | ({ readonly type: 'revealStretch' } & ThreadStretch)
  | { readonly type: 'problem'; readonly message: string }
  /** Answers the page's `wantRetraceMapping`. */
  | ({ readonly type: 'retraceMapping' } & RetraceExcerpt)
  | { readonly type: 'command'; readonly command: PageCommand };

/** The page's views, in the order of their tabs. */
export const pageViews = [
  'overview',
  'timeline',
  'flameGraph',
  'callTree',
  'bottomUp',
  'methods',
  'callers',
  'messages',
  'compare',
] as const;
export type PageView = (typeof pageViews)[number];

export type PageCommand =
  | PageView
  | 'find'
  | 'help'
  | 'zoomIn'
  | 'zoomOut'
  | 'zoomAll'
  | 'copyName'
  | 'exportHtml';

/** Of an R8 or ProGuard mapping; both empty where there is none. */
export interface RetraceExcerpt {
  /** As the person knows it. */
  readonly file: string;
  /** What of it the classes need that were asked for. */
  readonly text: string;
  /** A person chose it, but it says that it is of another build. */
  readonly isOther?: boolean | undefined;
}

/** What a trace needs of a mapping. */
export interface WantedRetraceMapping {
  readonly classes: readonly string[];
  /** The id of the build's mapping, where the recording tells; else empty. */
  readonly mapId: string;
}

export interface PageSettings {
  /** Prefixes of packages that are the workspace's own, for *My code*. */
  readonly myPackages: readonly string[];
  /** There where the host can be asked for an R8 or ProGuard mapping. */
  readonly mapping?: PageRetraceMapping | undefined;
  /** Keys by command of the page, where a person chose others than the page's own. */
  readonly keys?: Readonly<Record<string, readonly string[]>> | undefined;
  /** A click selects and opens no source. */
  readonly clickSelectsOnly?: boolean | undefined;
  /** The most that an opened recording may take: of a larger one a part is shown at a time. Absent: what is usual. */
  readonly memoryBytes?: number | undefined;
  /** Texts by key in the person's language; a key that is missing falls back to English. */
  readonly texts: Readonly<Record<string, string>>;
}

export interface PageRetraceMapping {
  /** What a person chose; empty: one that is found is taken, for what the Android Runtime ran. */
  readonly chosen: string;
}

/** The page → the extension. */
export type PageMessage =
  | { readonly type: 'ready' }
  /** `isRecorded`: the key is as the recording has it, and is still to be retraced. */
  | {
      readonly type: 'openSource';
      readonly key: SourceKey;
      readonly how: SourceOpening;
      /** The line to look at; 0: the method's first. */
      readonly line: number;
      readonly isRecorded: boolean;
    }
  /** Asks for what the mapping says. */
  | ({ readonly type: 'wantRetraceMapping' } & WantedRetraceMapping)
  /** The person wants another recording to compare this one with, or (false) none any more. */
  | { readonly type: 'compareWith'; readonly another: boolean }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'opened'; readonly threads: number; readonly samples: number; readonly problems: number }
  /** The recording to compare with is there, or what is wrong with it. */
  | { readonly type: 'compared'; readonly problem: string }
  | { readonly type: 'notTrace'; readonly what: string }
  | { readonly type: 'failed'; readonly message: string }
  /** What the page keeps of view, weight and filters, as JSON: an exported page begins with it. */
  | { readonly type: 'kept'; readonly state: string }
  /** Write the recording and the page as one HTML file (see page-html.ts); the host has the bytes and asks for a place. */
  | { readonly type: 'exportHtml' };
