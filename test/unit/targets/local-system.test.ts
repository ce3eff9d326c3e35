/** What is recorded of the system beside a program of this machine, by what this user may do. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startSystem } from '../../../src/targets/local/local-recording.js';
import { ProgramSwitches } from '../../../src/targets/system/program-switches.js';
import { TargetError } from '../../../src/targets/target.js';
import { recordOptions } from '../../rigs/record-options.js';

const allowed = String.raw`printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\006\0'`;
const begun = String.raw`printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\007\0'`;

describe('the system beside a program of this machine', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(path.join(tmpdir(), 'local-system-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Puts a script in the place of `btrace-external`; returns the folder that it is found under. */
  function reader(
    name: string,
    ...lines: readonly string[]
  ): { readonly root: string; readonly program: string } {
    const root = path.join(folder, name);
    const program = path.join(root, 'build/native/host/btrace-external');
    mkdirSync(path.dirname(program), { recursive: true });
    writeFileSync(program, ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
    return { root, program };
  }

  const refuse = (): Promise<never> =>
    Promise.reject(new TargetError('not-permitted', 'No tracefs for you.', 'Run as root.'));
  const options = { ...recordOptions('/x.btrace'), system: true };

  it('is the program’s own switches where tracefs may not be opened, and the person is told', async () => {
    const { root } = reader('allowed', allowed, 'read line');
    const said: string[] = [];
    const local = { agentRoots: [root], openTrace: refuse, say: (line: string) => said.push(line) };
    const recorder = await startSystem(options, local);
    assert.ok(recorder instanceof ProgramSwitches);
    assert.match(said.join(), /^No tracefs for you\. The switches of the program’s own threads are recorded/);
    await recorder.stop();
    // Its files may be closed to this user, too.
    const closed = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    const other = await startSystem(options, { ...local, openTrace: () => Promise.reject(closed) });
    assert.ok(other instanceof ProgramSwitches);
    assert.match(said[1] ?? '', /EACCES: permission denied\. The switches/);
    await other.stop();
    assert.equal(await startSystem(recordOptions('/x.btrace'), local), undefined);
  });

  it('is refused where the kernel tells neither, with the setting to change', async () => {
    const { root } = reader('refused', 'echo The level is 3. >&2', 'echo Make it 2. >&2', 'exit 3');
    await assert.rejects(startSystem(options, { agentRoots: [root], openTrace: refuse }), (error) => {
      assert.ok(error instanceof TargetError);
      assert.deepEqual([error.kind, error.about], ['not-permitted', 'system']);
      assert.match(error.message, /^No tracefs for you\. .* either: The level is 3\.$/);
      assert.equal(error.nextStep, 'Make it 2. For all programs: Run as root.');
      return true;
    });
  });

  it('does not try that where tracefs fails for another reason', async () => {
    const { root } = reader('other', allowed);
    const openTrace = (): Promise<never> => Promise.reject(new Error('the disk burns'));
    await assert.rejects(startSystem(options, { agentRoots: [root], openTrace }), /the disk burns/);
  });

  it('says so where what reads the switches ends before the recording', async () => {
    const { program } = reader('dies', allowed, 'read line', begun);
    const recorder = await ProgramSwitches.start(program);
    await recorder.watch(1);
    recorder.hand(() => Promise.resolve(), { monotonicNs: 0n, boottimeNs: 0n });
    await assert.rejects(recorder.stop(), /ended before the recording did/);
  });
});
