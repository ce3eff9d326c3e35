/**
 * Rows of a fleet on their way into the database, of many recordings at once: each fill of a table has a cost of its own. Methods and
 * recordings are numbers there, because a text costs more than a number to hand over. The files have the texts.
 */
import { methodFigures, sumScope, wholeTrace } from '../trace/index.js';
import type { Batch } from './batch.js';
import { type Collected, fleetTables, partitions, recordingRow } from './fleet-tables.js';
import { type RawTable, rowsInto } from './raw-table.js';

/** Rows that are held here before they are handed over. */
export const mostHeld = 50_000;
/** Letters of a name that take as much memory as a row: a damaged recording's name may have millions. */
const lettersOfRow = 100;

/** The rows of a fleet's table, with its texts and its partition. */
export const joinedRows = (table: string): string =>
  table === 'recording'
    ? 'raw.recording'
    : `raw.${table} JOIN raw.recording ON recording = recording_number JOIN raw.name ON method = name_number`;

interface HeldMethods {
  readonly recording: number;
  /** Their numbers in the table `name`. */
  readonly names: Int32Array;
  readonly figures: readonly Float64Array[];
}

export class FleetRows {
  /** Numbers stay valid until the rows are in files. */
  readonly #names = new Map<string, number>();
  #recordings = 0;
  #newNames: (readonly [number, string])[] = [];
  #rows: (readonly (number | string)[])[] = [];
  #methods: HeldMethods[] = [];
  #count = 0;

  /** In the order in which their rows need each other; the sources that `fill` gets are not used. */
  readonly tables: readonly RawTable[] = [
    {
      name: 'recording',
      columns: [
        ['recording_number', 'INTEGER'],
        ...columnsOf('recording'),
        ...partitions.map((name) => [name, 'VARCHAR'] as const),
      ],
      fill: (_, batch) => rowsInto(batch, this.#rows),
    },
    {
      name: 'name',
      columns: [
        ['name_number', 'INTEGER'],
        ['name', 'VARCHAR'],
      ],
      fill: (_, batch) => rowsInto(batch, this.#newNames),
    },
    {
      name: 'method_time',
      columns: [
        ['recording', 'INTEGER'],
        ['method', 'INTEGER'],
        ...columnsOf('method_time').filter(([, type]) => type === 'BIGINT'),
      ],
      fill: (_, batch) => this.#fillMethods(batch),
    },
  ];

  /** Rows that `clear` would drop; long names count as several. */
  get count(): number {
    return this.#count;
  }

  /** Nothing of the trace is kept. */
  add(one: Collected): void {
    const { trace } = one;
    const { method, self, total, count } = methodFigures(
      sumScope(trace, wholeTrace, 'times'),
      trace.methods.count,
    );
    const recording = this.#recordings++;
    this.#rows.push([recording, ...recordingRow(one)]);
    this.#methods.push({
      recording,
      names: Int32Array.from(method, (at) => this.#numberOf(trace.methods.qualifiedName(at))),
      figures: [self.cpu, total.cpu, self.wall, total.wall],
    });
    this.#count += count + 1;
  }

  /** After they were handed over. */
  clear(): void {
    this.#newNames = [];
    this.#rows = [];
    this.#methods = [];
    this.#count = 0;
  }

  #numberOf(name: string): number {
    let number = this.#names.get(name);
    if (number === undefined) {
      number = this.#names.size;
      this.#names.set(name, number);
      this.#newNames.push([number, name]);
      this.#count += Math.floor(name.length / lettersOfRow);
    }
    return number;
  }

  *#fillMethods(batch: Batch): Generator<number> {
    const [recordings, methods] = [batch.int32(0), batch.int32(1)];
    let at = 0;
    for (const { recording, names, figures } of this.#methods)
      for (let begin = 0; begin < names.length;) {
        const rows = Math.min(names.length - begin, batch.size - at);
        recordings.fill(recording, at, at + rows);
        methods.set(names.subarray(begin, begin + rows), at);
        for (const [column, values] of figures.entries()) {
          const out = batch.int64(2 + column);
          for (let row = 0; row < rows; row++) out.set(at + row, values[begin + row] as number);
        }
        at += rows;
        begin += rows;
        if (at < batch.size) continue;
        yield at;
        at = 0;
      }
    if (at > 0) yield at;
  }
}

function columnsOf(table: string): RawTable['columns'] {
  const columns = fleetTables.find(({ name }) => name === table)?.columns ?? [];
  return columns.map(([name, type]) => [name, type]);
}
