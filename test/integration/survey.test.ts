import assert from 'node:assert/strict';
import { NativePrograms } from '../rigs/native/programs.js';
import { startBtrace } from './btrace-command.js';
import { Recordings } from './recordings.js';
import { strictly } from '../rigs/kinds.js';

interface Surveyed {
  readonly calls: number;
  readonly leftOut: number;
  readonly functions: readonly {
    readonly name: string;
    readonly library: string;
    readonly calls: number;
    readonly threads: readonly { readonly name: string; readonly calls: number }[];
    readonly isPoint: boolean;
    readonly isFrequent: boolean;
    readonly isLeaf: boolean;
  }[];
}

describe('a survey of a native program', () => {
  const programs = new NativePrograms();
  const recordings = new Recordings();
  after(() => {
    programs.remove();
    recordings.remove();
  });

  it('counts its calls by function and thread, says which are points, and leaves nothing behind', async function () {
    if (process.platform !== 'linux') this.skip();
    // Bound at its first calls, if nobody asks for more.
    const program = programs.compile('counted', ['-O1', '-fno-builtin', '-Wl,-z,lazy']);
    const { code, out, err } = await startBtrace(recordings.folder, ['survey', '--json', '--', program])
      .ended;
    assert.equal(code, 5, err);
    strictly('left behind', () => {
      assert.match(err, /^0 left$/m);
    });
    const { functions } = JSON.parse(out) as Surveyed;
    const one = (name: string) => {
      const found = functions.filter((each) => each.name === name);
      assert.equal(found.length, 1, `${name}: ${JSON.stringify(found)}`);
      return found[0]!;
    };
    const asked = one('getppid');
    assert.deepEqual(
      [asked.calls, asked.threads.map(({ name, calls }) => [name, calls])],
      [5000, [['asker', 5000]]],
    );
    assert.deepEqual([asked.isPoint, asked.isLeaf, asked.isFrequent], [false, true, true]);
    assert.match(asked.library, /\/libc\.so/);
    const allocated = one('malloc');
    assert.ok(
      allocated.isPoint && allocated.calls >= 3000 && allocated.calls < 3200,
      String(allocated.calls),
    );
    const refused = await startBtrace(recordings.folder, ['survey', '--', 'java', '-version']).ended;
    assert.deepEqual([refused.code, /cannot be counted/.test(refused.err)], [3, true], refused.err);
  });
});
