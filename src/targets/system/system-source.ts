/** What records the system beside a session: it is started before the program is touched, and stopped with the session. */

/** Takes a chunk's payload; settles when it is written. */
export type SystemSink = (kind: number, payload: Uint8Array) => Promise<void>;

/** When the recording begins, on the clocks of its target. */
export interface StartedClock {
  readonly monotonicNs: bigint;
  readonly boottimeNs: bigint;
}

export interface SystemSource {
  /** From now on what is recorded goes there, on the recording's clock. */
  hand(sink: SystemSink, clock: StartedClock): void;
  /** Reads what is left and leaves nothing behind. Settles when all is written. Idempotent. */
  stop(): Promise<void>;
}

/** One of this machine, which is started before the program need run. */
export interface LocalSystemSource extends SystemSource {
  /** The program has this number. Settles when all that comes of it from then on is recorded. */
  watch(pid: number): Promise<void>;
}
