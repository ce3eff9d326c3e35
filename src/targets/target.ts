/**
 * Where recordings come from. Each kind of target (this machine's processes, a phone's apps) gives a TargetSource;
 * the command line and the extension know only these interfaces.
 */
import type { TraceStatus, Hook } from '../trace/model/trace.js';
import type { SystemPreset } from './system/system-presets.js';

export interface TargetSource {
  /** "local", "android". */
  readonly kind: string;
  /** A failure to look (no adb, no permission) is a TargetError with a next step, not an empty list. */
  list(signal?: AbortSignal): Promise<Target[]>;
  /** Calls `changed` when something came or went, for sources that are told; returns how to stop. */
  watch?(changed: () => void): () => void;
}

/** A process that can be recorded. */
export interface Target {
  /** Stable for the life of the process: "local:1234", "android:SERIAL:com.example". */
  readonly id: string;
  readonly kind: string;
  /** As a person knows it: main class or jar, package name, program name. */
  readonly name: string;
  /** What those who use it call it, where that is known. From anywhere, and of any letters. */
  readonly label?: string | undefined;
  /** 0: it does not run yet. */
  readonly pid: number;
  /** "HotSpot 17.0.15", or empty when not known before attaching. */
  readonly runtime: string;
  /** In Android's word, "arm64-v8a", where it is known. */
  readonly abi?: string | undefined;
  /** One line more: the command line's start, the device. */
  readonly detail: string;
  /** Of the project that it is of, where known: where a Java program runs, where a native program's file lies. */
  readonly folder?: string | undefined;
  /** Unix time, where known. */
  readonly startedMs?: number | undefined;
  /** TCP ports that it listens on, where known. */
  readonly ports?: readonly number[];
  /** Why it cannot be recorded as it runs, with what to do; undefined when it can. */
  readonly refusal: string | undefined;
  /** True when it can be started anew and recorded from its first moment. */
  readonly launchable?: boolean;
  /** That takes our library in it, which is seen only when it is tried: to look into its packages may take seconds. */
  readonly launchNeedsLibrary?: boolean;
  /** True for an app on a device that can record its system beside it: `RecordOptions.systemPreset` and `systemConfig`. */
  readonly recordsSystem?: boolean;
  start(options: RecordOptions, signal?: AbortSignal): Promise<Session>;
}

/** From inside, the agent is loaded into the program; from outside, the kernel samples it. */
export const nativeWays = ['outside', 'inside', 'auto'] as const;
export type NativeFrom = (typeof nativeWays)[number];

export interface RecordOptions {
  /** Final path of the recording. Written as it comes under this name; valid after every chunk. */
  readonly file: string;
  readonly syncIntervalNs: number;
  readonly asyncIntervalNs: number;
  readonly memoryBytes: number;
  readonly policy: 'stream' | 'stop-when-full' | 'ring';
  readonly ringNs: number;
  /** Parts per million of a thread's time that capturing may cost. */
  readonly budgetPpm: number;
  readonly mainOnly: boolean;
  /** Sample kinds (recording.proto) asked for; empty: the default set. */
  readonly kinds: readonly number[];
  readonly allocationIntervalBytes: number;
  /** Stop by itself after this; 0: never. */
  readonly maxDurationMs: number;
  readonly maxBytes: number;
  /** Start the target anew and record from its first moment; only for a `launchable` one. */
  readonly fromLaunch?: boolean;
  /**
   * With `fromLaunch`: the target is not started here but by a person, a test, another program; called when that may be done.
   * Only Android apps know this.
   */
  readonly startedElsewhere?: () => void;
  /** A native program that runs; default: outside. `auto`: from inside where that does no harm, and says which and why. */
  readonly nativeFrom?: NativeFrom;
  /** In place of points, count the calls of imported functions; only for native programs with the agent in them. */
  readonly survey?: boolean;
  /** Keep no name outside the platform's own packages, no thread name, text or path. */
  readonly redact?: boolean;
  /** Record the kernel's scheduler as well (docs/SYSTEM.md). */
  readonly system?: boolean;
  /** On Android, what of the system; default: the usual. */
  readonly systemPreset?: SystemPreset;
  /** In place of the preset: a configuration in Perfetto's text format. */
  readonly systemConfig?: string;
}

export interface SessionStatus extends TraceStatus {
  readonly elapsedMs: number;
  readonly fileBytes: number;
  readonly hooks: readonly Hook[];
  /** It was asked to end and says nothing; an external recording: the device is away. */
  readonly isSilent: boolean;
  /** Why it is an external recording, by the system's own sampling, of which nothing is known before the end; absent: it is not. */
  readonly external?: string;
}

/** How a recording ended; the file is there and readable in every case but `cancelled`. */
export interface SessionEnd {
  readonly reason:
    | 'stopped'
    | 'target-exited'
    | 'connection-lost'
    | 'limit'
    | 'cancelled'
    | 'fault'
    | 'disk-full';
  /** For a person: what happened and what to do, empty when all is well. */
  readonly message: string;
  readonly file: string;
  readonly fileBytes: number;
}

/** One recording being made. */
export interface Session {
  readonly target: Target;
  readonly file: string;
  status(): SessionStatus;
  /** Called about once a second and at each change; returns how to stop listening. */
  onStatus(listener: (status: SessionStatus) => void): () => void;
  /** Ends the recording and waits until all of it is in the file. Idempotent. */
  stop(): Promise<SessionEnd>;
  /** Ends it and deletes the file. */
  cancel(): Promise<SessionEnd>;
  /** Undefined where it keeps a ring, which can be dumped. */
  readonly whyNoDump: TargetError | undefined;
  /** Writes what a ring holds to its own file and goes on. */
  dump(file: string, lastNs: number): Promise<SessionEnd>;
  /** Settles when the recording has ended, whoever ended it. Never rejects. */
  readonly ended: Promise<SessionEnd>;
}

export type TargetErrorKind =
  | 'not-found'
  | 'not-supported'
  | 'not-permitted'
  | 'attach-disabled'
  | 'agent-missing'
  | 'agent-refused'
  | 'busy'
  | 'timeout'
  | 'io';

/** A next step that can be done for the person who asks for it. */
export interface Remedy {
  readonly title: string;
  run(): Promise<void>;
}

/** What happened and what to do about it, in a person's words. */
export class TargetError extends Error {
  override readonly name = 'TargetError';
  readonly remedy: Remedy | undefined;
  /** `system`: the program could be recorded, but not the system beside it. */
  readonly about: 'system' | undefined;
  constructor(
    readonly kind: TargetErrorKind,
    message: string,
    readonly nextStep: string,
    options?: ErrorOptions & { readonly remedy?: Remedy; readonly about?: 'system' },
  ) {
    super(message, options);
    this.remedy = options?.remedy;
    this.about = options?.about;
  }
}

/** By name: targets may come from another extension, which has a class of its own for this. */
export function isTargetError(what: unknown): what is TargetError {
  return what instanceof Error && what.name === 'TargetError' && 'nextStep' in what;
}
