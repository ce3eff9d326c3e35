/**
 * Which build's mapping a recording needs. R8 heads a mapping with its id, and where the name of a source file would stand in a
 * class it may write that id instead (as Android's build does from 8.12 on).
 */
import type { Methods } from '../../trace/model/trace.js';

const prefix = 'r8-map-id-';

/** Empty where a source file's name is no id. */
export function mapIdOf(file: string): string {
  return file.startsWith(prefix) ? file.slice(prefix.length) : '';
}

export function recordedMapId(methods: Pick<Methods, 'count' | 'file'>): string {
  for (let method = 0; method < methods.count; method++) {
    const id = mapIdOf(methods.file(method));
    if (id !== '') return id;
  }
  return '';
}

/** Where a mapping says what it goes by, it does so before its first class. */
export const mapHeadBytes = 4096;

/** False: of another build; undefined where one of them does not tell. One id may be the beginning of the other. */
export function isOfBuild(mapping: string, recordedId: string): boolean | undefined {
  const head = mapping.slice(0, mapHeadBytes);
  const ids = ['pg_map_id: *', 'pg_map_hash: *SHA-256 +'].flatMap(
    (key) => new RegExp(`^# *${key}([0-9a-zA-Z]+)`, 'm').exec(head)?.[1] ?? [],
  );
  if (recordedId === '' || ids.length === 0) return undefined;
  return ids.some((id) => id.startsWith(recordedId) || recordedId.startsWith(id));
}
