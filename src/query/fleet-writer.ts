/** Writes recordings into the Parquet files of a fleet. Needs DuckDB's native library: the WebAssembly build has no Parquet. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { FleetRows, joinedRows, mostHeld } from './fleet-rows.js';
import {
  type Collected,
  fleetTables,
  noParquet,
  notRecorded,
  partitions,
  readsTable,
} from './fleet-tables.js';
import { openNative } from './native-engine.js';
import type { QueryEngine } from './query-engine.js';
import { databaseSettings } from './query-session.js';

/** Rows that are held in the database before they are written: few files, and memory that is bounded. */
const mostRows = 2_000_000;

/**
 * Folders within a fleet's one. Files are written into the first, which is then renamed to the second, whose files are moved to
 * their places. So whenever a process is killed, the next one removes half a file, or moves the rest of the whole ones.
 */
const unfinished = '.unfinished';
const finished = '.finished';

const textOf = (file: string): string => `'${file.replaceAll("'", "''")}'`;

async function moveIn(folder: string): Promise<void> {
  const from = path.join(folder, finished);
  if (!existsSync(from)) return;
  for (const file of await readdir(from, { recursive: true })) {
    if (!file.endsWith('.parquet')) continue;
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await rename(path.join(from, file), path.join(folder, file));
  }
  await rm(from, { recursive: true });
}

/** Why a fleet cannot be written, beside what the file system says. */
export class FleetError extends Error {}

export class FleetWriter {
  readonly #engine: QueryEngine;
  readonly #folder: string;
  readonly #known: Set<string>;
  #held = new FleetRows();
  /** In the database, not yet in files. */
  #rows = 0;

  private constructor(engine: QueryEngine, folder: string, known: Set<string>) {
    this.#engine = engine;
    this.#folder = folder;
    this.#known = known;
  }

  /** Rejects with a FleetError where the native library is not installed, and if another process writes into this fleet. */
  static async open(folder: string): Promise<FleetWriter> {
    const engine = await openNative(databaseSettings).catch((error: unknown) => {
      throw new FleetError(noParquet, { cause: error });
    });
    await mkdir(folder, { recursive: true });
    // DuckDB keeps other processes from a database that it has opened, until this process ends in whatever way.
    await engine
      .run(`ATTACH ${textOf(path.join(folder, '.lock'))} AS only_writer`)
      .catch((error: unknown) => {
        throw new FleetError('it cannot be locked; another btrace may write into it.', { cause: error });
      });
    await rm(path.join(folder, unfinished), { recursive: true, force: true });
    await moveIn(folder);
    const known = new Set<string>();
    if (existsSync(path.join(folder, 'recording'))) {
      const sql = `SELECT DISTINCT recording_id FROM ${readsTable(folder, 'recording')}`;
      const { rows } = await engine.query(sql, Number.MAX_SAFE_INTEGER);
      for (const [id] of rows) known.add(String(id));
    }
    await engine.run('CREATE SCHEMA raw');
    for (const { name, columns } of new FleetRows().tables)
      await engine.run(
        `CREATE TABLE raw.${name} (${columns.map(([column, type]) => `"${column}" ${type}`).join(', ')})`,
      );
    return new FleetWriter(engine, folder, known);
  }

  has(id: string): boolean {
    return this.#known.has(id);
  }

  async add(one: Collected): Promise<void> {
    this.#known.add(one.id);
    this.#held.add(one);
    if (this.#held.count < mostHeld) return;
    await this.#fill();
    if (this.#rows >= mostRows) await this.#write();
  }

  async #fill(): Promise<void> {
    if (this.#held.count === 0) return;
    for (const table of this.#held.tables) await this.#engine.fill(table, []);
    this.#rows += this.#held.count;
    this.#held.clear();
  }

  /** Each write makes files of its own: those that are there stay as they are. */
  async #write(): Promise<void> {
    if (this.#rows === 0) return;
    this.#rows = 0;
    await mkdir(path.join(this.#folder, unfinished));
    for (const { name, columns } of fleetTables) {
      const selected = columns.map(([column, type]) =>
        type === 'BIGINT' ? `NULLIF("${column}", ${notRecorded}) AS "${column}"` : `"${column}"`,
      );
      await this.#engine.run(
        `COPY (SELECT ${[...selected, ...partitions].join(', ')} FROM ${joinedRows(name)})
         TO ${textOf(path.join(this.#folder, unfinished, name))} (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (${partitions.join(', ')}), FILENAME_PATTERN '{uuid}')`,
      );
    }
    for (const { name } of this.#held.tables) await this.#engine.run(`DELETE FROM raw.${name}`);
    this.#held = new FleetRows();
    await rename(path.join(this.#folder, unfinished), path.join(this.#folder, finished));
    await moveIn(this.#folder);
  }

  /** Writes what is left. */
  async finish(): Promise<void> {
    await this.#fill();
    await this.#write();
    this.close();
  }

  close(): void {
    this.#engine.close();
  }
}
