/** For how long all threads of a JVM are stopped as a recording begins and ends: the JVM's own count. */
import assert from 'node:assert/strict';
import { JavaProgram, oneJdk } from '../rigs/jvm/programs.js';
import { Recordings } from './recordings.js';

for (const jdk of oneJdk('oldest')) {
  describe(`stops of a recorded JVM, JDK ${jdk.version}`, () => {
    let recordings: Recordings;
    beforeEach(() => (recordings = new Recordings()));
    afterEach(() => recordings.remove());

    async function stopOf(...vmArgs: string[]): Promise<number | undefined> {
      const program = await JavaProgram.start('gale', {
        jdk,
        // Each millisecond or so what is new has no room any more.
        vmArgs: ['-XX:+UseSerialGC', '-Xmx200m', '-Xmn2m', ...vmArgs],
        args: ['1', 'allocate'],
      });
      try {
        const trace = await recordings.record(program.pid, 200, {
          file: recordings.file(`${program.pid}.btrace`),
        });
        return trace.status?.stoppedNs;
      } finally {
        await program.kill();
      }
    }

    it('are told, with the collections that came just then', async () => {
      // Putting hooks in takes milliseconds: a collection comes in the midst of it sooner or later.
      for (let time = 0; time < 20; time++) {
        const ns = await stopOf();
        assert.ok(ns !== undefined && ns < 60e9, `${ns} ns`);
        if (ns > 0) return;
      }
      assert.fail('nothing was stopped in 20 recordings');
    });

    it('are not told where the JVM does not count them', async () => {
      assert.equal(await stopOf('-XX:-UsePerfData'), undefined);
    });
  });
}
