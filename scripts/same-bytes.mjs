// A zip file that says nothing of when, where and by whom it was made: packaged anew from the same files it has the same bytes.
import { unzipSync, zipSync } from 'fflate';

const unix = 3;
const ordinaryFile = 0o100644 << 16;
const program = (0o100755 << 16) >>> 0;

/** The same entries, sorted by name, all of one time; those whose path ends with one of `programs` can be run, and no other. */
export function withSameBytes(zip, programs = []) {
  const entries = Object.entries(unzipSync(zip)).sort(([a], [b]) => (a < b ? -1 : 1));
  // Made of local parts, as a zip file's times are: the same in every time zone.
  const noon = new Date(1980, 0, 1, 12);
  const attrs = (name) => (programs.some((end) => name.endsWith(end)) ? program : ordinaryFile);
  const files = entries.map(([name, bytes]) => [name, [bytes, { attrs: attrs(name) }]]);
  return Buffer.from(zipSync(Object.fromEntries(files), { level: 9, mtime: noon, os: unix }));
}
