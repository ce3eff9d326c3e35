/** A database over some traces. Tables are filled when a query first names them: most queries need two or three. */
import { fleetViews, patternOf } from './fleet-tables.js';
import { macros, neededTables, queryTables } from './views.js';
import { QueryError, type QueryEngine, type QueryResult } from './query-engine.js';
import { rawTables } from './raw-tables.js';
import { numbered, type NumberedSource, type QuerySource } from './sources.js';
import { asQueryError, readingStatements } from './statements.js';

/** A query reads what is in memory: no file, no network, and as much memory as a query of a trace may need. */
export const databaseSettings: Readonly<Record<string, string>> = {
  access_mode: 'automatic',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  memory_limit: '4GB',
  temp_directory: '',
};

export class QuerySession {
  readonly #engine: QueryEngine;
  /** Undefined: the tables are files. */
  readonly #sources: readonly NumberedSource[] | undefined;
  readonly #filled = new Set<string>();
  /** Not while what a query leaves is put in order: without that no later query is answered. */
  #mayBeInterrupted = false;

  private constructor(engine: QueryEngine, sources: readonly NumberedSource[] | undefined) {
    this.#engine = engine;
    this.#sources = sources;
  }

  static async open(engine: QueryEngine, sources: readonly QuerySource[]): Promise<QuerySession> {
    await engine.run('CREATE SCHEMA raw');
    for (const { name, columns } of rawTables)
      await engine.run(
        `CREATE TABLE raw.${name} (${columns.map(([column, type]) => `"${column}" ${type}`).join(', ')})`,
      );
    for (const { name, sql } of queryTables) await engine.run(`CREATE VIEW "${name}" AS ${sql}`);
    for (const sql of macros) await engine.run(sql);
    // As in SQLite, which Perfetto's queries are written for.
    await engine.run('SET integer_division = true');
    await engine.run('SET enable_external_access = false');
    await engine.run('SET lock_configuration = true');
    return new QuerySession(engine, numbered(sources));
  }

  /** Over the Parquet files of a fleet's folder, and no other file. */
  static async openFleet(engine: QueryEngine, folder: string): Promise<QuerySession> {
    for (const sql of fleetViews(folder)) await engine.run(sql);
    await engine.run('SET integer_division = true');
    // The database looks for the pattern of the files as if that were a path, too.
    const allowed = [folder, patternOf(folder)].map((each) => `'${each.replaceAll("'", "''")}/'`);
    await engine.run(`SET allowed_directories = [${allowed.join(', ')}]`);
    await engine.run('SET enable_external_access = false');
    await engine.run('SET lock_configuration = true');
    return new QuerySession(engine, undefined);
  }

  get engineName(): string {
    return this.#engine.name;
  }

  /** The result of the last statement. Throws a QueryError that says where the text is wrong. */
  async query(sql: string, limit: number): Promise<QueryResult> {
    const statements = readingStatements(sql);
    if (statements.length === 0) throw new QueryError('There is no query in this text.', undefined);
    await this.#fill(neededTables(sql));
    let result: QueryResult | undefined;
    // Whatever a statement tries beyond reading, it fails.
    await this.#engine.run('BEGIN TRANSACTION READ ONLY');
    try {
      for (const statement of statements) {
        try {
          result = await this.#interruptible(() => this.#engine.query(statement.text, limit));
        } catch (error) {
          throw asQueryError(error, sql, statement);
        }
      }
    } finally {
      await this.#engine.run('ROLLBACK');
    }
    if (result === undefined) throw new QueryError('There is no query in this text.', undefined);
    return result;
  }

  async #fill(needed: ReadonlySet<string>): Promise<void> {
    const sources = this.#sources;
    if (sources === undefined) return;
    for (const table of rawTables) {
      if (!needed.has(table.name) || this.#filled.has(table.name)) continue;
      try {
        await this.#interruptible(() => this.#engine.fill(table, sources));
      } catch (error) {
        // The next query that names it begins anew.
        await this.#engine.run(`DELETE FROM raw.${table.name}`);
        throw error;
      }
      this.#filled.add(table.name);
    }
  }

  async #interruptible<T>(work: () => Promise<T>): Promise<T> {
    this.#mayBeInterrupted = true;
    try {
      return await work();
    } finally {
      this.#mayBeInterrupted = false;
    }
  }

  /** False where nothing is at work that it could end, or the engine cannot. */
  interrupt(): boolean {
    return this.#mayBeInterrupted && this.#engine.interrupt();
  }

  close(): void {
    this.#engine.close();
  }
}
