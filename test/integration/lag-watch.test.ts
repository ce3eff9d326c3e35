/** The lag watch in a JVM program: what was planted is found and written, and the next start knows how the last run ended. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { buildInApp, inAppJar } from '../../scripts/build-in-app.mjs';
import { root } from '../../scripts/setup.mjs';
import { decodeRecording } from '../../src/trace/assemble/decode.js';
import { lagNs, type LagRecord, readLagRecord } from '../../src/trace/lags/lag-record.js';
import { firstOwnFrame } from '../../src/trace/lags/passed-over.js';
import { mainJdk } from '../rigs/jvm/programs.js';
import { waitLimitMs } from '../rigs/wait-limit.js';
import { monotonicNs, until } from '../rigs/until.js';

const limitNs = 250e6;
const endCodes = { unknown: 0, ownExit: 1, killedInFront: 6, freeze: 8 };

describe('the lag watch of a JVM program', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'btrace-lag-watch-'));
  const jdk = (tool: string) => path.join(mainJdk().home, 'bin', tool);
  const agent = path.join(root, 'build/native/host/libbtrace-agent.so');
  after(() => rmSync(folder, { recursive: true }));

  before(async () => {
    assert.equal(await buildInApp(), undefined);
    const sources = ['Laggy', 'Watched', 'Worker'].map((name) =>
      path.join(root, `test/rigs/jvm/in-app/${name}.java`),
    );
    execFileSync(jdk('javac'), ['-g', '-cp', inAppJar, '-d', folder, ...sources]);
  });

  const classPath = `${inAppJar}${path.delimiter}${folder}`;
  function start(lags: string, how: string) {
    const args = ['-Djava.awt.headless=true', '-cp', classPath, 'Laggy', agent, lags, how];
    return spawn(jdk('java'), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  }

  async function run(lags: string, how: string, killAt?: (line: string) => boolean): Promise<string[]> {
    const child = start(lags, how);
    const exit = once(child, 'exit');
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      lines.push(line);
      if (killAt?.(line) === true) child.kill('SIGKILL');
    }
    assert.deepEqual(await exit, killAt ? [null, 'SIGKILL'] : [0, null], lines.join('\n'));
    return lines;
  }

  const made = (name: string): string => {
    const lags = path.join(folder, name);
    mkdirSync(lags);
    return lags;
  };
  const filesIn = (lags: string) => readdirSync(lags).filter((name) => name.endsWith('.btrace'));
  const lastEnd = (lines: readonly string[]) => Number(/last (\d+)/.exec(lines.join('\n'))?.[1]);
  const recordOf = (file: string): LagRecord => {
    const lag = readLagRecord(file, readFileSync(file));
    assert.ok(lag, file);
    return lag;
  };
  const causeOf = ({ frames }: LagRecord): string => {
    const names = frames.map(({ className, method }) => `${className}.${method}`);
    return names[firstOwnFrame(names)] ?? '';
  };

  it('finds what was planted and nothing else, on a worker and on the event thread of AWT', async () => {
    const lags = made('whole');
    const lines = await run(lags, 'hang');
    const messages = lines
      .map((line) => /^message (\w+) (\w+) (\d+)$/.exec(line))
      .filter((match) => match !== null)
      .map(([, thread, name, ns]) => ({ thread, name, ns: Number(ns) }))
      .filter(({ name }) => name !== 'settle');
    assert.equal(messages.length, 10);
    // On a busy machine a short message may take long as well: then it is a lag.
    const long = messages.filter(({ ns }) => ns > limitNs);
    // The watch looks at its clock before and after the message does, which a busy machine may put aside in between.
    const unclear = messages.filter(({ ns }) => Math.abs(ns - limitNs) < 100e6).length;
    const counted = (what: string) => Number(new RegExp(`^${what} (\\d+)`, 'm').exec(lines.join('\n'))?.[1]);
    const found = counted('lags') - counted('before');
    assert.ok(Math.abs(found - long.length) <= unclear, `${found} found\n${lines.join('\n')}`);

    const handed = lines.filter((line) => line.startsWith('file ')).map((line) => line.slice(5));
    assert.deepEqual(handed.map((file) => path.basename(file)).sort(), filesIn(lags).sort());
    const records = handed.map(recordOf);
    for (const lag of records) {
      assert.deepEqual(
        [lag.appVersion, lag.deviceClass, lag.kind, lag.isFreeze],
        ['1.2.3', 'test', 0, false],
      );
      assert.ok(lag.user !== 0n && lag.residentBytes > 1e6 && lag.heapBytes > 0 && lag.threads > 5);
      assert.ok(lagNs(lag) >= limitNs * 0.99, `${lagNs(lag)} ns`);
    }
    const causes = records.map(causeOf);
    for (const planted of ['Laggy.compute', 'Laggy.pause', 'Laggy.locked'])
      assert.ok(causes.includes(planted), `${planted}: ${causes.join()}\n${lines.join('\n')}`);
    const withFrame = (method: string) =>
      records.filter(({ frames }) => frames.some((frame) => frame.method === method));
    // What it was in when the limit had passed is cheap; the costly part came before.
    assert.deepEqual(new Set(withFrame('twoParts').map(causeOf)), new Set(['Laggy.compute']));
    assert.ok(records.some(({ threadName }) => threadName === 'worker'));
    assert.ok(records.some(({ threadName }) => threadName.startsWith('AWT-EventQueue')));

    // A file is a recording: all threads, the last seconds, with names.
    const file = handed[records.findIndex((lag) => causeOf(lag) === 'Laggy.locked')]!;
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const trace = decodeRecording(readFileSync(file)).trace();
    assert.deepEqual([trace.problems, trace.complete], [[], true]);
    const threads = trace.threads.map(({ name }) => name);
    for (const name of ['main', 'worker', 'AWT-EventQueue-0'])
      if (name !== 'AWT-EventQueue-0' || threads.length > 8)
        assert.ok(threads.includes(name), threads.join());
    assert.ok(trace.threads.find(({ name }) => name === 'worker')!.intervals.count > 5);
  });

  it('seldom wakes other threads of the agent where no stacks are taken', async () => {
    // Neither what a busy machine makes of a message of 2 ms nor a slow start is a lag: then the watch takes stacks and writes a file.
    const args = ['-cp', classPath, 'Watched', agent, made('seldom'), '0', '0', String(waitLimitMs)];
    const child = spawn(jdk('java'), args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const exit = once(child, 'exit');
    await once(createInterface(child.stdout), 'line');
    /** Counted between two times, which a busy machine may part. */
    const sleeps = (): { fromMs: number; looks: number; others: number; toMs: number } => {
      const fromMs = monotonicNs() / 1e6;
      let looks = 0;
      let others = 0;
      for (const tid of readdirSync(`/proc/${child.pid}/task`)) {
        const status = readFileSync(`/proc/${child.pid}/task/${tid}/status`, 'utf8');
        const count = Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1]);
        if (/^Name:\s*btrace lags$/m.test(status)) looks = count;
        else if (/^Name:\s*btrace/m.test(status)) others += count;
      }
      return { fromMs, looks, others, toMs: monotonicNs() / 1e6 };
    };
    const afterLooks = async (looks: number) => {
      let now = sleeps();
      await until('the watch looks again', () => (now = sleeps()).looks >= looks);
      return now;
    };
    const before = await afterLooks(sleeps().looks + 1);
    const after = await afterLooks(before.looks + 2);
    const seconds = (after.toMs - before.fromMs) / 1000;
    child.kill('SIGKILL');
    await exit;
    // Each second: 4 times the conversation, twice the writer of files, once the sampler. With stacks it is over 30 in all.
    const aSecond = (after.others - before.others) / seconds;
    assert.ok(aSecond < 15, `${aSecond} wake-ups a second`);
  });

  it('knows at the next start that the program was killed in a freeze, idle, or ended by itself', async () => {
    const lags = made('ends');
    let frozen = '';
    // On a busy machine other messages may be lags, too.
    const hasFrozen = (line: string) => {
      if (!line.startsWith('file ')) return false;
      frozen = line.slice(5);
      return recordOf(frozen).frames.some(({ method }) => method === 'freeze');
    };
    const isIdle = (line: string) => line.startsWith('lags ');
    // Of earlier runs: one that is too old, one that is kept, one that a kill tore, and one that is not the watch's.
    const daysAgo = (days: number, ending: string) => `lag-${Date.now() - days * 86_400_000}-1${ending}`;
    const kept = [daysAgo(6, '.btrace'), 'lag-of-mine.btrace'];
    const removed = [daysAgo(8, '.btrace'), daysAgo(1, '.btrace.part'), daysAgo(9, '.freeze.btrace')];
    for (const name of [...kept, ...removed]) writeFileSync(path.join(lags, name), 'old');
    const marked = () => filesIn(lags).filter((name) => name.endsWith('.freeze.btrace'));
    assert.equal(lastEnd(await run(lags, 'freeze', hasFrozen)), endCodes.unknown);
    assert.match(path.basename(frozen), /^lag-\d{13}-\d+\.btrace$/);
    assert.deepEqual(marked(), []);
    const names = readdirSync(lags);
    assert.deepEqual(
      [...kept, ...removed].filter((name) => names.includes(name)),
      kept,
    );
    assert.equal(lastEnd(await run(lags, 'wait', isIdle)), endCodes.freeze);
    assert.deepEqual(marked(), [path.basename(frozen).replace('.btrace', '.freeze.btrace')]);
    assert.ok(recordOf(path.join(lags, marked()[0]!)).isFreeze);
    assert.equal(lastEnd(await run(lags, 'exit')), endCodes.killedInFront);
    assert.equal(lastEnd(await run(lags, 'wait', isIdle)), endCodes.ownExit);
    assert.equal(marked().length, 1);
  });
});
