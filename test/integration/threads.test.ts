import assert from 'node:assert/strict';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { launch } from '../../src/targets/local/launch.js';
import { compile, oneJdk, mainClasses } from '../rigs/jvm/programs.js';
import { waitLimitMs } from '../rigs/wait-limit.js';
import { decodeFile, Recordings } from './recordings.js';
import { spawned } from './spawned.js';

for (const jdk of oneJdk('oldest')) {
  describe(`threads that are over at once, JDK ${jdk.version}`, () => {
    const recordings = new Recordings();
    after(() => recordings.remove());

    it('are told once each, by their names, though their objects are collected at once', async () => {
      const command = [path.join(jdk.home, 'bin/java'), '-cp', compile('crowd'), mainClasses.crowd];
      const { session } = await launch(
        command,
        // Of most of them nothing is captured.
        recordings.options({ allocationIntervalBytes: 0 }),
        { agentRoots: [root], run: spawned },
        AbortSignal.timeout(waitLimitMs),
      );
      const { threads } = decodeFile((await session.ended).file);
      const members = threads.filter(
        ({ name, javaId }) => name === '' || (javaId > 0 && /^member-/.test(name)),
      );
      assert.equal(members.length, 1000);
      const nameless = members.filter(({ name }) => name === '');
      assert.equal(nameless.length, 0, `${nameless.length} of ${members.length} have no name`);
      const once = new Set(members.map(({ javaId }) => javaId));
      assert.equal(once.size, members.length, 'one is told twice');
    });
  });
}
