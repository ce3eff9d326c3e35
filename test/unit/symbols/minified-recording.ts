/** A recording of a program that R8 has minified, and its mapping: small enough to say by hand what it is. */
import { CounterBit, SampleKind } from '../../../src/trace/model/kinds.js';
import { ChunkKind, encodeChunk, fileMagic } from '../../../src/trace/recording/chunk.js';
import { Classes, Footer, Header, Methods, Threads } from '../../../src/trace/recording/messages.js';
import { encodeNodes } from '../../../src/trace/recording/nodes.js';
import { encodeSamples } from '../../../src/trace/recording/samples.js';

/**
 * `a.b.a` is Till.open with Cart.total and Line.price inlined into it at lines 4 to 6. `a.b.b` are two overloads, which their lines
 * tell apart. `a.c.a` is an outline: its code is of Till.close. `a.d` was made up altogether.
 */
export const mapping = `# compiler: R8
# {"id":"com.android.tools.r8.mapping","version":"2.2"}
shop.Till -> a.b:
# {"id":"sourceFile","fileName":"Till.kt"}
    1:3:void open(int):10:12 -> a
    4:6:int shop.Line.price():70:72 -> a
    4:6:int shop.Cart.total():44:44 -> a
    4:6:void open(int):13:13 -> a
    1:2:void add(int):20:21 -> b
    3:4:void add(java.lang.String):30:31 -> b
    1:1:void close():90:90 -> c
# {"id":"com.android.tools.r8.outlineCallsite","positions":{"1":2,"2":3},"outline":"La/c;a()V"}
    2:2:void close():91:91 -> c
    3:3:void close():92:92 -> c
shop.Outlines -> a.c:
    1:2:void outline():0:0 -> a
# {"id":"com.android.tools.r8.outline"}
shop.Made -> a.d:
# {"id":"com.android.tools.r8.synthesized"}
    1:1:void run():0:0 -> a
# {"id":"com.android.tools.r8.synthesized"}
shop.Unused -> a.e:
    1:1:void run():5:5 -> a
shop.Line -> a.f:
# {"id":"sourceFile","fileName":"Lines.java"}
    1:1:void other():5:5 -> a
`;

interface Recorded {
  readonly runtime?: string;
  /** Where a class has the name of its source file. */
  readonly file?: string;
  /** Frames as "method:line", outermost first; each sample stands for 1 ms. */
  readonly stacks: readonly (readonly string[])[];
  /** The third sample waits in its innermost call, 1 ms, for an a.f. */
  readonly waits?: boolean;
}

const classNames = ['a.b', 'a.c', 'a.d', 'a.f', 'kept.Main'];
const lines = 9;

/** Lines are their own positions. */
export function minifiedRecording({
  runtime = 'ART 14',
  file = 'SourceFile',
  stacks,
  waits = false,
}: Recorded): Uint8Array {
  const methods: string[] = [];
  const nodes = {
    id: [] as number[],
    parent: [] as number[],
    frame: [] as number[],
    position: [] as number[],
  };
  const known = new Map<string, number>();
  const stack = stacks.map((frames) => {
    let parent = 0;
    for (const frame of frames) {
      const key = `${String(parent)} ${frame}`;
      let id = known.get(key);
      if (id === undefined) {
        id = known.size + 1;
        known.set(key, id);
        const [name = '', line = '0'] = frame.split(':');
        if (!methods.includes(name)) methods.push(name);
        nodes.id.push(id);
        nodes.parent.push(parent);
        nodes.frame.push(methods.indexOf(name) + 1);
        nodes.position.push(Number(line));
      }
      parent = id;
    }
    return parent;
  });
  const time = stacks.map((_, at) => at * 1e6);
  const wait = stacks.map((_, at) => (waits && at === 2 ? 1 : 0));
  const chunks: [number, Uint8Array][] = [
    [
      ChunkKind.Header,
      Header.encode({ major: 1, target: { name: 'shop', runtime }, config: { syncIntervalNs: 1e6 } }),
    ],
    [ChunkKind.Threads, Threads.encode({ threads: [{ index: 1, tid: 7, name: 'main', isMain: true }] })],
    [
      ChunkKind.Classes,
      Classes.encode({ classes: classNames.map((name, at) => ({ id: at + 1, name, file })) }),
    ],
    [
      ChunkKind.Methods,
      Methods.encode({
        methods: methods.map((name, at) => {
          const dot = name.lastIndexOf('.');
          return {
            id: at + 1,
            classId: classNames.indexOf(name.slice(0, dot)) + 1,
            name: name.slice(dot + 1),
            linePosition: Array.from({ length: lines }, () => 1),
            lineNumber: Array.from({ length: lines }, () => 1),
          };
        }),
      }),
    ],
    [ChunkKind.Nodes, encodeNodes(nodes)],
    [
      ChunkKind.Samples,
      encodeSamples([
        {
          thread: 1,
          counters: CounterBit.Cpu,
          time: time.map((at, row) => at - (wait[row] ?? 0) * 1e6),
          duration: wait.map((is) => is * 1e6),
          cpu: time.map((at) => at / 2),
          stack,
          kind: wait.map((is) => (is === 1 ? SampleKind.Wait : SampleKind.Allocation)),
          type: wait.map((is) => (is === 1 ? classNames.indexOf('a.f') + 1 : 0)),
        },
      ]),
    ],
    [ChunkKind.Footer, Footer.encode({ endNs: stacks.length * 1e6 })],
  ];
  const parts = chunks.map(([kind, payload], at) => encodeChunk(kind, payload, at));
  return new Uint8Array(Buffer.concat([fileMagic, ...parts]));
}
