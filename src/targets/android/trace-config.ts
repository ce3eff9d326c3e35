/** What a device's tracing service is asked for: a configuration in Perfetto's text format, made here or a person's own. */
import { type SystemChoice, systemPresets } from '../system/system-presets.js';
import { TargetError, type RecordOptions } from '../target.js';
import {
  encodeTextProto,
  parseTextProto,
  type Schema,
  type TextField,
  TextProtoError,
} from './text-proto.js';

/** What the presets use and own configurations usually have; the numbers are Perfetto's. */
const traceConfig: Schema = {
  buffers: [1, { size_kb: [1, 'number'], fill_policy: [4, { values: { RING_BUFFER: 1, DISCARD: 2 } }] }],
  data_sources: [
    2,
    {
      config: [
        1,
        {
          name: [1, 'string'],
          target_buffer: [2, 'number'],
          ftrace_config: [
            100,
            {
              ftrace_events: [1, 'string'],
              atrace_categories: [2, 'string'],
              atrace_apps: [3, 'string'],
              buffer_size_kb: [10, 'number'],
              drain_period_ms: [11, 'number'],
              compact_sched: [12, { enabled: [1, 'bool'] }],
              symbolize_ksyms: [13, 'bool'],
            },
          ],
          process_stats_config: [
            109,
            {
              scan_all_processes_on_start: [2, 'bool'],
              record_thread_names: [3, 'bool'],
              proc_stats_poll_ms: [4, 'number'],
            },
          ],
        },
      ],
    },
  ],
  duration_ms: [3, 'number'],
  write_into_file: [8, 'bool'],
  file_write_period_ms: [9, 'number'],
  max_file_size_bytes: [10, 'number'],
  flush_period_ms: [13, 'number'],
  flush_timeout_ms: [14, 'number'],
};

/** A trace that nobody ends, since both the computer and the device's shell are gone, ends by itself. */
const usualLimitMs = 60 * 60_000;
const afterMs = 60_000;
/** Of the file on the device, which is brought here as it grows. */
const mostFileBytes = 2 * 2 ** 30;
const writeEveryMs = 1000;
/** A busy device writes so much. */
const bytesPerSecond = 2 * 2 ** 20;
const leastBufferKb = 16 * 1024;
const mostBufferKb = 256 * 1024;
const streamBufferKb = 64 * 1024;
const coreBufferKb = 8 * 1024;
/** What atrace takes for each core. */
export const atraceBufferKb = 16 * 1024;

/** adb takes commands of 65,535 bytes; a quotation mark takes four of them. */
const mostTextBytes = 32 * 1024;

/** How long it may last, at most. */
export const limitMsOf = ({ maxDurationMs }: RecordOptions): number =>
  maxDurationMs > 0 ? maxDurationMs + afterMs : usualLimitMs;

export const choiceOf = ({ systemPreset = 'usual' }: RecordOptions): SystemChoice =>
  systemPresets[systemPreset];

const bufferKbFor = (ms: number): number =>
  Math.min(mostBufferKb, Math.max(leastBufferKb, Math.ceil((ms / 1000) * (bytesPerSecond / 1024))));

/**
 * A recording that is streamed has its trace written to the device's file each second, and brought here. There the buffer is a
 * ring, too: one that discards takes nothing any more once it has been full.
 */
export function configText(options: RecordOptions, app: string): string {
  const { policy, ringNs } = options;
  const limitMs = limitMsOf(options);
  const isStream = policy === 'stream';
  const [sizeKb, fill] = isStream
    ? [streamBufferKb, 'RING_BUFFER']
    : policy === 'ring'
      ? [bufferKbFor(ringNs / 1e6), 'RING_BUFFER']
      : [bufferKbFor(limitMs), 'DISCARD'];
  const choice = choiceOf(options);
  const list = (name: string, values: readonly string[]): string[] =>
    values.map((value) => `      ${name}: "${value}"`);
  return [
    '# Made by BTrace: the system beside a recording.',
    `buffers { size_kb: ${sizeKb} fill_policy: ${fill} }`,
    '# Names of processes and threads.',
    'buffers { size_kb: 4096 fill_policy: RING_BUFFER }',
    'data_sources {',
    '  config {',
    '    name: "linux.ftrace"',
    '    target_buffer: 0',
    '    ftrace_config {',
    ...list('ftrace_events', choice.events),
    ...list('atrace_categories', choice.categories),
    ...list('atrace_apps', [app]),
    `      buffer_size_kb: ${coreBufferKb}`,
    '      drain_period_ms: 250',
    '      compact_sched { enabled: true }',
    '    }',
    '  }',
    '}',
    'data_sources {',
    '  config {',
    '    name: "linux.process_stats"',
    '    target_buffer: 1',
    '    process_stats_config { scan_all_processes_on_start: true record_thread_names: true }',
    '  }',
    '}',
    '# Frames with their deadlines, of Android 12 and newer.',
    'data_sources { config { name: "android.surfaceflinger.frametimeline" target_buffer: 0 } }',
    `duration_ms: ${limitMs}`,
    ...(isStream
      ? [
          'write_into_file: true',
          `file_write_period_ms: ${writeEveryMs}`,
          `max_file_size_bytes: ${mostFileBytes}`,
          'flush_period_ms: 5000',
        ]
      : []),
    '',
  ].join('\n');
}

/** An own configuration with what it must have: an end, and, of a streamed recording, a file that grows up to a limit. */
export function completed(text: string, options: RecordOptions): string {
  const fields = parsed(text);
  const needed = {
    duration_ms: limitMsOf(options),
    ...(options.policy === 'stream' && {
      write_into_file: true,
      file_write_period_ms: writeEveryMs,
      max_file_size_bytes: mostFileBytes,
    }),
  };
  const lines = Object.entries(needed)
    .filter(([name]) => !fields.some((field) => field.name === name))
    .map(([name, value]) => `${name}: ${value}`);
  if (lines.length === 0) return text;
  return `${text.trimEnd()}\n# Added by BTrace.\n${lines.join('\n')}\n`;
}

/** Throws a TargetError for what is no configuration, or cannot bring what is needed. */
function parsed(text: string): TextField[] {
  try {
    if (Buffer.byteLength(text) > mostTextBytes)
      throw new TextProtoError(1, `it is longer than ${mostTextBytes / 1024} kB`);
    const fields = parseTextProto(text);
    const events = [...named(fields, 'ftrace_events')];
    if (!events.some((event) => /^(?:sched\/)?(?:sched_switch|\*)$/.test(event)))
      throw new TextProtoError(1, 'ftrace_events has no "sched/sched_switch"');
    return fields;
  } catch (error) {
    if (!(error instanceof TextProtoError)) throw error;
    throw new TargetError(
      'not-supported',
      `The configuration of the system's trace cannot be used: ${error.message}.`,
      'It is text in Perfetto’s format and has the scheduler’s events: docs/SYSTEM.md has an example.',
      { cause: error, about: 'system' },
    );
  }
}

function* named(fields: readonly TextField[], name: string): Generator<string> {
  for (const field of fields)
    if (typeof field.value !== 'string') yield* named(field.value, name);
    else if (field.name === name) yield field.value;
}

/** Bytes for every device; the text itself where it has what is not known here, which Android 10 and newer read. */
export function encoded(text: string): { readonly bytes: Uint8Array } | { readonly why: string } {
  try {
    return { bytes: encodeTextProto(parsed(text), traceConfig) };
  } catch (error) {
    if (error instanceof TextProtoError) return { why: error.message };
    throw error;
  }
}
