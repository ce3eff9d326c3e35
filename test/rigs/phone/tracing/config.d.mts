export interface AskedConfig {
  readonly bufferKb: number | undefined;
  readonly policy: string;
  readonly sources: readonly string[];
  readonly events: readonly string[];
  readonly categories: readonly string[];
  readonly apps: readonly string[];
  readonly coreBufferKb: number | undefined;
  readonly drainMs: number | undefined;
  readonly durationMs: number | undefined;
  readonly writesFile: boolean;
  readonly writeMs: number | undefined;
}

export function readConfig(bytes: Buffer, isText: boolean): AskedConfig;
