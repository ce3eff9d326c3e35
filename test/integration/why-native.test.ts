/** Native programs with a planted cause: the first finding has to be that cause. Of healthy ones nothing is told. */
import assert from 'node:assert/strict';
import { root } from '../../scripts/setup.mjs';
import { launch } from '../../src/targets/local/launch.js';
import type { Trace } from '../../src/trace/index.js';
import { fewNative, healthyNative, plantedNative } from '../rigs/native/planted-programs.js';
import { NativePrograms } from '../rigs/native/programs.js';
import { isRight, sentences, told } from '../rigs/planted.js';
import { wide } from '../rigs/scale.js';
import { waitLimitMs } from '../rigs/wait-limit.js';
import { cpuOf, decodeFile, Recordings } from './recordings.js';
import { spawned } from './spawned.js';
import { inOrder } from '../rigs/kinds.js';

const runMs = wide ? 1200 : 800;
const leastRight = wide ? 0.9 : 1;
/** Of its length, that a program which only works has to have a core. */
const leastCpu = 0.6;
const mostTries = 5;

describe('why a native program is slow', function () {
  inOrder(this);
  const recordings = new Recordings();
  const programs = new NativePrograms();
  let program = '';
  let files = 0;
  before(function () {
    if (process.platform !== 'linux') this.skip();
    program = programs.compile('planted', ['-O1', '-g', '-fno-optimize-sibling-calls']);
  });
  after(() => {
    programs.remove();
    recordings.remove();
  });

  async function recorded(causes: string): Promise<Trace> {
    const options = recordings.options({ file: recordings.file(`${(files += 1)}.btrace`), budgetPpm: 0 });
    const { session, exit } = await launch(
      [program, String(runMs), ...causes.split(' ')],
      options,
      { agentRoots: [root], run: spawned },
      AbortSignal.timeout(waitLimitMs),
    );
    const { file } = await session.ended;
    assert.equal(await exit, 0);
    return decodeFile(file);
  }

  /** Once the machine had a core for it; undefined if it never has. */
  async function recordedAtWork(causes: string): Promise<Trace | undefined> {
    for (let tries = 0; tries < mostTries; tries++) {
      const trace = await recorded(causes);
      const [main] = trace.threads.filter(({ isMain }) => isMain);
      if (cpuOf(main!) >= (trace.endNs - trace.beginNs) * leastCpu) return trace;
    }
    return undefined;
  }

  const planted = wide
    ? plantedNative
    : plantedNative.filter(({ causes }) => fewNative.planted.includes(causes));

  let asked = 0;
  const wrong: string[] = [];
  for (const one of planted)
    it(`is looked for in ${one.causes}`, async () => {
      const trace = await (one.works === true ? recordedAtWork : recorded)(one.causes);
      if (trace === undefined) {
        console.log('        the machine had no core for it');
        return;
      }
      const findings = told(trace);
      asked++;
      if (!isRight(findings, one)) wrong.push(`${one.causes}:\n  ${findings.map(sentences).join('\n  ')}`);
    });

  it(`is told first, ${wide ? 'nine times of ten' : 'each time'}`, () => {
    console.log(`        ${asked - wrong.length} of ${asked} planted causes are told first`);
    assert.ok(asked >= planted.length / 2 && asked - wrong.length >= asked * leastRight, wrong.join('\n'));
    if (wrong.length > 0) console.log(wrong.join('\n'));
  });

  for (const causes of wide ? healthyNative : fewNative.healthy)
    it(`is not told of healthy ${causes}`, async () => {
      assert.deepEqual(told(await recorded(causes)).map(sentences), []);
    });
});
