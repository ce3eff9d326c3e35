// The scripts run before anything is installed, so they are tried from outside: as processes of plain Node.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../../scripts/setup.mjs';

const scripts = path.join(root, 'scripts');

/** Runs module text in a Node of its own, with `$scripts` for the folder of the scripts. */
async function node(text: string, ...args: string[]): Promise<string> {
  const source = text.replaceAll('$scripts', scripts);
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    source,
    ...args,
  ]);
  return stdout;
}

describe('the setup scripts', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'btrace-setup-'))));
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('import nothing but Node', () => {
    const before = ['setup', 'test'].flatMap((name) =>
      readdirSync(path.join(scripts, name)).map((file) => `${name}/${file}`),
    );
    const early = [...before, 'setup.mjs', 'test.mjs', 'process.mjs', 'build-agent.mjs'].filter(
      (file) => file.endsWith('.mjs') && !file.endsWith('mocha.mjs') && !file.endsWith('reporter.mjs'),
    );
    for (const file of early) {
      const text = readFileSync(path.join(scripts, file), 'utf8');
      for (const [, from = ''] of text.matchAll(/(?:^import .*|^} |^export .*)from '([^']+)'/gm)) {
        assert.match(from, /^(node:|\.)/, `${file} imports ${from}`);
      }
    }
  });

  const holdLock = `
    import { withLock } from '$scripts/setup/lock.mjs';
    import { appendFileSync } from 'node:fs';
    const [lock, log, name] = process.argv.slice(1);
    await withLock(lock, async () => {
      appendFileSync(log, name + ' in\\n');
      await new Promise((wake) => setTimeout(wake, 30));
      appendFileSync(log, name + ' out\\n');
    });`;

  it('let one at a time in when several start together', async () => {
    const log = path.join(folder, 'log');
    const names = ['a', 'b', 'c'];
    await Promise.all(names.map((name) => node(holdLock, path.join(folder, 'sub/lock'), log, name)));
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    assert.equal(lines.length, 6);
    for (let at = 0; at < 6; at += 2) assert.equal(lines[at + 1], lines[at]!.replace('in', 'out'));
    assert.equal(existsSync(path.join(folder, 'sub/lock')), false);
  });

  it('take over from a holder that died', async () => {
    const dead = spawn(process.execPath, ['-e', '']);
    await new Promise((done) => dead.once('exit', done));
    writeFileSync(path.join(folder, 'lock'), `${dead.pid} ${hostname()}`);
    await node(holdLock, path.join(folder, 'lock'), path.join(folder, 'log'), 'next');
    assert.equal(readFileSync(path.join(folder, 'log'), 'utf8'), 'next in\nnext out\n');
  });

  it('see that an npm package is missing or has another version', async () => {
    const lacks = async (installed: Record<string, { version: string }>) => {
      const packages = {
        '': {},
        'node_modules/a': { version: '1.0.0' },
        'node_modules/b': { version: '2.0.0', optional: true },
      };
      mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
      writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ packages }));
      writeFileSync(
        path.join(folder, 'node_modules/.package-lock.json'),
        JSON.stringify({ packages: installed }),
      );
      return await node(
        `import { npmPackagesLack } from '$scripts/setup/npm.mjs'; console.log(String(npmPackagesLack(process.argv[1])));`,
        folder,
      );
    };
    assert.equal(await lacks({ 'node_modules/a': { version: '1.0.0' } }), 'undefined\n');
    assert.equal(
      await lacks({ 'node_modules/a': { version: '1.0.1' } }),
      'node_modules/a 1.0.0 is not installed\n',
    );
    assert.equal(await lacks({}), 'node_modules/a 1.0.0 is not installed\n');
  });

  it('say for every part what it is for and how to get it', async () => {
    const text = await node(`
      import { parts } from '$scripts/setup/parts.mjs';
      import { advice } from '$scripts/setup.mjs';
      console.log(JSON.stringify(Object.entries(parts).map(([name, { why }]) => [name, why, advice(name)])));`);
    for (const said of JSON.parse(text) as string[][]) {
      assert.ok(said.length === 3 && said.every((words) => words.length > 2), said.join(' · '));
    }
  });

  it('end what a command started, when the command ends and when it takes too long', async () => {
    const text = await node(`
      import { readFileSync } from 'node:fs';
      import { run } from '$scripts/process.mjs';
      const left = await run('sh', ['-c', 'sleep 300 & echo $!']);
      // On a busy machine it may not have come to its second command by then.
      let slow;
      for (let limitMs = 300; !slow?.text; limitMs *= 2)
        slow = await run('sh', ['-c', 'sleep 300 & echo $!; wait'], { limitMs });
      const alive = (pid) => {
        try {
          process.kill(pid, 0); // also reaches a zombie, which is as good as gone
          return process.platform !== 'linux' || !/\\) Z/.test(readFileSync('/proc/' + pid + '/stat', 'latin1'));
        } catch {
          return false;
        }
      };
      console.log(JSON.stringify([left.code, alive(Number(left.text)), slow.code, slow.error, alive(Number(slow.text))]));`);
    const [code, leftIsAlive, slowCode, why, slowIsAlive] = JSON.parse(text) as unknown[];
    assert.deepEqual([code, leftIsAlive, slowCode, slowIsAlive], [0, false, null, false]);
    assert.match(String(why), /^ran longer than \S+ s$/);
  });
});
