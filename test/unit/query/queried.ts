/** Traces whose every call is known, and databases over them. */
import { anyImporter } from '../../../src/trace/formats/index.js';
import { openNative } from '../../../src/query/native-engine.js';
import { databaseSettings, QuerySession } from '../../../src/query/query-session.js';
import type { Trace } from '../../../src/trace/index.js';
import { importWhole } from '../formats/round-trip.js';

/** In ms. */
export interface KnownCall {
  readonly name: string;
  readonly at: number;
  readonly lasts: number;
  /** Of its time, at its end: it uses no CPU. Only of calls without others inside. */
  readonly waits?: number;
  /** 100 is the main thread. */
  readonly tid?: number;
}

/** An exact trace of process 100. */
export function traceOf(calls: readonly KnownCall[]): Trace {
  const tids = [...new Set(calls.map(({ tid = 100 }) => tid))];
  const clock = (tid: number, time: number): number =>
    calls
      .filter((call) => (call.tid ?? 100) === tid)
      .reduce(
        (left, { at, lasts, waits = 0 }) => left - Math.min(Math.max(time - (at + lasts - waits), 0), waits),
        time,
      );
  const events = [
    ...tids.map((tid) => ({
      ph: 'M',
      pid: 100,
      tid,
      name: 'thread_name',
      args: { name: tid === 100 ? 'main' : `worker-${tid - 100}` },
    })),
    ...calls.map(({ name, at, lasts, tid = 100 }) => ({
      ph: 'X',
      pid: 100,
      tid,
      name,
      ts: at * 1000,
      dur: lasts * 1000,
      tts: clock(tid, at) * 1000,
      tdur: (clock(tid, at + lasts) - clock(tid, at)) * 1000,
    })),
  ];
  return imported(JSON.stringify({ traceEvents: events }));
}

export const imported = (text: string): Trace => importWhole(anyImporter(), Buffer.from(text));

export async function sessionOf(...traces: Trace[]): Promise<QuerySession> {
  const sources = traces.map((trace, at) => ({ file: `${at === 0 ? 'base' : 'new'}.btrace`, trace }));
  return QuerySession.open(await openNative(databaseSettings), sources);
}

/** Asks once, and closes. */
export async function rowsOf(sql: string, ...traces: Trace[]): Promise<readonly (readonly unknown[])[]> {
  const session = await sessionOf(...traces);
  try {
    return (await session.query(sql, 1000)).rows;
  } finally {
    session.close();
  }
}
