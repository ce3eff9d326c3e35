/** Programs with a planted cause are recorded, and the first finding has to be that cause. Of healthy ones nothing is told. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { launch } from '../../src/targets/local/launch.js';
import { openInstance } from '../../src/targets/system/tracefs.js';
import type { Trace } from '../../src/trace/index.js';
import { fewPrograms, healthyPrograms, plantedPrograms } from '../rigs/jvm/planted-programs.js';
import { compile, JavaProgram, mainJdk } from '../rigs/jvm/programs.js';
import { isRight, sentences, told } from '../rigs/planted.js';
import { wide } from '../rigs/scale.js';
import { waitLimitMs } from '../rigs/wait-limit.js';
import { cpuOf, decodeFile, Recordings } from './recordings.js';
import { spawned } from './spawned.js';
import { inOrder } from '../rigs/kinds.js';

const recordMs = wide ? 1500 : 1000;
/** Of the few programs of `npm test` each is told rightly. */
const leastRight = wide ? 0.9 : 1;

describe('why a program is slow', function () {
  inOrder(this);
  const recordings = new Recordings();
  after(() => recordings.remove());
  let files = 0;

  async function recorded(causes: string, vmArgs: readonly string[] = [], system = false): Promise<Trace> {
    const program = await JavaProgram.start('planted', {
      args: causes.split(' '),
      vmArgs: ['-XX:+IgnoreUnrecognizedVMOptions', '-XX:+EnableDynamicAgentLoading', ...vmArgs],
    });
    try {
      const file = recordings.file(`${(files += 1)}.btrace`);
      return await recordings.record(program.pid, recordMs, { file, system, budgetPpm: 0 });
    } finally {
      await program.kill();
    }
  }

  const planted = wide
    ? plantedPrograms
    : plantedPrograms.filter(({ causes }) => fewPrograms.planted.includes(causes));
  const healthy = wide ? healthyPrograms : fewPrograms.healthy;

  let canTrace = false;
  before(async () => {
    canTrace = await openInstance().then(
      async (instance) => await instance.remove().then(() => true),
      () => false,
    );
  });

  let asked = 0;
  const wrong: string[] = [];
  for (const one of planted)
    it(`is looked for in ${one.causes}`, async function () {
      if (one.needsSystem === true && !canTrace) this.skip();
      const findings = told(await recorded(one.causes, one.vmArgs, one.needsSystem));
      asked++;
      if (!isRight(findings, one)) wrong.push(`${one.causes}:\n  ${findings.map(sentences).join('\n  ')}`);
    });

  it(`is told first, ${wide ? 'nine times of ten' : 'each time'}`, () => {
    console.log(`        ${asked - wrong.length} of ${asked} planted causes are told first`);
    assert.ok(asked > 0 && asked - wrong.length >= asked * leastRight, wrong.join('\n'));
    if (wrong.length > 0) console.log(wrong.join('\n'));
  });

  for (const causes of healthy)
    it(`is not told of healthy ${causes}`, async () => {
      assert.deepEqual(told(await recorded(causes)).map(sentences), []);
    });

  it('is told of a start that runs on one thread', async () => {
    const command = [path.join(mainJdk().home, 'bin/java'), '-cp', compile('planted'), 'StartUp'];
    const options = recordings.options({ file: recordings.file('start.btrace'), budgetPpm: 0 });
    const { session, exit } = await launch(
      command,
      options,
      { agentRoots: [root], run: spawned },
      AbortSignal.timeout(waitLimitMs),
    );
    const { file } = await session.ended;
    assert.equal(await exit, 0);
    const trace = decodeFile(file);
    const [first] = told(trace);
    const cpuMs = trace.threads.map((one) => `${one.name} ${Math.round(cpuOf(one) / 1e6)}`);
    assert.ok(first, `nothing is told of ${trace.endNs / 1e6} ms; CPU ms: ${cpuMs.join(', ')}`);
    assert.match(sentences(first), /4 long steps one after the other/);
    assert.deepEqual(
      first.evidence.map(({ method }) => trace.methods.name(method!)),
      ['readSettings', 'buildCatalogue', 'warmCaches', 'checkLicences'],
    );
  });

  if (wide)
    it('is told as a regression since an earlier recording, and only then', async () => {
      const before = await recorded('Mixed=30');
      const after = await recorded('Mixed=30 SlowReads=20');
      const [first] = told(after, { baseline: before });
      assert.match(
        sentences(first!),
        /^The main thread waits .* longer in SlowServer\.ask .* takes .* now\.$/,
      );
      assert.deepEqual(
        told(before, { baseline: after }).filter(({ id }) => id === 'regression'),
        [],
      );
    });
});
