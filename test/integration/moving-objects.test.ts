/**
 * Fields of objects that a collector moves while the thread that reads them is in native code. JNI's own reading stub
 * follows references that nobody has corrected yet; the agent must not.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { build, built } from '../abi/build.js';
import { collectors, knows } from '../rigs/jvm/collectors.js';
import { compile, jdks } from '../rigs/jvm/programs.js';
import { wide } from '../rigs/scale.js';
import { lasts } from '../rigs/until.js';

/** BTRACE_MOVING_MS=20000 looks at each collector for longer, and at those that move nothing concurrently, too. */
const longer = process.env['BTRACE_MOVING_MS'];
/** In the short one each looks once. Two processors are busy all the time. */
const ms = Number(longer ?? (wide ? 2500 : 1000));

describe('reading fields of objects that are moved', () => {
  before(() => {
    build('host', 'btrace-moving');
  });

  for (const jdk of jdks()) {
    it(`keeps a class's identity with each collector of JDK ${jdk.version}`, function () {
      lasts(this, Object.keys(collectors).length * ms);
      for (const [name, way] of Object.entries(collectors)) {
        if ((longer === undefined && !/ZGC|Shenandoah/.test(name)) || !knows(jdk, way)) continue;
        const quiet = ['-Xlog:disable', `-XX:ErrorFile=${path.join(root, 'artefacts/hs_err_pid%p.log')}`];
        const program = ['-Xmx160m', ...way, ...quiet, '-cp', compile('moving'), 'Moving'];
        const library = path.join(built('host'), 'libbtrace-moving.so');
        const said = execFileSync(path.join(jdk.home, 'bin/java'), [...program, library, String(ms)], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        assert.match(said, /^unknown 0, right [1-9]\d*, wrong 0, stub wrong \d+$/m, name);
        if (longer !== undefined) console.log(`        ${name}: ${said.trim()}`);
      }
    });
  }
});
