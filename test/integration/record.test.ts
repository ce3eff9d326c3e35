import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { recordingPresets } from '../../src/targets/presets.js';
import {
  type CounterTrack,
  EndReason,
  HookState,
  SampleKind,
  type ThreadTrack,
} from '../../src/trace/index.js';
import { IntervalState } from '../../src/trace/model/trace.js';
import { JavaProgram, jdks } from '../rigs/jvm/programs.js';
import { cpuOf, decodeFile, Recordings, socketFolders, threadNamed, totalCpu } from './recordings.js';
import { lasts } from '../rigs/until.js';

const cycles = Number(process.env['BTRACE_CYCLES'] ?? 5);

const asyncNs = recordingPresets.balanced.asyncIntervalNs;

/** Without those that tell of a wait, of which each is captured. */
function capturesAtWork({ intervals }: ThreadTrack): number {
  let sum = 0;
  for (let row = 0; row < intervals.count; row++)
    if (intervals.state[row] === IntervalState.Evidence) sum += intervals.samples[row]!;
  return sum;
}

/** What tools such as top show of a process's threads. */
function kernelThreadNames(pid: number): string[] {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder).map((tid) => {
    try {
      return readFileSync(path.join(folder, tid, 'comm'), 'utf8').trimEnd();
    } catch {
      return ''; // it ended just now
    }
  });
}

for (const jdk of jdks()) {
  describe(`a recording of a real program, JDK ${jdk.version}`, () => {
    let recordings: Recordings;
    let program: JavaProgram;

    before(async () => {
      recordings = new Recordings();
      // The option keeps JDK 21 and later from warning of an agent that is loaded late.
      const vmArgs = parseInt(jdk.version) >= 21 ? ['-XX:+EnableDynamicAgentLoading'] : [];
      program = await JavaProgram.start('shop', { jdk, vmArgs });
    });
    after(async () => {
      assert.equal(await program.end(), 0, 'its exit code is its own');
      assert.equal(program.output, 'open\n', 'nothing is printed into it');
      recordings.remove();
    });

    it('is listed by its name and version', async () => {
      const target = (await recordings.targets.list()).find(({ pid }) => pid === program.pid);
      assert.equal(target?.name, 'com.example.shop.Shop');
      assert.equal(target.runtime, `HotSpot ${jdk.version}`);
      assert.equal(target.refusal, undefined);
    });

    it('has the named threads, methods with lines, and CPU time where the work is', async () => {
      const session = await recordings.start(program.pid, { maxDurationMs: 2000 });
      const seen: number[] = [];
      const threads = new Set<string>();
      session.onStatus(({ samples }) => {
        seen.push(samples);
        for (const name of kernelThreadNames(program.pid)) threads.add(name);
      });
      const end = await session.ended;
      assert.equal(end.reason, 'limit');
      assert.equal(statSync(end.file).mode & 0o777, 0o600);
      assert.ok(
        seen.some((samples) => samples > 0),
        'the status counts while it records',
      );
      assert.ok(threads.has('btrace') && threads.has('btrace sampler'), [...threads].join(', '));
      assert.ok(
        session.status().hooks.every(({ state }) => state !== HookState.Installed),
        'all hooks are out',
      );

      const trace = decodeFile(end.file);
      assert.equal(trace.info.targetName, 'com.example.shop.Shop');
      assert.equal(trace.info.pid, program.pid);
      assert.ok(trace.complete);
      assert.equal(trace.endReason, EndReason.Limit);
      assert.deepEqual(trace.problems, []);
      const customer = threadNamed(trace, 'customer-1');
      // As often as is promised, whatever it got of the machine and however wide the interval is for the budget.
      const kept = trace.status?.sources?.map(({ effectiveNs: effectiveNs }) => effectiveNs) ?? [];
      const promised = cpuOf(customer) / Math.max(...kept, asyncNs);
      const atWork = capturesAtWork(customer);
      assert.ok(atWork > promised, `${atWork} captures at work for ${promised}`);
      const totals = totalCpu(trace, customer);
      const search = totals.get('com.example.shop.Search.find') ?? 0;
      const all = totals.get('com.example.shop.Shop.serveCustomers') ?? 0;
      assert.ok(search > 0.2 * all && search < all, `search ${search} of ${all} ns`);
      for (let method = 0; method < trace.methods.count; method++) {
        if (trace.methods.qualifiedName(method) !== 'com.example.shop.Search.distance') continue;
        assert.equal(trace.methods.file(method), 'Search.java');
        assert.equal(trace.methods.firstLine(method), 23);
      }
      const counters = new Map(trace.counters.map((counter) => [counter.name, counter]));
      assert.deepEqual([...counters.keys()], ['CPU', 'heap used', 'resident memory', 'threads']);
      for (const { name, count, value, time } of counters.values()) {
        assert.ok(count > 2, `${name}: ${count} values in two seconds`);
        for (let row = 0; row < count; row++) {
          assert.ok((value[row] as number) > 0, `${name} is ${value[row]}`);
          assert.ok(row === 0 || (time[row] as number) > (time[row - 1] as number), `${name} goes on`);
        }
      }
      const highest = (name: string): number => {
        const { count, value } = counters.get(name) as CounterTrack;
        return Math.max(...value.subarray(0, count));
      };
      assert.ok(highest('heap used') < highest('resident memory'), 'the heap is in the memory');
      assert.ok(highest('threads') >= trace.threads.length, 'all recorded threads were counted');
    });

    it('has names, files and lines in its file soon, while it goes on', async () => {
      const session = await recordings.start(program.pid, { file: recordings.file('live.btrace') });
      for (let seen = ''; seen !== 'Search.java:23';) {
        await new Promise<void>((resolve) => session.onStatus(() => resolve()));
        const { methods, complete } = decodeFile(session.file);
        assert.ok(!complete);
        for (let method = 0; method < methods.count; method++)
          if (methods.qualifiedName(method) === 'com.example.shop.Search.distance')
            seen = `${methods.file(method)}:${methods.firstLine(method)}`;
      }
      assert.equal((await session.stop()).reason, 'stopped');
    });

    it('tells only of the main thread, and of collections, where that alone is asked for', async () => {
      const trace = await recordings.record(program.pid, 1000, {
        mainOnly: true,
        file: recordings.file('main.btrace'),
      });
      const main = threadNamed(trace, 'main');
      assert.ok(main.isMain);
      // It waits for its input all the time, while customers work.
      assert.ok(main.sampleCount > 0, String(main.sampleCount));
      const kinds = trace.status?.costs.filter(({ count }) => count > 0).map(({ kind }) => kind) ?? [];
      const others = kinds.filter((kind) => kind !== SampleKind.ExternalSampler && kind !== SampleKind.Gc);
      assert.deepEqual(others, [], 'nobody waits for the main thread, and it does nothing');
      assert.equal(trace.threads.find(({ name }) => name === 'customer-1')?.sampleCount ?? 0, 0);
    });

    it('can be made again and again', async function () {
      lasts(this, cycles * 1000);
      for (let round = 0; round < cycles; round++) {
        const session = await recordings.start(program.pid, {
          file: recordings.file(`again-${round}.btrace`),
        });
        await new Promise<void>((resolve) => {
          session.onStatus(({ samples }) => {
            if (samples > 0) resolve();
          });
        });
        assert.equal((await session.stop()).reason, 'stopped');
        rmSync(session.file);
      }
      assert.deepEqual(socketFolders(), []);
    });
  });
}
