// Recordings that real JVMs make of a program that does once what Flight Recorder has events for.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, it } from 'mocha';
import {
  lineFigures,
  MethodKind,
  SampleKind,
  sumScope,
  methodFigures,
  type ThreadTrack,
  type Trace,
  TraceReader,
  wholeTrace,
} from '../../src/trace/index.js';
import { compile, oneJdk, mainClasses } from '../rigs/jvm/programs.js';

const run = promisify(execFile);
const rig = path.join('test', 'rigs', 'jvm', 'flight');

function read(bytes: Uint8Array): Trace {
  const reader = new TraceReader();
  for (let at = 0; at < bytes.length; at += 10_000) reader.append(bytes.slice(at, at + 10_000));
  reader.finish();
  return reader.trace();
}

function named(trace: Trace, name: string): ThreadTrack {
  const thread = trace.threads.find((one) => one.name === name);
  assert.ok(thread, `no thread ${name} among ${trace.threads.map((one) => one.name).join(', ')}`);
  return thread;
}

/** The lengths of a thread's waits of a kind, in ms, the longest first. */
function waitsMs({ waits }: ThreadTrack, kind: number): number[] {
  const rows = Array.from({ length: waits.count }, (_, row) => row).filter((row) => waits.kind[row] === kind);
  return rows.map((row) => (waits.end[row]! - waits.begin[row]!) / 1e6).sort((a, b) => b - a);
}

/** Figures of one method, found by its name. */
function figuresOf(trace: Trace, name: string): { cpuMs: number; bytes: number; method: number } {
  const figures = methodFigures(sumScope(trace, wholeTrace), trace.methods.count);
  for (let row = 0; row < figures.count; row++) {
    const method = figures.method[row]!;
    if (trace.methods.qualifiedName(method) === name)
      return { cpuMs: figures.self.cpu[row]! / 1e6, bytes: figures.total.allocatedBytes[row]!, method };
  }
  assert.fail(`no figures of ${name}`);
}

async function recorded(java: string): Promise<Buffer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-'));
  try {
    const file = path.join(folder, 'flight.jfr');
    const options = `filename=${file},settings=${path.resolve(rig, 'flight.jfc')}`;
    await run(java, [
      `-XX:StartFlightRecording=${options}`,
      '-Xmx64m',
      ...['-cp', compile('flight'), mainClasses.flight, 'first'],
    ]);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const { home, version } of oneJdk('newest')) {
  describe(`what Flight Recorder of JDK ${version} writes`, function () {
    let bytes: Buffer;
    let trace: Trace;
    before(async () => {
      bytes = await recorded(path.join(home, 'bin/java'));
      trace = read(bytes);
    });

    it('is read without a problem, and says what was recorded', () => {
      assert.deepEqual(
        trace.problems.filter(({ what }) => !/stack/.test(what)),
        [],
      );
      assert.equal(trace.info.targetName, 'Flight');
      assert.ok(trace.info.pid > 0);
      assert.ok(trace.info.runtime.includes(version.split('+')[0]!), trace.info.runtime);
      assert.match(trace.info.modeReason, /10 ms as a rule/);
    });

    it('gives the worker its CPU time, and the line that used it', () => {
      // The JVM's sampler comes as it can: on a machine that is busy it sees little of the worker.
      const { cpuMs, method } = figuresOf(trace, 'Flight.price');
      assert.ok(cpuMs > 0, `${cpuMs} ms`);
      const source = readFileSync(path.join(rig, 'Flight.java'), 'utf8').split('\n');
      const lines = lineFigures(trace, wholeTrace);
      let withinMs = 0;
      const first = source.findIndex((line) => line.includes('static long price'));
      const last = source.findIndex((line) => line.includes('return sum'));
      for (let row = 0; row < lines.count; row++) {
        const at = lines.line[row]! - 1;
        if (lines.method[row] === method && at > first && at <= last) withinMs += lines.selfCpu[row]! / 1e6;
      }
      assert.ok(withinMs > 0.99 * cpuMs, `${withinMs} of ${cpuMs} ms in lines of the method`);
    });

    it('has each wait with its length, what it was for, and who held that', () => {
      const main = named(trace, 'main');
      const atLeast = (thread: ThreadTrack, kind: number, ms: number): void => {
        const longest = waitsMs(thread, kind)[0] ?? 0;
        assert.ok(longest >= ms, `${thread.name} waited ${longest} ms, not ${ms}, for kind ${kind}`);
      };
      atLeast(main, SampleKind.Park, 60);
      atLeast(main, SampleKind.Wait, 49);
      atLeast(main, SampleKind.Io, 5); // of the socket: the client sleeps for 300 ms
      atLeast(named(trace, 'holder'), SampleKind.Sleep, 119);
      assert.ok(waitsMs(main, SampleKind.Io).length >= 3, 'a read and a write of a file');
      assert.equal(waitsMs(main, SampleKind.SyncToDisk).length, 1);
      const waiter = named(trace, 'waiter');
      atLeast(waiter, SampleKind.Monitor, 100);
      const row = waiter.waits.kind.indexOf(SampleKind.Monitor);
      assert.equal(trace.className(waiter.waits.type[row]!), 'Flight$Till');
      assert.equal(waiter.waits.owner[row], named(trace, 'holder').index);
    });

    it('has what was allocated, collected and started', () => {
      // Of 60 MB; samples are estimates, and on a busy machine low ones.
      const { bytes: allocated } = figuresOf(trace, 'Flight.allocate');
      assert.ok(allocated > 1e6 && allocated < 120e6, `${allocated} bytes`);
      const pauses = named(trace, 'garbage collection pauses');
      assert.ok(waitsMs(pauses, SampleKind.Gc).length > 0);
      const full = Array.from(pauses.calls.method.slice(0, pauses.calls.count), (method) =>
        trace.methods.name(method),
      );
      assert.ok(
        full.some((name) => /System\.gc\(\)/.test(name)),
        full.join(', '),
      );
      for (const name of ['worker', 'holder', 'waiter']) {
        const { creator, beginNs, endNs } = named(trace, name);
        assert.equal(creator, named(trace, 'main').index);
        assert.ok(beginNs >= 0 && endNs > beginNs, `${name}: ${beginNs} to ${endNs}`);
      }
      const counters = trace.counters.map(({ name }) => name);
      assert.ok(
        counters.includes('heap used') && counters.includes('CPU load: machine'),
        counters.join(', '),
      );
      assert.equal(trace.methods.kind(figuresOf(trace, 'Flight.price').method), MethodKind.Managed);
    });

    it('is shown as far as it goes where it was torn', () => {
      // The description stands behind the events: a chunk that lacks it cannot be read, but one after another can.
      const whole = read(Buffer.concat([bytes, bytes.subarray(0, bytes.length >> 1)]));
      assert.match(whole.problems.map(({ what }) => what).join(), /last chunk was not finished/);
      assert.ok(figuresOf(whole, 'Flight.price').cpuMs > 0);
      const torn = read(bytes.subarray(0, 300));
      assert.match(torn.problems.map(({ what }) => what).join(), /does not describe its events/);
    });
  });
}
