/** Folders that others write to, with what such a user can put there. As root, who can make files of other users. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readRegular } from '../../../src/symbols/read-at.js';
import { bringAgent } from '../../../src/targets/local/agent-library.js';
import { listJavaProcesses } from '../../../src/targets/local/java-processes.js';
import { makePrivateFolder } from '../../../src/targets/local/private-folder.js';
import { SharedFolder } from '../../../src/targets/shared-folder.js';
import { TargetError } from '../../../src/targets/target.js';

const nobody = 65534;
const isRoot = process.geteuid?.() === 0;
const uid = process.geteuid?.() ?? 0;

function inTheWay(what: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof TargetError, String(error));
    assert.equal(error.kind, 'not-permitted');
    assert.match(error.message, what);
    return true;
  };
}

describe('a folder that others write to', function () {
  let outer: string;
  let place: string;
  let victim: string;
  let folder: SharedFolder;

  before(function () {
    if (process.platform !== 'linux') this.skip();
  });
  beforeEach(async () => {
    outer = mkdtempSync(path.join(realpathSync(tmpdir()), 'shared-'));
    place = path.join(outer, 'place');
    mkdirSync(place);
    chmodSync(place, 0o1777);
    victim = path.join(outer, 'victim');
    writeFileSync(victim, 'precious');
    folder = await SharedFolder.open('', place);
  });
  afterEach(async () => {
    await folder.close();
    assert.equal(readFileSync(victim, 'utf8'), 'precious');
    rmSync(outer, { recursive: true });
  });

  /** Everything that can be put at a name, with the words for it. */
  const plants: Record<string, (at: string) => void> = {
    'a symbolic link': (at) => symlinkSync(victim, at),
    'a pipe': (at) => execFileSync('mkfifo', [at]),
    'a folder': (at) => mkdirSync(at),
  };

  it('gets a file of ours only where there is nothing, or a file of ours', async () => {
    for (const [words, plant] of Object.entries(plants)) {
      const at = path.join(place, 'name');
      plant(at);
      await assert.rejects(
        folder.makeFile('name'),
        inTheWay(new RegExp(`name is in the way: it is ${words}`)),
      );
      await assert.rejects(folder.create('name'), /EEXIST/);
      rmSync(at, { recursive: true });
    }
    await folder.makeFile('name');
    assert.equal(statSync(path.join(place, 'name')).mode & 0o777, 0o600);
    await folder.makeFile('name');
    if (!isRoot) return;
    chownSync(path.join(place, 'name'), nobody, nobody);
    await assert.rejects(folder.makeFile('name'), inTheWay(/a file that nobody owns/));
  });

  it('has a folder of ours only where nobody else looks in', async () => {
    const at = path.join(place, 'own');
    await (await folder.ownFolder('own')).close();
    await (await folder.ownFolder('own')).close();
    chmodSync(at, 0o755);
    await assert.rejects(folder.ownFolder('own'), inTheWay(/a folder that you own and that others may/));
    rmSync(at, { recursive: true });
    const elsewhere = path.join(outer, 'elsewhere');
    mkdirSync(elsewhere, { mode: 0o700 });
    symlinkSync(elsewhere, at);
    await assert.rejects(folder.ownFolder('own'), inTheWay(/a symbolic link/));
    if (!isRoot) return;
    rmSync(at);
    mkdirSync(at, { mode: 0o700 });
    chownSync(at, nobody, nobody);
    await assert.rejects(folder.ownFolder('own'), inTheWay(/a folder that nobody owns/));
  });

  it('gives only regular files of the right owner to be read, and no more of them than is asked for', async () => {
    for (const plant of Object.values(plants)) {
      const at = path.join(place, 'data');
      plant(at);
      assert.equal(await folder.readFileOf(uid, 'data', 100), undefined);
      rmSync(at, { recursive: true });
    }
    writeFileSync(path.join(place, 'data'), 'x'.repeat(1000));
    assert.equal((await folder.readFileOf(uid, 'data', 100))?.length, 100);
    assert.equal(await folder.readFileOf(uid + 1, 'data', 100), undefined);
    linkSync(path.join(place, 'data'), path.join(place, 'second'));
    assert.equal(await folder.readFileOf(uid, 'data', 100), undefined, 'it has another name elsewhere');
    const pipe = path.join(place, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await assert.rejects(readRegular(pipe, 10), /not a file/);
    await assert.rejects(readRegular('/dev/zero', 10), /not a file/);
  });

  it('stays the folder that was opened when its name is swapped', async () => {
    renameSync(place, path.join(outer, 'moved'));
    symlinkSync(outer, place);
    await folder.makeFile('name');
    assert.ok(existsSync(path.join(outer, 'moved', 'name')));
    assert.ok(!existsSync(path.join(outer, 'name')));
  });

  it('is looked for within a container, whatever its links say', async () => {
    const container = path.join(outer, 'container');
    mkdirSync(path.join(container, 'var/tmp'), { recursive: true });
    // An absolute link means a folder of the container, not of this machine.
    symlinkSync('/var/tmp', path.join(container, 'tmp'));
    const inner = await SharedFolder.open(container, '/tmp');
    await inner.makeFile('here');
    await inner.close();
    assert.ok(existsSync(path.join(container, 'var/tmp/here')));
    for (const link of ['../../victim', '..', '/tmp', 'tmp']) {
      rmSync(path.join(container, 'tmp'));
      symlinkSync(link, path.join(container, 'tmp'));
      await assert.rejects(SharedFolder.open(container, '/tmp'), /does not lead/, link);
    }
  });

  it("takes a stranger's link or folder neither for the agent's place nor for its socket's", async () => {
    if (!isRoot) return;
    const library = path.join(outer, 'agent.so');
    writeFileSync(library, 'library');
    const container = path.join(outer, 'container');
    mkdirSync(path.join(container, 'tmp'), { recursive: true });
    chmodSync(path.join(container, 'tmp'), 0o1777);
    const agents = path.join(container, 'tmp', `btrace-agent-${uid}`);
    const elsewhere = path.join(outer, 'elsewhere');
    mkdirSync(elsewhere, { mode: 0o700 });
    symlinkSync(elsewhere, agents);
    await assert.rejects(bringAgent(library, container), inTheWay(/btrace-agent-\d+ is in the way: .* link/));
    assert.deepEqual(readdirSync(elsewhere), []);
    rmSync(agents);
    mkdirSync(agents, { mode: 0o777 });
    chownSync(agents, nobody, nobody);
    await assert.rejects(bringAgent(library, container), inTheWay(/a folder that nobody owns/));
    rmSync(agents, { recursive: true });
    assert.match(await bringAgent(library, container), /^\/tmp\/btrace-agent/);
    // Without the sticky bit a neighbour swaps the folder for another one, with another library in it.
    chmodSync(path.join(container, 'tmp'), 0o777);
    await assert.rejects(bringAgent(library, container), inTheWay(/can replace files of yours/));
  });

  it('loses stale folders of ours, and nothing of what a link in their place leads to', async () => {
    const kept = path.join(outer, 'kept');
    mkdirSync(kept);
    writeFileSync(path.join(kept, 'agent'), 'precious');
    symlinkSync(kept, path.join(place, 'btrace-4194305-linked'));
    const full = path.join(place, 'btrace-4194305-filled');
    mkdirSync(full);
    writeFileSync(path.join(full, 'agent'), '');
    writeFileSync(path.join(full, 'more'), 'not ours to remove');
    const { lutimes, utimes } = await import('node:fs/promises');
    await lutimes(path.join(place, 'btrace-4194305-linked'), 0, 0);
    for (const old of [kept, full]) await utimes(old, 0, 0);
    const made = await makePrivateFolder('', place);
    assert.deepEqual(readdirSync(full), ['more']);
    assert.deepEqual(readdirSync(kept), ['agent']);
    await made.remove();
    assert.ok(!existsSync(made.path));
  });

  it('has no say in which Java programs are listed', async () => {
    const machine = { platform: 'darwin' as const, temporary: place };
    const data = path.join(place, 'hsperfdata_other');
    mkdirSync(data);
    execFileSync('mkfifo', [path.join(data, String(process.pid))]);
    assert.deepEqual(await listJavaProcesses(undefined, machine), []);
  });
});
