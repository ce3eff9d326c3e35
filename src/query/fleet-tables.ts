/**
 * The tables of a fleet: thousands of recordings in a folder of Parquet files, partitioned by program, version, device and
 * day. Plain types, which Spark and Trino read as well.
 */
import { createHash } from 'node:crypto';
import type { Trace } from '../trace/index.js';
import { messageFigures } from '../trace/measure/messages.js';
import { figuresOf } from '../trace/measure/run-figures.js';
import type { RawType } from './batch.js';

export interface FleetTable {
  readonly name: string;
  readonly about: string;
  /** Beside `partitions`, which all have in the files. */
  readonly columns: readonly (readonly [name: string, type: RawType, about: string])[];
}

/** Said where DuckDB is there only as WebAssembly. */
export const noParquet = 'a fleet needs DuckDB’s native library, the optional package @duckdb/node-api.';

export const partitions = ['app', 'version', 'device', 'day'] as const;

/** A recording of a fleet: its file, and what tells it from all others. */
export interface Collected {
  readonly file: string;
  readonly id: string;
  readonly trace: Trace;
  /** Of the program, by who collects it; empty: the recording's own build. */
  readonly version: string;
}

/** Also the `recording_id` of a file with these bytes. */
export const shortHash = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex').slice(0, 16);

/** Stands for NULL until the files are written. */
export const notRecorded = -1;
const unknown = 'unknown';
/** Most file systems take 255, of which the column's name and a hash need some. */
const mostNameBytes = 200;

function partitionOf({ info }: Trace, version: string): readonly string[] {
  const day = new Date(Number(info.startRealtimeNs / 1_000_000n)).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const values = [info.targetName, version || info.buildId, info.device];
  return [...values.map((value) => folderName(value) || unknown), info.startRealtimeNs > 0n ? day : unknown];
}

/** Readers take a folder of this name, in any case, for no value. */
const takenForNull = /^null$/i;

/** Cut where DuckDB would make too long a folder's name of it: it writes most letters as %XX. Names that are cut still differ. */
function folderName(value: string): string {
  let [size, start] = [0, ''];
  for (const letter of value) {
    size += /[\w.~-]/.test(letter) ? 1 : '%XX'.length * Buffer.byteLength(letter);
    if (size > mostNameBytes) return `${start}~${shortHash(Buffer.from(value))}`;
    start += letter;
  }
  return takenForNull.test(start) ? `${start}~` : start;
}

function longestMessage(trace: Trace): number {
  const main = trace.threads.filter(({ isMain }) => isMain).map(({ index }) => index);
  if (main.length === 0) return notRecorded;
  const { count, begin, end } = messageFigures(trace, main);
  let longest = notRecorded;
  for (let row = 0; row < count; row++)
    longest = Math.max(longest, (end[row] as number) - (begin[row] as number));
  return longest;
}

/** A recording's row, but for its number: the columns of the table `recording`, then those of the partition. */
export function recordingRow({ trace, id, file, version }: Collected): readonly (number | string)[] {
  const { info, status, threads } = trace;
  const figures = figuresOf(trace);
  const whole = (value: number | null): number => (value === null ? notRecorded : Math.round(value));
  return [
    ...[id, file, info.runtime, Number(info.startRealtimeNs / 1_000_000n)],
    ...[figures.lengthNs, figures.cpuNs, figures.mainCpuNs, figures.mainWaitNs].map(whole),
    ...[Math.round(longestMessage(trace)), whole(figures.allocatedBytes)],
    status?.samples ?? threads.reduce((sum, { sampleCount }) => sum + sampleCount, 0),
    status?.dropped ?? notRecorded,
    ...partitionOf(trace, version),
  ];
}

export const fleetTables: readonly FleetTable[] = [
  {
    name: 'recording',
    about: 'one row a recording',
    columns: [
      ['recording_id', 'VARCHAR', 'of its bytes: the same file is collected once'],
      ['file', 'VARCHAR', 'its path, as it was collected'],
      ['runtime', 'VARCHAR', ''],
      ['begin_ms', 'BIGINT', 'Unix time, ms'],
      ['length_ns', 'BIGINT', ''],
      ['cpu_ns', 'BIGINT', 'of all threads; NULL if not recorded, as all figures'],
      ['main_cpu_ns', 'BIGINT', 'of the main thread'],
      ['main_wait_ns', 'BIGINT', 'waits of the main thread'],
      ['longest_message_ns', 'BIGINT', 'of the main thread'],
      ['allocated_bytes', 'BIGINT', ''],
      ['samples', 'BIGINT', ''],
      ['dropped', 'BIGINT', 'samples that were lost'],
    ],
  },
  {
    name: 'method_time',
    about: 'one row a method of a recording, with what it took in all threads',
    columns: [
      ['recording_id', 'VARCHAR', 'recording.recording_id'],
      ['name', 'VARCHAR', 'the method'],
      ['self_cpu_ns', 'BIGINT', 'CPU time in the method itself'],
      ['total_cpu_ns', 'BIGINT', 'with all that it called'],
      ['self_wall_ns', 'BIGINT', 'wall time, waits included'],
      ['total_wall_ns', 'BIGINT', ''],
    ],
  },
];

/** As a pattern that only this path fits: signs of a pattern stand in brackets. */
export const patternOf = (file: string): string => file.replaceAll(/[[*?]/g, '[$&]');

/** Its files, as a text of SQL. */
const filesOf = (folder: string, table: string): string =>
  `'${patternOf(folder).replaceAll("'", "''")}/${table}/**/*.parquet'`;

/** A column of a partition is a text, also if all values look like numbers or days. */
export const readsTable = (folder: string, table: string): string =>
  `read_parquet(${filesOf(folder, table)}, hive_partitioning = true, hive_types_autocast = false)`;

/** Statements that make the tables of a fleet, as views of its files. */
export function fleetViews(folder: string): string[] {
  return fleetTables.map(({ name }) => `CREATE VIEW ${name} AS SELECT * FROM ${readsTable(folder, name)}`);
}
