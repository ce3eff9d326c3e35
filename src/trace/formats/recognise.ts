import { macosSampleHead } from './macos-sample-import.js';
import { otherBinary, otherJson, otherText } from './no-traces.js';
import { perfHead } from './perf-import.js';
import { looksLikePacket } from './perfetto-packet.js';
import { looksLikePprof } from './pprof-profile.js';
import { spindumpSteps } from './spindump-import.js';
import { kernelHead } from './systrace-import.js';
import type { FormatId, Recognised } from './recognised.js';

/** So many first bytes are enough. */
export const recogniseBytes = 1 << 16;
/** Of a report; what says what it is stands in its first ones. */
const mostHeadLines = 200;

/**
 * Says what a file is by its first bytes, and its last where they are at hand: never by its name. What is no trace is named
 * for what it is.
 */
export function recognise(first: Uint8Array, last?: Uint8Array): Recognised {
  const bytes = withoutMark(first).subarray(0, recogniseBytes);
  if (bytes.length === 0) return { format: undefined, name: 'empty file', advice: 'There is nothing in it.' };
  if (startsWith(bytes, 'BTRACE\r\n')) return trace('btrace', 'BTrace recording');
  if (startsWith(bytes, '\x1f\x8b')) return trace('gzip', 'gzip file');
  if (startsWith(bytes, 'PK\x03\x04')) return trace('zip', 'zip archive');
  if (startsWith(bytes, 'SLOW')) return trace('art', 'ART method trace');
  if (startsWith(bytes, '*version')) return trace('art', 'ART method trace');
  if (startsWith(bytes, 'SIMPLEPERF')) return trace('simpleperf', 'simpleperf report');
  if (startsWith(bytes, 'PERFILE2')) return trace('perf-data', 'Linux perf recording');
  if (startsWith(bytes, 'FLR\x00')) return trace('jfr', 'Java Flight Recorder file');
  if (startsWith(bytes, '\x10\x00\x04FxT\x16\x00')) return trace('fuchsia', 'Fuchsia trace');
  const binary = otherBinary(bytes);
  if (binary !== undefined) return binary;
  if (isText(bytes))
    return ofText(bytes, last === undefined ? new Uint8Array(0) : last.subarray(-recogniseBytes));
  if (looksLikePprof(bytes)) return trace('pprof', 'pprof profile');
  if (isPerfetto(bytes)) return trace('perfetto', 'Perfetto trace');
  return {
    format: undefined,
    name: 'binary file of an unknown kind',
    advice:
      'BTrace opens its own recordings and those of other tools: Perfetto, Chrome, Flight Recorder, perf, pprof, Firefox, V8, ART and more.',
  };
}

function ofText(bytes: Uint8Array, last: Uint8Array): Recognised {
  const decoder = new TextDecoder();
  const text = decoder.decode(bytes);
  const start = text.trimStart();
  const apple = ofApple(start);
  if (apple !== undefined) return apple;
  if (start.startsWith('{') || start.startsWith('[')) return ofJson(start, decoder.decode(last));
  if (start.startsWith('# ninja log v')) return trace('ninja', 'Ninja build log');
  if (start.startsWith('# tracer:') || /^TRACE:\s/.test(start) || text.split('\n').some(isKernelEvent)) {
    return trace('systrace', start.startsWith('<') ? 'systrace page' : 'kernel trace as text');
  }
  if (start.startsWith('<') && /class="trace-data"/.test(text)) return trace('systrace', 'systrace page');
  // Our own export says it, and may hold stacks of one frame only.
  if (start.startsWith('# unit: ')) return trace('collapsed', 'collapsed stacks');
  const lines = completeLines(text, bytes.length < recogniseBytes);
  const told = lines.filter((line) => !line.startsWith('#')).slice(0, 50);
  if (perfHead.test(told[0] ?? '')) return trace('perf', 'output of "perf script"');
  // Times of day look alike, but nothing pops there.
  if (mostly(told, /^\d{1,16}:\+?\S/) && lines.some((line) => line.endsWith(':POP'))) {
    return trace('nanoscope', 'Nanoscope trace');
  }
  if (isCollapsed(told)) return trace('collapsed', 'collapsed stacks');
  if (bytes.length >= recogniseBytes && isOneDeepStack(start)) return trace('collapsed', 'collapsed stacks');
  return otherText(start);
}

/** What the tools and reports of iOS and macOS write. */
function ofApple(start: string): Recognised | undefined {
  if (/^<(?:\?xml[^>]{0,200}\?>\s{0,8}<)?trace-query-result\b/.test(start))
    return trace('xctrace', 'samples of Instruments');
  const lines = start.split('\n', mostHeadLines);
  if (lines.some((line) => macosSampleHead.test(line))) return trace('sample', 'output of "sample"');
  // Before the text of some reports stands a line of JSON.
  const isReport = lines[0]?.startsWith('{') === true && lines[0].includes('"bug_type"');
  if (isReport && lines[1]?.trimStart().startsWith('{') === true)
    return trace('ips', 'report of iOS or macOS');
  const isDump = isReport || /^(?:Date\/Time|Spin Report|Microstackshots):/.test(start);
  return isDump && lines.some((line) => spindumpSteps.test(line))
    ? trace('spindump', 'hang report of macOS')
    : undefined;
}

/** A whole line of the kernel's trace: words of it may stand in any name. */
function isKernelEvent(line: string): boolean {
  const head = kernelHead.exec(line);
  if (head === null) return false;
  const event = line.slice(head[0].length);
  const isPrint = /\btracing_mark_write: *$/.test(head[0]);
  const isSwitch = /\bsched_switch: *$/.test(head[0]);
  return isPrint || (isSwitch && /^(?:prev_comm=|.{0,64}:\d+ \[\d+\] \S+ ==> )/.test(event));
}

/** The begin of a stack that is longer than what is looked at. Programs on one line have semicolons, too, and braces, which names have not. */
function isOneDeepStack(text: string): boolean {
  if (/[\n{}"]/.test(text)) return false;
  const frames = text.split(';');
  return frames.length >= 64 && frames.slice(0, -1).every((frame) => frame !== '' && frame.length <= 1024);
}

function ofJson(start: string, end: string): Recognised {
  const has = (key: string): boolean => start.includes(`"${key}"`) || end.includes(`"${key}"`);
  if (has('traceEvents')) return trace('chrome', 'Chrome JSON trace');
  if (/"\$schema"\s*:\s*"[^"]*speedscope/.test(start) || /"\$schema"\s*:\s*"[^"]*speedscope/.test(end)) {
    return trace('speedscope', 'speedscope file');
  }
  if (has('profiles') && has('shared') && has('frames')) return trace('speedscope', 'speedscope file');
  const isRawFirefox = has('meta') && (has('stackTable') || has('pausedRanges'));
  if (has('preprocessedProfileVersion') || isRawFirefox) return trace('firefox', 'Firefox profile');
  if (has('callFrame') && has('nodes') && !has('selfSize')) return trace('cpuprofile', 'V8 CPU profile');
  if (start.startsWith('[') && /"ph"\s*:\s*"/.test(start)) return trace('chrome', 'Chrome JSON trace');
  if (start.startsWith('[') && /^\[\s*$/.test(start)) return trace('chrome', 'Chrome JSON trace');
  return otherJson(start, has);
}

function isPerfetto(bytes: Uint8Array): boolean {
  // Empty packets may come first: they say nothing.
  let first = 0;
  while (bytes[first] === 0x0a && bytes[first + 1] === 0) first += 2;
  if (bytes[first] !== 0x0a) return first > 0 && first === bytes.length;
  let length = 0;
  let at = first + 1;
  for (let scale = 1; at < first + 6; scale *= 128) {
    const byte = bytes[at++] ?? 0;
    length += (byte & 0x7f) * scale;
    if (byte < 0x80) break;
  }
  if (length === 0) return false;
  // A first packet longer than what is at hand is believed by its beginning.
  if (at + length > bytes.length)
    return bytes.length >= recogniseBytes || looksLikePacket(bytes, at, bytes.length, true);
  return looksLikePacket(bytes, at, at + length, false);
}

function isText(bytes: Uint8Array): boolean {
  const end = Math.min(bytes.length, 4096);
  for (let i = 0; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09 && byte !== 0x1b) return false;
  }
  return true;
}

/** Three of four lines are enough: one that is damaged must not hide what the others are. */
function mostly(lines: readonly string[], shape: RegExp): boolean {
  return lines.length > 0 && lines.filter((line) => shape.test(line)).length >= lines.length * 0.75;
}

/** Half of the lines are stacks with counts: what people write between them is told, and not a reason to refuse the file. */
function isCollapsed(lines: readonly string[]): boolean {
  const stacks = lines.filter((line) => /^.+[ \t]\d+(?:\.\d+)?[ \t]*$/.test(line));
  return stacks.length * 2 >= lines.length && stacks.some((line) => line.includes(';'));
}

function completeLines(text: string, whole: boolean): string[] {
  const lines = text.split(/\r?\n/);
  if (!whole) lines.pop();
  return lines.filter((line) => line.trim() !== '');
}

/** Without UTF-8's byte order mark. */
export function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function trace(format: FormatId, name: string): Recognised {
  return { format, name, advice: '' };
}

export function startsWith(bytes: Uint8Array, start: string): boolean {
  if (bytes.length < start.length) return false;
  for (let i = 0; i < start.length; i++) if (bytes[i] !== start.charCodeAt(i)) return false;
  return true;
}
