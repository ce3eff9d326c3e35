/** Runs the planted tests (test/fixtures/second-try), and again what failed, as `npm test` does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runFiles } from '../../scripts/test/run-files.mjs';
import { secondTries } from '../../scripts/test/second-try.mjs';
import type { Failed } from '../../scripts/test/second-try.mjs';

const fixtures = path.resolve(import.meta.dirname, '../fixtures/second-try');

export const planted = path.join(fixtures, 'planted.test.ts');
/** Planted cases of the agent's own tests: as the suite `native` runs them, and as `abi` does. */
export const plantedNative = path.join(fixtures, 'planted-native.test.ts');
export const plantedAbi = path.join(fixtures, 'planted-abi.test.ts');

export interface TriedOptions {
  /** Of each process. */
  readonly limitMs: number;
  readonly file?: string;
  /** In VS Code's extension host, as the suite `exthost`. */
  readonly host?: boolean;
}

/** `first`: what became of the tests that match. `ran`: how many processes ran. */
export async function tried(
  grep: string,
  { limitMs, file = planted, host = false }: TriedOptions,
): Promise<
  Awaited<ReturnType<typeof secondTries>> & {
    readonly first: Awaited<ReturnType<typeof runFiles>>;
    readonly ran: number;
  }
> {
  const folder = mkdtempSync(path.join(tmpdir(), 'btrace-planted-'));
  process.env['BTRACE_PLANTED'] = folder;
  let ran = 0;
  const once = async (pattern: string | undefined): Promise<Awaited<ReturnType<typeof runFiles>>> => {
    ran++;
    return await runFiles(
      { testMs: 60_000, host },
      { files: [file], grep: pattern, output: 'keep', limitMs, mark: path.basename(folder) },
    );
  };
  try {
    const first = await once(grep);
    const failures = first.failures.map((failure): Failed => ({ ...failure, suite: 'planted' }));
    const then = await secondTries(failures, async (_failure, pattern) => ({
      ...(await once(pattern)),
      load: 0,
    }));
    return { ...then, first, ran };
  } finally {
    delete process.env['BTRACE_PLANTED'];
    rmSync(folder, { recursive: true });
  }
}
