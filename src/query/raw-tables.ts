/** Every table of the schema `raw`: what a trace holds, under the numbers of sources.ts. */
import { countedValue, tellingPath } from '../trace/assemble/own-counters.js';
import { lineFigures, wholeTrace } from '../trace/index.js';
import { framesOf } from '../trace/measure/late-frames.js';
import { messageFigures } from '../trace/measure/messages.js';
import { Jank } from '../trace/model/kinds.js';
import { type Frames } from '../trace/model/trace.js';
import { rawCall, rawSample } from './raw-calls.js';
import { rawCounter, rawCounterTrack } from './raw-counters.js';
import { none, type RawTable, smallTable } from './raw-table.js';
import { rawThreadState } from './raw-thread-states.js';
import { stackIds } from './stack-ids.js';

const rawTrace = smallTable(
  'trace',
  [
    ['id', 'INTEGER'],
    ['file', 'VARCHAR'],
    ['format', 'VARCHAR'],
    ['target', 'VARCHAR'],
    ['runtime', 'VARCHAR'],
    ['device', 'VARCHAR'],
    ['build', 'VARCHAR'],
    ['begin_ts', 'BIGINT'],
    ['end_ts', 'BIGINT'],
    ['samples', 'BIGINT'],
    ['dropped', 'BIGINT'],
    ['is_whole', 'INTEGER'],
  ],
  ({ id, file, trace: { info, beginNs, endNs, status, complete, part } }) => [
    [
      id,
      file,
      info.format,
      info.targetName,
      info.runtime,
      info.device,
      info.buildId,
      beginNs,
      endNs,
      status?.samples ?? none,
      status?.dropped ?? none,
      complete && part === undefined ? 1 : 0,
    ],
  ],
);

const rawProcess = smallTable(
  'process',
  [
    ['upid', 'INTEGER'],
    ['pid', 'INTEGER'],
    ['name', 'VARCHAR'],
    ['begin_ts', 'BIGINT'],
    ['end_ts', 'BIGINT'],
  ],
  ({ id, trace: { info, beginNs, endNs } }) => [[id, info.pid, info.targetName, beginNs, endNs]],
);

const rawThread = smallTable(
  'thread',
  [
    ['utid', 'INTEGER'],
    ['tid', 'INTEGER'],
    ['name', 'VARCHAR'],
    ['upid', 'INTEGER'],
    ['is_main', 'INTEGER'],
    ['begin_ts', 'BIGINT'],
    ['end_ts', 'BIGINT'],
    ['creator', 'INTEGER'],
  ],
  ({ id, trace, utidOf }) =>
    trace.threads.map((thread) => [
      utidOf(thread.index),
      thread.tid,
      thread.name,
      id,
      thread.isMain ? 1 : 0,
      thread.beginNs,
      thread.endNs === 0 ? trace.endNs : thread.endNs,
      utidOf(thread.creator),
    ]),
);

const rawMethod = smallTable(
  'method',
  [
    ['id', 'INTEGER'],
    ['name', 'VARCHAR'],
    ['class', 'VARCHAR'],
    ['method', 'VARCHAR'],
    ['signature', 'VARCHAR'],
    ['file', 'VARCHAR'],
    ['line', 'INTEGER'],
    ['kind', 'INTEGER'],
  ],
  function* ({ trace: { methods }, firstMethod }) {
    for (let at = 0; at < methods.count; at++)
      yield [
        firstMethod + at,
        methods.qualifiedName(at),
        methods.className(at),
        methods.name(at),
        methods.signature(at),
        methods.file(at),
        methods.firstLine(at),
        methods.kind(at),
      ];
  },
);

const rawPath = smallTable(
  'path',
  [
    ['id', 'INTEGER'],
    ['parent_id', 'INTEGER'],
    ['method_id', 'INTEGER'],
    ['depth', 'INTEGER'],
    ['stack_id', 'BIGINT'],
  ],
  function* ({ trace, firstPath, firstMethod }) {
    const { parent, method, depth, count } = trace.paths;
    const stacks = stackIds(trace);
    for (let at = 1; at < count; at++) {
      const above = parent[at] as number;
      yield [
        firstPath + at,
        above === 0 ? none : firstPath + above,
        firstMethod + (method[at] as number),
        (depth[at] as number) - 1,
        stacks[at] as number,
      ];
    }
  },
);

const rawWait = smallTable(
  'wait',
  [
    ['ts', 'BIGINT'],
    ['dur', 'BIGINT'],
    ['utid', 'INTEGER'],
    ['kind', 'INTEGER'],
    ['path_id', 'INTEGER'],
    ['method_id', 'INTEGER'],
    ['object', 'BIGINT'],
    ['object_class', 'VARCHAR'],
    ['owner_utid', 'INTEGER'],
    ['link_id', 'INTEGER'],
    ['flags', 'INTEGER'],
    ['line', 'INTEGER'],
    ['owner_method_id', 'INTEGER'],
    ['owner_line', 'INTEGER'],
  ],
  function* ({ trace, utidOf, firstPath, firstMethod, firstLink }) {
    for (const { index, waits } of trace.threads)
      for (let at = 0; at < waits.count; at++) {
        const begin = waits.begin[at] as number;
        const path = waits.path[at] as number;
        const type = waits.type[at] as number;
        const link = waits.link[at] as number;
        const ownerMethod = waits.told?.ownerMethod[at] ?? -1;
        yield [
          begin,
          (waits.end[at] as number) - begin,
          utidOf(index),
          waits.kind[at] as number,
          path === 0 ? none : firstPath + path,
          path === 0 ? none : firstMethod + (trace.paths.method[path] as number),
          waits.object[at] as number,
          type === 0 ? '' : trace.className(type),
          utidOf(waits.owner[at] as number),
          link < 0 ? none : firstLink + link,
          waits.flags[at] as number,
          waits.told?.line[at] ?? 0,
          ownerMethod < 0 ? none : firstMethod + ownerMethod,
          waits.told?.ownerLine[at] ?? 0,
        ];
      }
  },
);

const rawLink = smallTable(
  'link',
  [
    ['id', 'INTEGER'],
    ['waiter_utid', 'INTEGER'],
    ['waiter_ts', 'BIGINT'],
    ['waker_utid', 'INTEGER'],
    ['waker_ts', 'BIGINT'],
    ['certainty', 'INTEGER'],
  ],
  function* ({ trace: { links }, utidOf, firstLink }) {
    for (let at = 0; at < links.count; at++)
      yield [
        firstLink + at,
        utidOf(links.waiter[at] as number),
        links.waiterTime[at] as number,
        utidOf(links.waker[at] as number),
        links.wakerTime[at] as number,
        links.certainty[at] as number,
      ];
  },
);

const rawMessage = smallTable(
  'message',
  [
    ['id', 'INTEGER'],
    ['ts', 'BIGINT'],
    ['dur', 'BIGINT'],
    ['cpu', 'BIGINT'],
    ['wait', 'BIGINT'],
    ['utid', 'INTEGER'],
    ['method_id', 'INTEGER'],
  ],
  function* ({ trace, utidOf, firstMethod }) {
    const { count, thread, id, begin, end, cpu, wait, method } = messageFigures(trace);
    for (let at = 0; at < count; at++) {
      const from = begin[at] as number;
      const most = method[at] as number;
      yield [
        id[at] as number,
        from,
        (end[at] as number) - from,
        cpu[at] as number,
        wait[at] as number,
        utidOf(thread[at] as number),
        most < 0 ? none : firstMethod + most,
      ];
    }
  },
);

const rawLine = smallTable(
  'line',
  [
    ['method_id', 'INTEGER'],
    ['line', 'INTEGER'],
    ['self_wall', 'BIGINT'],
    ['total_wall', 'BIGINT'],
    ['self_cpu', 'BIGINT'],
    ['total_cpu', 'BIGINT'],
    ['self_bytes', 'BIGINT'],
    ['total_bytes', 'BIGINT'],
  ],
  function* ({ trace, firstMethod }) {
    const lines = lineFigures(trace, wholeTrace);
    for (let at = 0; at < lines.count; at++)
      yield [
        firstMethod + (lines.method[at] as number),
        lines.line[at] as number,
        lines.selfWall[at] as number,
        lines.totalWall[at] as number,
        lines.selfCpu[at] as number,
        lines.totalCpu[at] as number,
        lines.selfBytes[at] as number,
        lines.totalBytes[at] as number,
      ];
  },
);

const rawEvent = smallTable(
  'event',
  [
    ['ts', 'BIGINT'],
    ['utid', 'INTEGER'],
    ['kind', 'INTEGER'],
    ['method_id', 'INTEGER'],
    ['text', 'VARCHAR'],
    ['object_class', 'VARCHAR'],
    ['value', 'BIGINT'],
  ],
  function* ({ trace, utidOf, firstMethod }) {
    for (const { index, events } of trace.threads)
      for (let at = 0; at < events.count; at++) {
        const [text, type] = [events.text[at] as number, events.type[at] as number];
        const value = countedValue(events.kind[at] as number, events.object[at] as number);
        const path =
          value === undefined ? (events.path[at] as number) : tellingPath(trace, events.path[at] as number);
        yield [
          events.time[at] as number,
          utidOf(index),
          events.kind[at] as number,
          path === 0 ? none : firstMethod + (trace.paths.method[path] as number),
          text === 0 ? '' : trace.text(text),
          type === 0 ? '' : trace.className(type),
          value ?? none,
        ];
      }
  },
);

/** Perfetto's words, by the bits of `Jank`. */
const jankWords: readonly (readonly [number, string])[] = [
  [Jank.None, 'None'],
  [Jank.CompositorScheduling, 'SurfaceFlinger Scheduling'],
  [Jank.Prediction, 'Prediction Error'],
  [Jank.Display, 'Display HAL'],
  [Jank.CompositorCpu, 'SurfaceFlinger CPU Deadline Missed'],
  [Jank.CompositorGpu, 'SurfaceFlinger GPU Deadline Missed'],
  [Jank.AppDeadline, 'App Deadline Missed'],
  [Jank.BufferStuffing, 'Buffer Stuffing'],
  [Jank.Unknown, 'Unknown Jank'],
  [Jank.CompositorStuffing, 'SurfaceFlinger Stuffing'],
  [Jank.Dropped, 'Dropped Frame'],
];

const rawFrame = smallTable(
  'frame',
  [
    ['ts', 'BIGINT'],
    ['dur', 'BIGINT'],
    ['upid', 'INTEGER'],
    ['pid', 'INTEGER'],
    ['token', 'BIGINT'],
    ['jank_type', 'VARCHAR'],
    ['late', 'BIGINT'],
    ['has_deadline', 'INTEGER'],
  ],
  function* ({ id, trace }) {
    const frames = framesOf(trace);
    for (let at = 0; at < (frames?.count ?? 0); at++) {
      const { begin, end, deadline, pid, token, jank } = frames as Frames;
      const [from, to] = [begin[at] as number, end[at] as number];
      const late = to - (deadline[at] as number);
      const words = jankWords.filter(([bit]) => ((jank[at] as number) & bit) !== 0);
      yield [
        ...[from, to - from, id, pid[at] as number, token[at] as number],
        words.map(([, word]) => word).join(', '),
        ...(late === late ? [late, 1] : [0, 0]),
      ];
    }
  },
);

/** Sections of a system's trace beside the recording, also those of threads that are not in it. */
const rawSection = smallTable(
  'section',
  [
    ['ts', 'BIGINT'],
    ['dur', 'BIGINT'],
    ['name', 'VARCHAR'],
    ['depth', 'INTEGER'],
    ['utid', 'INTEGER'],
    ['tid', 'INTEGER'],
    ['pid', 'INTEGER'],
    ['thread_name', 'VARCHAR'],
  ],
  function* ({ trace, utidOf }) {
    const sections = trace.system?.sections;
    if (sections === undefined) return;
    const own = new Map(trace.threads.map(({ tid, index }) => [tid, utidOf(index)]));
    for (const { tid, pid = 0, name: thread, calls } of sections.threads) {
      const utid = tid > 0 ? (own.get(tid) ?? none) : none;
      for (let row = 0; row < calls.count; row++) {
        const [begin, end] = [calls.begin[row] as number, calls.end[row] as number];
        const name = sections.methods.qualifiedName(calls.method[row] as number);
        yield [begin, end - begin, name, calls.depth[row] as number, utid, tid, pid, thread];
      }
    }
  },
);

export const rawTables: readonly RawTable[] = [
  rawTrace,
  rawProcess,
  rawThread,
  rawMethod,
  rawPath,
  rawCall,
  rawSample,
  rawWait,
  rawLink,
  rawMessage,
  rawLine,
  rawEvent,
  rawCounterTrack,
  rawCounter,
  rawThreadState,
  rawFrame,
  rawSection,
];
