/**
 * The system's trace beside an app's recording: this kernel's real events, by the rig's tracing commands
 * (test/rigs/phone/README.md). All tests share a device and an app; those that need another Android have one beside it.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { AndroidTargets } from '../../src/targets/android/android-targets.js';
import { openInstance } from '../../src/targets/system/tracefs.js';
import type { RecordOptions, Session } from '../../src/targets/target.js';
import { SampleKind } from '../../src/trace/model/kinds.js';
import type { Trace } from '../../src/trace/model/trace.js';
import { interruptWaker, isAsleep, SchedState } from '../../src/trace/system/kernel-sink.js';
import type { ThreadStates } from '../../src/trace/system/thread-states.js';
import { mainThread, traceOf } from '../rigs/art/read-trace.js';
import { androids, type ArtApp, artRuntime } from '../rigs/art/runtime.js';
import type { Phone } from '../rigs/phone/phone.js';
import { AdbServerProcess } from '../rigs/phone/server.js';
import { PhoneBench } from '../rigs/phone/with-phone.js';
import { recordOptions } from '../rigs/record-options.js';
import { wide } from '../rigs/scale.js';
import { monotonicNs, until } from '../rigs/until.js';

const shop = 'com.example.shop';

async function canTrace(): Promise<boolean> {
  try {
    await (await openInstance()).remove();
    return true;
  } catch {
    return false;
  }
}

describe('the system’s trace beside the recording of an app', () => {
  let given: PhoneBench | undefined;
  let bench: PhoneBench;
  let app: ArtApp;

  before(async function () {
    if (!(await canTrace())) this.skip();
    given = bench = new PhoneBench(await artRuntime(androids.at(-1)), await AdbServerProcess.start());
    await bench.begin();
    app = await bench.launched(shop);
    await bench.connect();
  });
  after(async () => {
    await given?.end();
    await given?.server.stop();
    if (given) rmSync(given.folder, { recursive: true });
  });
  beforeEach(() => {
    bench.phone.faults.missing.clear();
    bench.phone.commands.length = 0;
  });

  const options = (changes: Partial<RecordOptions> = {}): RecordOptions =>
    recordOptions(bench.file(), { system: true, budgetPpm: 0, ...changes });

  async function start(
    changes: Partial<RecordOptions> = {},
    phone: Phone = bench.phone,
    signal?: AbortSignal,
  ): Promise<Session> {
    const targets = new AndroidTargets(bench.options());
    const target = await targets.choose({ app: shop, device: phone.serial });
    return await target.start(options(changes), signal);
  }

  /** Another device, with the app on it. */
  async function another(sdk: number): Promise<{ phone: Phone; app: ArtApp }> {
    const phone = await bench.another({ sdk, release: String(sdk), model: `Phone ${sdk}` });
    await phone.apps.install(shop);
    const started = await phone.apps.launch(shop);
    await bench.connect(phone);
    return { phone, app: started };
  }

  /** What a recording leaves on a device. Settles only when the rig has no instance of the kernel's trace any more. */
  async function leftOn(phone: Phone): Promise<string[]> {
    await phone.scriptsEnded();
    // They end as soon as the service's client is gone.
    await until('the guards of the trace end', () => guards(phone).length === 0);
    const pushed = readdirSync(phone.resolve('/data/local/tmp'));
    return [
      ...readdirSync(phone.resolve('/data/misc/perfetto-traces')),
      ...pushed.filter((name) => !/^btrace-agent-.*\.(so|symbols)$/.test(name)),
    ];
  }

  const statesOf = (trace: Trace): ThreadStates =>
    trace.system!.states(trace.threads.map(({ tid }) => tid)).get(mainThread(trace).tid)!;

  it('agrees with the app about its CPU time and its sleeps, and leaves nothing', async () => {
    const session = await start();
    const frames = await app.more('frame', 100);
    const end = await session.stop();
    assert.deepEqual([end.reason, end.message], ['stopped', '']);
    const trace = await traceOf(session.file);
    assert.deepEqual(trace.problems, []);
    const system = trace.system!;
    const origin = Number(trace.info.startMonotonicNs);
    const states = statesOf(trace);
    let [frameCount, clockNs, slicesNs, toldNs, sleeps, byTimer] = [0, 0, 0, 0, 0, 0];
    let lastEnd = 0;
    for (const frame of frames) {
      const [from, to] = [frame.number('begin') - origin, frame.number('end') - origin];
      if (from < Math.max(system.beginNs, 0) || to > system.endNs) continue;
      // Kernels of some virtual machines lose switches from an idle core: what is not covered is in no figure.
      if (coveredIn(states, from, to) >= (to - from) * 0.99) {
        frameCount++;
        clockNs += frame.number('cpu');
        slicesNs += ranIn(states, from, to);
        toldNs += ranIn(states, from, frame.number('told') - origin);
      }
      // Between two frames the app sleeps for 12 ms.
      for (let row = states.firstAfter(lastEnd); lastEnd > 0 && row < states.count; row++) {
        if (states.begin[row]! >= from) break;
        if (!isAsleep(states.state[row]!) || states.end[row]! - states.begin[row]! < 11e6) continue;
        sleeps++;
        if ([interruptWaker, 0].includes(states.waker[row]!)) byTimer++;
      }
      lastEnd = to;
    }
    assert.ok(frameCount >= 3, `${frameCount} frames of ${frames.length}`);
    // The app looks at its CPU clock between the frame's end and telling of it. That clock leaves out interrupts.
    const said = `${clockNs} by its clock, between ${slicesNs} and ${toldNs}`;
    assert.ok(slicesNs <= clockNs * 1.03 && clockNs <= toldNs * 1.01, said);
    assert.ok(toldNs < clockNs * 1.5, said);
    assert.ok(sleeps >= 10 && byTimer >= sleeps * 0.95, `${sleeps} sleeps, ${byTimer} ended by a timer`);
    assert.deepEqual([system.source, system.clock, system.lost], ['perfetto', 'boottime', 0]);
    assert.ok(system.marks >= 1);
    assert.equal(system.task(process.pid)?.pid, process.pid);
    assert.deepEqual(await leftOn(bench.phone), []);
  });

  it('has sections and counters that were written meanwhile, on one clock with the app’s stacks', async () => {
    const session = await start();
    const [guard] = guards(bench.phone);
    const instance = `/proc/${guard}/root/sys/kernel/tracing/instances/phone-${guard}`;
    const marker = openSync(`${instance}/trace_marker`, 'w');
    const appMain = app.pid;
    /** Written by this thread, between two readings of the clock. */
    const written: { text: string; from: number; to: number }[] = [];
    const write = (text: string): void => {
      const from = monotonicNs();
      writeSync(marker, `${text}\n`);
      written.push({ text, from, to: monotonicNs() });
    };
    const blocked = `monitor contention with owner main (${appMain}) at void a.B.c()(B.java:1) waiters=0 blocking from void d.E.f()(E.java:2)`;
    write(`B|${process.pid}|measure`);
    write(`B|${process.pid}|${blocked}`);
    await app.more('frame', 10);
    write(`E|${process.pid}`);
    write(`C|${process.pid}|queue|42`);
    write(`E|${process.pid}`);
    closeSync(marker);
    assert.equal((await session.stop()).message, '');
    const trace = await traceOf(session.file);
    assert.deepEqual(trace.problems, []);
    assert.ok(mainThread(trace).sampleCount > 0);
    const sections = trace.system!.sections!;
    const { calls, waits } = sections.threads.find(({ tid }) => tid === process.pid)!;
    assert.equal(sections.methods.qualifiedName(calls.method[0]!), 'measure');
    assert.deepEqual([calls.count, waits.count, waits.kind[0]], [3, 1, SampleKind.Monitor]);
    const origin = Number(trace.info.startMonotonicNs);
    const mostOffNs = trace.system!.errorNs + 1000;
    const isAt = (ns: number, at: number): void => {
      const [from, to] = [written[at]!.from - origin, written[at]!.to - origin];
      assert.ok(ns >= from - mostOffNs && ns <= to + mostOffNs, `${ns} for ${from} to ${to}`);
    };
    isAt(calls.begin[0]!, 0);
    isAt(waits.begin[0]!, 1);
    isAt(waits.end[0]!, 2);
    isAt(calls.end[0]!, 4);
    const counter = trace.counters.find(({ name }) => name.startsWith('queue ('))!;
    assert.deepEqual([counter.count, counter.value[0]], [1, 42]);
    isAt(counter.time[0]!, 3);
    assert.deepEqual(await leftOn(bench.phone), []);
  });

  it('keeps what has come when the cable is pulled, and the device switches the service off again', async () => {
    const { phone, app } = await another(28);
    // Android 9 reads no text, and so takes nothing that is not known here.
    const systemConfig =
      'data_sources { config { ftrace_config { ftrace_events: "sched_switch" } } } no_such_1: 1';
    await assert.rejects(
      start({ systemConfig }, phone),
      /Android 9 cannot use this .* no field no_such_1\.$/,
    );
    const session = await start({}, phone);
    assert.equal(await phone.property('persist.traced.enable'), '1');
    const events = async () => (await traceOf(session.file)).system?.switches.count ?? 0;
    while ((await events()) <= 50) await app.more('frame', 5);
    phone.cut();
    const end = await session.ended;
    assert.equal(end.reason, 'connection-lost');
    assert.match(end.message, /The end of the system's trace is missing: /);
    const { system } = await traceOf(session.file);
    assert.ok(system!.switches.count > 50 && system!.endNs > system!.beginNs);
    assert.deepEqual(await leftOn(phone), []);
    assert.equal(await phone.property('persist.traced.enable'), '0');
  });

  it('leaves nothing when it is given up as it starts, when the computer’s side is killed, or a script before', async () => {
    const giveUp = new AbortController();
    const begun = start({}, bench.phone, giveUp.signal);
    const file = `${bench.folder}/killed.btrace`;
    while (!bench.phone.commands.some((command) => command.includes('perfetto -c -')))
      await new Promise((resolve) => setImmediate(resolve));
    giveUp.abort(new Error('given up'));
    await assert.rejects(begun, /given up/);
    assert.deepEqual(await leftOn(bench.phone), []);
    // A script was killed alone, with the service switched on, and its number is another program's by now.
    const left = bench.phone.resolve(`/data/misc/perfetto-traces/btrace-${process.pid}.pftrace`);
    writeFileSync(left, '');
    writeFileSync(bench.phone.resolve('/data/local/tmp/btrace-traced'), `${process.pid}\n`);
    const client = spawn('sh', ['-c', 'read -r line', left], { stdio: ['pipe', 'ignore', 'ignore'] });
    const clientEnded = once(client, 'exit');
    const args = [
      'record',
      '--app',
      shop,
      '--device',
      bench.phone.serial,
      '--system-preset',
      'jank',
      '-o',
      file,
    ];
    const child = spawn(process.execPath, [path.join(root, 'dist/btrace.cjs'), ...args], {
      env: { ...bench.server.environment, BTRACE_AGENT_FOLDER: bench.agents },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('Ctrl-C ends it')) child.kill('SIGKILL');
    });
    await once(child, 'exit');
    assert.match(said, /Ctrl-C ends it/);
    assert.deepEqual(await leftOn(bench.phone), []);
    await clientEnded;
    assert.equal(await bench.phone.property('persist.traced.enable'), '0');
  });

  it('counts what the kernel had no room for', async () => {
    await bench.phone.narrowTraces(8, 400);
    const session = await start();
    await app.more('frame', 40);
    await session.stop();
    const { system } = await traceOf(session.file);
    assert.ok(system!.lost > 0 && system!.switches.count > 0, `${system!.lost} lost`);
    for (const name of ['kernel-buffer-kb', 'drain-ms']) rmSync(bench.phone.resolve(`/${name}`));
  });

  it('takes atrace where the service refuses, and says so where there is neither', async () => {
    writeFileSync(bench.phone.resolve(`/data/local/tmp/btrace-${process.pid}.atrace`), '');
    await bench.phone.refuseTraces('Too many concurrent tracing sessions (5) for uid 2000 limit is 5');
    const session = await start();
    await assert.rejects(start({ file: bench.file() }), {
      message:
        'Another recording of BTrace traces the system of this device, and by atrace there can be no two at a time.',
    });
    const frames = await app.more('frame', 10);
    assert.equal((await session.stop()).message, '');
    const trace = await traceOf(session.file);
    assert.equal(trace.system!.source, 'atrace');
    const origin = Number(trace.info.startMonotonicNs);
    // On a busy machine the first ones may be older than the trace.
    const whole = frames
      .filter((frame) => frame.number('begin') - origin > trace.system!.beginNs)
      .slice(0, -1);
    assert.ok(whole.length >= 5, `${whole.length} frames`);
    const [first, last] = [whole[0]!, whole.at(-1)!];
    const ranNs = ranIn(statesOf(trace), first.number('begin') - origin, last.number('end') - origin);
    assert.ok(ranNs > whole.length * 4e6, `${ranNs} ns in ${whole.length} frames`);
    bench.phone.faults.missing.add('atrace');
    const asked = bench.file();
    await assert.rejects(start({ file: asked }), {
      message:
        'The device does not trace its system. The device’s tracing service (perfetto) did not begin to trace: Service error: Too many concurrent tracing sessions (5) for uid 2000 limit is 5. The device’s command atrace is missing, or did not begin to trace.',
    });
    bench.phone.faults.missing.add('perfetto');
    await assert.rejects(start({ file: asked }), /tracing service \(perfetto\) is missing/);
    assert.equal(existsSync(asked), false);
    rmSync(bench.phone.resolve('/traced-refuses'));
    assert.deepEqual(await leftOn(bench.phone), []);
  });

  if (wide)
    it('traces a ring on the device, which comes when it ends, by a configuration of one’s own', async () => {
      const systemConfig = readFileSync('docs/system-trace.pbtx', 'utf8');
      const session = await start({ systemConfig, policy: 'ring', ringNs: 30e9 });
      await app.more('frame', 5);
      assert.equal(bench.phone.commands.filter((command) => command.includes('perfetto -c -')).length, 1);
      assert.equal((await session.stop()).message, '');
      assert.ok((await traceOf(session.file)).system!.switches.count > 50);
      // What is not known here the device reads as text, and says what is wrong with it.
      await assert.rejects(start({ systemConfig: `${systemConfig}no_such_field: 1\n` }), {
        message: /did not begin to trace: No field named "no_such_field" in proto TraceConfig\.$/,
      });
    });
});

function timesIn(states: ThreadStates, from: number, to: number): Float64Array {
  const times = new Float64Array(6);
  states.timesIn(from, to, times);
  return times;
}

const ranIn = (states: ThreadStates, from: number, to: number): number =>
  timesIn(states, from, to)[SchedState.Running]!;

const coveredIn = (states: ThreadStates, from: number, to: number): number =>
  timesIn(states, from, to).reduce((sum, ns) => sum + ns, 0);

/** Processes of the phone's that hold an instance of the kernel's trace: other runs of the tests on this machine have their own. */
function guards(phone: Phone): number[] {
  const itsFolder = `PHONE=${phone.resolve('/')}`.replace(/\/$/, '');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const words = (of: string): string[] => readFileSync(`/proc/${pid}/${of}`, 'utf8').split('\0');
        const isGuard = words('cmdline').includes('phone-tracing') && words('environ').includes(itsFolder);
        return isGuard ? [Number(pid)] : [];
      } catch {
        return [];
      }
    });
}
