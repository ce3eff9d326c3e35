import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { exporters } from '../../../src/trace/formats/index.js';
import { writeSpeedscope } from '../../../src/trace/formats/speedscope-export.js';
import { SpeedscopeImporter } from '../../../src/trace/formats/speedscope-import.js';
import { methodFigures, sumScope, type Trace, wholeTrace } from '../../../src/trace/index.js';
import { decoded, synthetic } from '../trace/recordings.js';
import { importWhole, written } from './round-trip.js';
import { randomTrace, smallTrace } from './sample-traces.js';

const release = path.join('node_modules', 'speedscope', 'dist', 'release');

interface Node {
  readonly frame: { readonly name: string };
  getTotalWeight(): number;
}
interface Profile {
  getName(): string;
  getTotalWeight(): number;
  forEachCall(open: (node: Node, value: number) => void, close: (node: Node, value: number) => void): void;
}
type Import = (name: string, buffer: ArrayBuffer) => Promise<{ profiles: Profile[] } | null>;

/**
 * speedscope's own importer. Its package holds only the built page, so the page's script is run without a document and
 * the function that its file input calls is taken out of it.
 */
function theirImporter(): Import {
  const file = readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name));
  assert.ok(file !== undefined, 'speedscope is not installed');
  const script = readFileSync(path.join(release, file), 'utf8');
  const [, loader] = /await (\w+)\)\.importProfilesFromArrayBuffer/.exec(script) ?? [];
  // loader = Promise.resolve().then(() => (define(), module)): `define` makes the module's functions ready.
  const [, define, module] =
    new RegExp(`\\b${loader}=Promise\\.resolve\\(\\)\\.then\\(\\(\\)=>\\((\\w+)\\(\\),(\\w+)\\)\\)`).exec(
      script,
    ) ?? [];
  assert.ok(
    module !== undefined,
    'speedscope’s importer is not where it was: look for importProfilesFromArrayBuffer',
  );
  const open = script.indexOf('{');
  const take = `setTimeout(() => (${define}(), found(${module}.importProfilesFromArrayBuffer)));`;
  const taken = script.slice(0, open + 1) + take + script.slice(open + 1);
  let found: Import | undefined;
  const context = vm.createContext({
    found: (importer: Import) => (found = importer),
    setTimeout: (run: () => void) => timers.push(run),
    console: { log() {}, warn() {}, time() {}, timeEnd() {} },
    TextDecoder,
    TextEncoder,
    URL,
    atob,
  });
  const timers: (() => void)[] = [];
  try {
    vm.runInContext(taken, context);
  } catch {
    // It stops where it needs a document: by then everything is defined.
  }
  for (const run of timers) run();
  assert.ok(found !== undefined);
  return found;
}

describe('speedscope itself', () => {
  const theirs = theirImporter();

  for (const id of ['speedscope', 'chrome', 'collapsed']) {
    it(`reads what is written as ${id}`, async () => {
      // Of Chrome's events it sorts begins and ends apart, so it cannot tell what happened first at one time.
      const traces =
        id === 'chrome'
          ? [randomTrace(4, 200, true), randomTrace(5, 500, true)]
          : [smallTrace(), randomTrace(5, 200)];
      for (const trace of traces) {
        const { write, extension } = exporters.find((exporter) => exporter.id === id)!;
        const bytes = written(write, trace);
        const buffer = new Uint8Array(bytes).buffer;
        const group = await theirs(`trace${extension}`, buffer);
        assert.ok(group !== null, 'it did not recognise the file');
        // Collapsed stacks are one profile there.
        if (id === 'collapsed') {
          assert.equal(group.profiles[0]!.getTotalWeight(), ownWall(trace));
          continue;
        }
        assert.equal(group.profiles.length, trace.threads.length);
        const scale = id === 'chrome' ? 1000 : 1;
        trace.threads.forEach((thread, i) => {
          const { calls } = thread;
          const base = calls.begin[0]!;
          const wanted = Array.from(
            { length: calls.count },
            (_, row) =>
              `${trace.methods.qualifiedName(calls.method[row]!)} ${calls.begin[row]! - base}..${calls.end[row]! - base}`,
          );
          assert.deepEqual(withLength(theirCalls(group.profiles[i]!, scale)), withLength(wanted));
        });
      }
    });
  }
});

/** Its calls, in the order they begin. It counts time from a profile's first event. */
function theirCalls(profile: Profile, scale: number): string[] {
  const calls: string[] = [];
  const open: { readonly row: number; readonly at: number }[] = [];
  profile.forEachCall(
    (_, value) => {
      open.push({ row: calls.length, at: Math.round(value * scale) });
      calls.push('');
    },
    (node, value) => {
      const { row, at } = open.pop()!;
      calls[row] = `${node.frame.name} ${at}..${Math.round(value * scale)}`;
    },
  );
  return calls;
}

/** It leaves out calls of no length. */
function withLength(calls: readonly string[]): string[] {
  return calls.filter((call) => !/ (\d+)\.\.\1$/.test(call));
}

function ownWall(trace: ReturnType<typeof smallTrace>): number {
  let sum = 0;
  for (const { intervals } of trace.threads) {
    for (let i = 0; i < intervals.count; i++) sum += intervals.end[i]! - intervals.begin[i]!;
  }
  return sum;
}

describe('what is written for speedscope on CPU time', () => {
  it('has of each method what it used itself', async () => {
    const options = { seed: 5, samples: 5000, threads: 1, depth: 6, methods: 40, waiting: 0.1 };
    const trace = decoded((await synthetic(options)).bytes);
    const read = importWhole(
      new SpeedscopeImporter(),
      Buffer.from(written(writeSpeedscope, trace, { weight: 'cpu' })),
    );
    const own = (of: Trace, weight: 'cpu' | 'wall'): Map<string, number> => {
      const { count, method, self } = methodFigures(sumScope(of, wholeTrace), of.methods.count);
      const byName = new Map<string, number>();
      for (let row = 0; row < count; row++) {
        const name = of.methods.qualifiedName(method[row]!);
        byName.set(name, (byName.get(name) ?? 0) + self[weight][row]!);
      }
      return byName;
    };
    const used = own(trace, 'cpu');
    const drawn = own(read, 'wall');
    const lasted = own(trace, 'wall');
    const sum = (of: Map<string, number>): number => [...of.values()].reduce((a, b) => a + b, 0);
    assert.ok(sum(used) < 0.97 * sum(lasted), 'there is waiting in it');
    // Begins and ends are rounded to ns.
    for (const [name, cpu] of used)
      assert.ok(Math.abs((drawn.get(name) ?? 0) - cpu) <= 10_000, `${name}: ${drawn.get(name)}, used ${cpu}`);
  });
});

describe('speedscope files of others', () => {
  const profile = (more: object) => ({ name: 'heap', type: 'sampled', samples: [[0], [0, 1]], ...more });
  const read = (...profiles: object[]) =>
    importWhole(
      new SpeedscopeImporter(),
      Buffer.from(
        JSON.stringify({ shared: { frames: [{ name: 'a' }, { name: 'b', line: null }] }, profiles }),
      ),
    );

  it('may hold what is no time, and no weights: it is drawn, and told', () => {
    const trace = read(profile({ unit: 'bytes', weights: [3, 4] }));
    assert.equal(trace.info.modeReason, 'The values of the file are bytes: 1 is drawn as 1 ms');
    assert.deepEqual([trace.threads[0]!.calls.count, trace.endNs], [2, 7e6]);
    const bare = read(profile({}));
    assert.equal(bare.info.modeReason, 'The file does not say what its values are: 1 is drawn as 1 ms');
    assert.equal(bare.endNs, 2e6);
    assert.equal(read(profile({ unit: 'constructor', weights: [3, 4] })).endNs, 7e6);
    assert.equal(read(profile({ unit: 'seconds', weights: [1, 2] })).info.modeReason, '');
  });

  it('may leave calls open: they end with the trace, which lasts as long as a profile says', () => {
    const open = (frame: number, at: number): object => ({ type: 'O', frame, at });
    const events = [open(0, 100), open(1, 200)];
    const evented = (more: object): object => ({ name: 't', unit: 'nanoseconds', events, ...more });
    const endsOf = (trace: Trace): number[] => [...trace.threads[0]!.calls.end].slice(0, 2);
    assert.deepEqual(endsOf(read(evented({ startValue: 100, endValue: 500 }))), [400, 400]);
    assert.deepEqual(endsOf(read(evented({ startValue: null, endValue: null }))), [100, 100]);
    assert.deepEqual(endsOf(read(evented({ endValue: 150 }))), [100, 100]);
    // Of a file that is cut nobody knows what came until there.
    const profiles = [{ endValue: 500, ...evented({ events: [...events, open(0, 300)] }) }];
    const text = JSON.stringify({ shared: { frames: [{ name: 'a' }, { name: 'b' }] }, profiles });
    const cut = importWhole(new SpeedscopeImporter(), Buffer.from(text.slice(0, text.lastIndexOf('"at"'))));
    assert.deepEqual(endsOf(cut), [100, 100]);
  });
});
