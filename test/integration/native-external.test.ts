/** Native programs recorded externally, compared with what they print of themselves. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { lineFigures, MethodKind, SampleKind, type Trace, wholeTrace } from '../../src/trace/index.js';
import { threadScheduling } from '../../src/trace/measure/scheduling.js';
import { startBtrace } from './btrace-command.js';
import { decodeFile, Recordings, threadNamed, totalCpu } from './recordings.js';

const source = path.join(root, 'test/rigs/native/truth.cc');

/** From 1: where the source says so in a comment. */
const lineOf = (comment: string): number =>
  readFileSync(source, 'utf8')
    .split('\n')
    .findIndex((line) => line.endsWith(`// ${comment}`)) + 1;

/** "cpu NAME NS" and "wait NAME COUNT NS", as the program prints them. */
function said(out: string): Map<string, number[]> {
  return new Map(
    out
      .split('\n')
      .map((line) => line.split(' '))
      .map(([, name = '', ...figures]) => [name, figures.map(Number)]),
  );
}

function methodNamed(trace: Trace, name: RegExp): number {
  for (let method = 0; method < trace.methods.count; method++)
    if (name.test(trace.methods.name(method))) return method;
  return assert.fail(`no method is named ${String(name)}`);
}

describe('external recording of native programs', () => {
  let recordings: Recordings;
  let program: string;

  before(() => {
    recordings = new Recordings();
    program = path.join(recordings.folder, 'truth');
    execFileSync('g++', ['-std=c++20', '-O2', '-g', '-pthread', '-o', program, source]);
  });
  after(() => recordings.remove());

  const record = (...args: string[]) =>
    startBtrace(recordings.folder, ['record', '--interval', '1ms', '-f', '-o', 'x.btrace', ...args]);
  const recorded = (): Trace => decodeFile(path.join(recordings.folder, 'x.btrace'));

  it('have the times that they measured themselves, by function, wait and line', async () => {
    const ran = await record('--external', '--system', '--', program, '2').ended;
    assert.equal(ran.code, 0, ran.err);
    const truth = said(ran.out);
    const trace = recorded();
    assert.deepEqual(trace.losses, []);

    const burner = threadNamed(trace, 'burner');
    const onCores = threadScheduling(trace, { ...wholeTrace, threads: [burner.index] })[0]?.runningNs ?? 0;
    assert.ok(onCores > 1.98e9 && onCores < 2.1e9, `${onCores} ns on cores`);
    const cpu = totalCpu(trace, burner);
    const ofFunction = (name: string): number =>
      [...cpu].find(([one]) => one.startsWith(`truth::${name}(`))?.[1] ?? 0;
    const names = ['burn_large', 'burn_medium', 'burn_small', 'recurse'];
    const all = names.reduce((sum, name) => sum + (truth.get(name)?.[0] ?? 0), 0);
    const seen = names.reduce((sum, name) => sum + ofFunction(name), 0);
    for (const name of names) {
      const [expected, found] = [(truth.get(name)?.[0] ?? 0) / all, ofFunction(name) / seen];
      // Six standard deviations of as many samples, one a millisecond.
      const chance = Math.sqrt((expected * (1 - expected)) / (all / 1e6));
      assert.ok(Math.abs(found - expected) < 6 * chance, `${name}: ${found} for ${expected}`);
    }
    assert.ok(Math.abs(seen / all - 1) < 0.1, `${seen} of ${all} ns`);

    const { waits } = threadNamed(trace, 'sleeper');
    const [naps = 0, napped = 0] = truth.get('nap') ?? [];
    let [count, waited] = [0, 0];
    for (let at = 0; at < waits.count; at++) {
      const lasted = (waits.end[at] ?? 0) - (waits.begin[at] ?? 0);
      if (waits.kind[at] !== SampleKind.OffCpu || lasted < 20e6) continue;
      count++;
      waited += lasted;
    }
    // Between two naps a busy machine may put the thread aside for as long.
    assert.ok(count >= naps - 1 && count <= naps * 1.05 + 1, `${count} of ${naps} naps`);
    assert.ok(Math.abs(waited - napped) < Math.max(0.05 * napped, 2e6), `${waited} of ${napped} ns`);

    const spin = methodNamed(trace, /^truth::spin\(long\)/);
    assert.equal(trace.methods.kind(spin), MethodKind.NativeFunction);
    assert.equal(trace.methods.file(spin), source);
    const lines = lineFigures(trace, wholeTrace);
    let [there, inSpin] = [0, 0];
    for (let row = 0; row < lines.count; row++) {
      if (lines.method[row] !== spin) continue;
      inSpin += lines.selfCpu[row] ?? 0;
      if (lines.line[row] === lineOf('line of the inlined loop')) there += lines.selfCpu[row] ?? 0;
    }
    assert.ok(inSpin > 0.9 * seen, `${inSpin} of ${seen} ns are in the inlined function`);
    assert.ok(there > 0.95 * inSpin, `${there} of ${inSpin} ns are on its line`);
    // The kernel gives the stacks of waits to its administrator.
    if (process.geteuid?.() === 0) {
      const nap = methodNamed(trace, /^truth::nap\(\)/);
      const isOnLine = Array.from(lines.method).some(
        (method, row) => method === nap && lines.line[row] === lineOf('line of the sleep'),
      );
      assert.ok(isOnLine, 'the nap is on its line');
    }
    assert.equal(trace.problems.length, 0);
  });

  it('are recorded while they run, until they end', async () => {
    const child = spawn(program, ['60'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const run = record('--pid', String(child.pid), '--json');
    await run.says(/Recording truth/).catch(() => undefined);
    const killed = setInterval(() => {
      try {
        if (threadNamed(recorded(), 'burner').sampleCount > 20) child.kill('SIGKILL');
      } catch {
        // nothing is there yet
      }
    }, 100);
    const ran = await run.ended;
    clearInterval(killed);
    assert.equal((JSON.parse(ran.out) as { reason: string }).reason, 'target-exited', ran.err);
    assert.ok(totalCpu(recorded(), threadNamed(recorded(), 'burner')).size > 3);
  });

  it('are followed through an exec, and give their exit code', async () => {
    const ran = await record('--external', '--', 'sh', '-c', `${program} 0.3; exec ${program} 0.3`).ended;
    assert.equal(ran.code, 0, ran.err);
    const cpu = totalCpu(recorded(), threadNamed(recorded(), 'burner'));
    assert.ok(
      [...cpu.keys()].some((name) => name.startsWith('truth::burn_large()')),
      [...cpu.keys()].join(),
    );
    assert.equal((await record('--external', '--', 'sh', '-c', 'exit 7').ended).code, 7);
  });

  it('are recorded so where a sanitizer must be loaded before all else', async () => {
    const sanitized = path.join(recordings.folder, 'sanitized');
    const small = path.join(root, 'test/rigs/native/pairs.cc');
    execFileSync('g++', ['-std=c++20', '-fsanitize=address', '-o', sanitized, small]);
    const ran = await record('--', sanitized, '50', '10').ended;
    assert.equal(ran.code, 0, ran.err);
    assert.match(ran.out, /"pairs":/);
  });

  it('are recorded so where they are static, also behind others that become them', async () => {
    const still = path.join(recordings.folder, 'still');
    execFileSync('g++', ['-std=c++20', '-O2', '-g', '-pthread', '-static', '-o', still, source]);
    const ran = await record('--', 'env', '-i', 'nice', '-n', '1', still, '0.3').ended;
    assert.equal(ran.code, 0, ran.err);
    const cpu = totalCpu(recorded(), threadNamed(recorded(), 'burner'));
    assert.ok(
      [...cpu.keys()].some((name) => name.startsWith('truth::burn_large()')),
      [...cpu.keys()].join(),
    );
    const refused = await record('--', 'timeout', '5', still, '0.3').ended;
    assert.equal(refused.code, 3);
    assert.match(refused.err, /into still as it starts: it is linked statically\.\s+Leave out timeout/);
  });

  it('begin with no signal ignored for us', async () => {
    const ran = await record('--external', '--', 'grep', '^SigIgn', '/proc/self/status').ended;
    assert.match(ran.out, /^SigIgn:\s+0+$/m, ran.err);
  });

  it('are listed by name, and refused when they are gone', async () => {
    const child = spawn(program, ['60'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const { out } = await startBtrace(recordings.folder, ['list', '--json']).ended;
    const listed = JSON.parse(out) as { pid: number; name: string; kind: string }[];
    const one = listed.find(({ pid }) => pid === child.pid);
    assert.deepEqual([one?.name, one?.kind], ['truth', 'native']);
    // Threads of the kernel have no program, and BTrace is none to record.
    assert.ok(listed.every(({ pid, name }) => pid !== 2 && name !== 'btrace-external'));
    child.kill('SIGKILL');
    await once(child, 'exit');
    const refused = await record('--pid', String(child.pid)).ended;
    assert.equal(refused.code, 3);
    assert.match(refused.err, /There is no process/);
  });

  it('have names and lines of the code that a compiler makes as they run', async () => {
    const script = path.join(recordings.folder, 'fib.js');
    writeFileSync(
      script,
      [
        'const begin = process.cpuUsage();',
        'const cpu = () => ((now) => now.user + now.system)(process.cpuUsage(begin));',
        'function spin(n) { return n < 2 ? n : spin(n - 1) + spin(n - 2); }',
        'while (cpu() < 500_000) spin(20);',
        "console.log('cpu spin', cpu() * 1000);",
      ].join('\n'),
    );
    const ran = await record('--external', '--', process.execPath, '--perf-basic-prof', script).ended;
    assert.equal(ran.code, 0, ran.err);
    const trace = recorded();
    rmSync(`/tmp/perf-${trace.info.pid}.map`);
    const method = methodNamed(trace, /^spin \(/);
    assert.equal(trace.methods.file(method), script);
    const lines = lineFigures(trace, wholeTrace);
    assert.deepEqual([...new Set(lines.line.filter((_, row) => lines.method[row] === method))], [3]);
    const threads = trace.threads.map((thread) => [...totalCpu(trace, thread)]);
    const spun = Math.max(...threads.flat().map(([name, ns]) => (/^spin \(/.test(name) ? ns : 0)));
    const [cpu = 0] = said(ran.out).get('spin') ?? [];
    assert.ok(spun > 0.7 * cpu && spun < 1.1 * cpu, `${spun} of ${cpu} ns`);
  });
});
