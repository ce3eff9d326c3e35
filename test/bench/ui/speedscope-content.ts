/** A trace as speedscope's own evented file: one profile a thread, every call an open and a close. */
import type { ThreadTrack, Trace } from '../../../src/trace/model/trace.js';

/** Pieces of JSON, to be written one after the other: all of it would not fit into one string. */
export function* speedscopeFile(trace: Trace): Generator<string> {
  const { methods } = trace;
  const frames: string[] = [];
  for (let method = 0; method < methods.count; method++) {
    frames.push(
      JSON.stringify({ name: methods.qualifiedName(method) || `#${method}`, file: methods.file(method) }),
    );
  }
  yield `{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[${frames.join(',')}]},"profiles":[`;
  let isFirst = true;
  for (const thread of trace.threads) {
    if (thread.calls.count === 0) continue;
    yield isFirst ? '' : ',';
    isFirst = false;
    yield* profile(thread);
  }
  yield ']}';
}

function* profile({ name, calls }: ThreadTrack): Generator<string> {
  const end = calls.end.subarray(0, calls.count).reduce((last, at) => Math.max(last, at), 0);
  yield `{"type":"evented","name":${JSON.stringify(name)},"unit":"nanoseconds","startValue":0,"endValue":${end},"events":[`;
  const open: number[] = [];
  let piece: string[] = [];
  let separator = '';
  const close = (row: number): void => {
    piece.push(`${separator}{"type":"C","frame":${calls.method[row]!},"at":${calls.end[row]!}}`);
    separator = ',';
  };
  for (let row = 0; row < calls.count; row++) {
    while (open.length > calls.depth[row]!) close(open.pop()!);
    piece.push(`${separator}{"type":"O","frame":${calls.method[row]!},"at":${calls.begin[row]!}}`);
    separator = ',';
    open.push(row);
    if (piece.length > 20_000) {
      yield piece.join('');
      piece = [];
    }
  }
  while (open.length > 0) close(open.pop()!);
  yield `${piece.join('')}]}`;
}
