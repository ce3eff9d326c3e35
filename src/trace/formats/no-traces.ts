import type { Recognised } from './recognised.js';

/** What people open by mistake or in hope: how it begins, what it is, what opens it. */
const beginnings: readonly (readonly [start: string, name: string, advice: string])[] = [
  ['PK\x05\x06', 'empty zip archive', 'There is nothing in it.'],
  ['\x28\xb5\x2f\xfd', 'zstd file', 'Unpack it with "zstd -d" and open what comes out.'],
  ['\xfd7zXZ\x00', 'xz file', 'Unpack it with "xz -d" and open what comes out.'],
  ['BZh', 'bzip2 file', 'Unpack it with "bzip2 -d" and open what comes out.'],
  ['7z\xbc\xaf\x27\x1c', '7-Zip archive', 'Unpack it and open the trace that is inside.'],
  ['\x7fELF', 'ELF program or library', 'To record it, run it and choose it as a target.'],
  ['\xca\xfe\xba\xbe', 'Java class or macOS program', 'It is a program, not a recording of one.'],
  ['\xcf\xfa\xed\xfe', 'macOS program', 'It is a program, not a recording of one.'],
  ['MZ', 'Windows program', 'It is a program, not a recording of one.'],
  ['dex\n', 'Dalvik program', 'It is a program, not a recording of one.'],
  ['\x00asm', 'WebAssembly program', 'It is a program, not a recording of one.'],
  ['JAVA PROFILE 1.0.', 'Java heap dump (HPROF)', 'Eclipse MAT, VisualVM or Android Studio open it.'],
  [
    '2ELIFREP',
    'Linux perf recording of a big-endian machine',
    'Make text of it: "perf script > perf.txt", and open that.',
  ],
  ['PERFFILE', 'Linux perf recording of 2009', 'Make text of it: "perf script > perf.txt", and open that.'],
  ['\x17\x08\x44tracing', 'trace-cmd recording', 'Make text of it: "trace-cmd report", and open that.'],
  ['go 1.', 'Go execution trace', '"go tool trace" opens it.'],
  [
    'Nettrace',
    '.NET trace',
    '"dotnet-trace convert --format Speedscope" makes a file that can be opened here.',
  ],
  ['\x75\xd1\x1d\x57', 'CTF trace of LTTng', 'Trace Compass or babeltrace open it.'],
  ['\x57\x1d\xd1\x75', 'CTF trace of LTTng', 'Trace Compass or babeltrace open it.'],
  ['SQLite format 3\x00', 'SQLite database', 'A database browser opens it.'],
  [
    'bplist00',
    'macOS property list',
    'Instruments keeps its traces in such files; what "xctrace export" makes of them can be opened here.',
  ],
  ['\x89PNG', 'PNG picture', 'It is a picture of something, not a trace.'],
  ['\xff\xd8\xff', 'JPEG picture', 'It is a picture of something, not a trace.'],
  ['GIF8', 'GIF picture', 'It is a picture of something, not a trace.'],
  ['%PDF', 'PDF document', 'It is a document, not a trace.'],
  ['\xff\xfe', 'UTF-16 text', 'Save it as UTF-8 and open it again.'],
  ['\xfe\xff', 'UTF-16 text', 'Save it as UTF-8 and open it again.'],
];

export function otherBinary(bytes: Uint8Array): Recognised | undefined {
  for (const [start, name, advice] of beginnings) {
    let same = bytes.length >= start.length;
    for (let i = 0; same && i < start.length; i++) same = bytes[i] === start.charCodeAt(i);
    if (same) return { format: undefined, name, advice };
  }
  return undefined;
}

export function otherJson(start: string, has: (key: string) => boolean): Recognised {
  const [name, advice] = has('selfSize')
    ? ['V8 heap profile (.heapprofile)', 'VS Code’s own viewer and Chrome’s DevTools open it.']
    : has('callUID') || (has('head') && has('functionName'))
      ? [
          'V8 CPU profile of Node.js 10 or older',
          'Chrome’s DevTools open it; newer profiles can be opened here.',
        ]
      : has('snapshot') && has('node_fields')
        ? ['V8 heap snapshot', 'Chrome’s DevTools open it.']
        : has('mappings') && has('sources')
          ? ['source map', 'It belongs to a program; it is no trace.']
          : has('resourceProfiles')
            ? ['OpenTelemetry profile (OTLP)', 'Convert it to pprof, and open that.']
            : has('recording') && has('displayName') && has('version')
              ? ['timeline of Safari’s Web Inspector', 'Safari opens it: Timelines, Import.']
              : has('mode') && has('frames') && (has('raw') || has('missed_samples'))
                ? ['stackprof profile (Ruby)', '"stackprof --collapsed" makes text that can be opened here.']
                : has('log') && has('entries') && has('creator')
                  ? ['HTTP archive (HAR)', 'A browser’s network view opens it.']
                  : [
                      'JSON that is no trace',
                      'A Chrome trace has "traceEvents", a speedscope file "profiles".',
                    ];
  return { format: undefined, name: start === '{' ? 'JSON that is no trace' : name, advice };
}

export function otherText(start: string): Recognised {
  const [name, advice] = /^<(?:!doctype html|html)/i.test(start)
    ? ['web page', 'A browser opens it. Pages made by systrace can be opened here.']
    : /^<(?:\?xml[^>]{0,200}\?>\s{0,8}<)?trace-toc\b/.test(start)
      ? [
          'list of what an Instruments trace holds',
          'Export its samples: xctrace export --xpath \'//table[@schema="time-profile"]\'.',
        ]
      : start.startsWith('<')
        ? ['XML', 'It is no trace that is known here.']
        : /^(?:version: |creator: |events: |# callgrind)/.test(start)
          ? ['Callgrind profile', 'KCachegrind opens it.']
          : start.startsWith('v8-version,')
            ? ['V8 log', '"node --prof-process" makes a report of it.']
            : [
                'text that is no trace',
                'Collapsed stacks have lines "outer;inner 12", Nanoscope’s "123:method".',
              ];
  return { format: undefined, name, advice };
}
