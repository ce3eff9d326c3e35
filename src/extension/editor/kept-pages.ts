/**
 * Which hidden pages stay as they are, so that to go back to one takes no time: those left last, as long as their
 * recordings are small enough together. The others are taken down, and read their recording again.
 */

/** A page takes some six times as much memory as its recording has bytes. */
const mostBytes = 32 * 2 ** 20;

export interface HiddenPage {
  /** Of its recording, and of one that it is compared with, as far as they were sent. */
  readonly bytes: number;
  /** Later ones have a higher number. */
  readonly left: number;
}

export function withoutRoom<P extends HiddenPage>(hidden: readonly P[]): P[] {
  let room = mostBytes;
  return [...hidden]
    .sort((one, other) => other.left - one.left)
    .filter(({ bytes }) => {
      if (bytes > room) return true;
      room -= bytes;
      return false;
    });
}
