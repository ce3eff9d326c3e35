/** Getting into a program: what is refused and in which words, and what stands in the way and is got past. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { root } from '../../scripts/setup.mjs';
import { javaProcess } from '../../src/targets/local/java-processes.js';
import { LocalTargets } from '../../src/targets/local/local-targets.js';
import { configOf, newTokens, tokenOptions } from '../../src/targets/session/conversation.js';
import { formatMajor } from '../../src/trace/model/kinds.js';
import { ChunkKind, encodeChunk } from '../../src/trace/recording/chunk.js';
import { Hello } from '../../src/trace/recording/messages.js';
import { compile, containerScript, exitHolder, jdks, mainJdk } from '../rigs/jvm/programs.js';
import { decodeFile, refusal, threadNamed, totalCpu } from './recordings.js';
import { TruthPrograms } from './truth-programs.js';

const agent = path.join(root, 'build/native/host/libbtrace-agent.so');

describe('attaching', () => {
  let recordings: TruthPrograms;

  before(() => void compile('truth'));
  beforeEach(() => (recordings = new TruthPrograms()));
  afterEach(() => recordings.end());

  function nothingLeft(): void {
    assert.deepEqual(readdirSync(recordings.folder), [], 'no file is left');
  }

  it('a pid that is nobody', async () => {
    await assert.rejects(recordings.start(2 ** 22 + 5), refusal('not-found', /no process/));
    nothingLeft();
  });

  it('a process that has just ended', async () => {
    // One that has ended, and that nobody has asked about yet, has no name any more.
    // It ends when the shell is a program already that takes no notice; the shell would.
    const shell = spawn('sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 60'], { stdio: 'pipe' });
    try {
      const [line] = (await once(shell.stdout, 'data')) as [Buffer];
      const zombie = Number(line.toString());
      while (!/^State:\s+Z/m.test(readFileSync(`/proc/${zombie}/status`, 'utf8'))) await setImmediate();
      await assert.rejects(
        recordings.start(zombie),
        refusal('not-found', new RegExp(`^There is no process ${zombie}`)),
      );
    } finally {
      shell.kill('SIGKILL');
      await once(shell, 'exit');
    }
    nothingLeft();
  });

  it("another user's process", async () => {
    if (process.geteuid!() !== 0) {
      await assert.rejects(recordings.start(1), refusal('not-permitted', /belongs to root/));
      return;
    }
    const other = spawn('sleep', ['60'], { uid: 65534, gid: 65534, stdio: 'ignore' });
    try {
      await assert.rejects(recordings.start(other.pid!), refusal('not-permitted', /belongs to nobody/));
    } finally {
      other.kill('SIGKILL');
      await once(other, 'exit');
    }
    nothingLeft();
  });

  it("another user's socket: the agent says nothing there, and the program runs on", async () => {
    if (process.geteuid!() !== 0) return; // nobody else can listen for us then
    const folder = mkdtempSync(path.join(tmpdir(), 'other-'));
    chmodSync(folder, 0o777);
    const socket = path.join(folder, 'socket');
    const tokens = newTokens();
    const config = configOf(recordings.options());
    const hello = encodeChunk(
      ChunkKind.Hello,
      Hello.encode({ major: formatMajor, token: tokens.ours, config }),
      0,
    );
    // Knows what to say, and tells how much it hears until it is left.
    const listen = `let heard = 0;
      require('node:net').createServer((agent) => {
        agent.on('error', () => undefined).on('data', (part) => (heard += part.length));
        agent.on('close', () => console.log('heard ' + heard));
        agent.write(Buffer.from('${Buffer.from(hello).toString('hex')}', 'hex'));
      }).listen('socket', () => console.log('listens'));`;
    const heardBy = async (uid: number): Promise<string> => {
      // It is in that folder before it is somebody else, who may not go there.
      const other = spawn(process.execPath, ['-e', listen], { uid, gid: uid, cwd: folder, stdio: 'pipe' });
      const gone = once(other, 'exit');
      let said = '';
      other.stdout.on('data', (part: Buffer) => (said += part.toString()));
      const says = async (what: RegExp): Promise<void> => {
        while (!what.test(said)) {
          await Promise.race([once(other.stdout, 'data'), gone]);
          assert.equal(other.exitCode, null, said);
        }
      };
      try {
        await says(/^listens$/m);
        const program = await recordings.truth(['burn'], {
          vmArgs: [`-agentpath:${agent}=socket=${socket},${tokenOptions(tokens)}`],
        });
        if (uid === 0) await program.end();
        await says(/^heard /m);
        assert.equal(await program.end(), 0, program.output);
        return said;
      } finally {
        other.kill('SIGKILL');
        await gone;
        rmSync(socket, { force: true });
      }
    };
    try {
      assert.match(await heardBy(65534), /^heard 0$/m);
      assert.match(await heardBy(0), /^heard [1-9]/m);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('a JVM that is ending, whatever holds it', async () => {
    for (const jdk of jdks()) {
      const program = await recordings.program('truth', {
        jdk,
        vmArgs: [`-agentpath:${exitHolder()}`],
        args: [recordings.file('truth.txt'), 'sleep'],
      });
      program.child.stdin.end();
      await program.says(/^ending$/m);
      await assert.rejects(recordings.start(program.pid), refusal('not-found', /it is ending/), jdk.version);
      await program.kill();
    }
    rmSync(recordings.file('truth.txt'), { force: true });
    nothingLeft();
  });

  it('attaching switched off: the program is not even asked', async () => {
    for (const flag of ['-XX:+DisableAttachMechanism', '-XX:+DisableAttachMechanism -XX:-UsePerfData']) {
      const program = await recordings.truth(['sleep'], { vmArgs: flag.split(' ') });
      await assert.rejects(
        recordings.start(program.pid),
        refusal('attach-disabled', /DisableAttachMechanism/),
      );
      assert.equal(program.output, 'ready\n', 'SIGQUIT would have made it print its threads');
    }
  });

  it('agents not allowed', async () => {
    const program = await recordings.truth(['sleep'], { vmArgs: ['-XX:-EnableDynamicAgentLoading'] });
    await assert.rejects(
      recordings.start(program.pid),
      refusal('attach-disabled', /EnableDynamicAgentLoading/),
    );
    assert.ok(!existsSync(recordings.file()));
  });

  it('a JVM that still starts is waited for, not killed by the signal', async () => {
    for (const { home, version } of jdks()) {
      const java = path.join(home, 'bin/java');
      const child = spawn(java, ['-Xmx64m', '-cp', compile('shop'), 'com.example.shop.Shop'], {
        stdio: 'pipe',
      });
      try {
        await once(child, 'spawn');
        for (;;) {
          assert.equal(child.exitCode, null);
          const found = await recordings.targets.find(child.pid!).catch(() => undefined);
          if (found) break;
        }
        const session = await recordings.start(child.pid!, { file: recordings.file(`${version}.btrace`) });
        assert.equal((await session.stop()).reason, 'stopped');
        child.stdin.end();
        const [code] = (await once(child, 'exit')) as [number];
        assert.equal(code, 0);
      } finally {
        child.kill('SIGKILL');
      }
    }
  });

  it('an attach socket that a killed program with the same process id has left', async () => {
    const program = await recordings.truth(['sleep']);
    const left = path.join('/tmp', `.java_pid${program.pid}`);
    const listen = `require('node:net').createServer().listen(${JSON.stringify(left)}, () => { require('node:fs').chmodSync(${JSON.stringify(left)}, 0o600); process.kill(process.pid, 'SIGKILL'); })`;
    await once(spawn(process.execPath, ['-e', listen]), 'exit');
    assert.ok(existsSync(left));
    const session = await recordings.start(program.pid);
    assert.equal((await session.stop()).reason, 'stopped');
  });

  it('socket paths that are too long or taken', async () => {
    const program = await recordings.truth(['sleep']);
    let count = 0;
    const records = async () => {
      const session = await recordings.start(program.pid, { file: recordings.file(`${count++}.btrace`) });
      assert.equal((await session.stop()).reason, 'stopped');
    };
    const place = path.join('/tmp', `.java_pid${program.pid}`);
    writeFileSync(place, "a file where the JVM's socket goes");
    await records();

    // Ours goes to another folder when the one for temporary files cannot hold it.
    const long = path.join(recordings.folder, 'long'.repeat(30));
    mkdirSync(long);
    const file = path.join(recordings.folder, 'file');
    writeFileSync(file, '');
    const { TMPDIR: before } = process.env;
    try {
      for (const temporary of [long, file]) {
        process.env['TMPDIR'] = temporary;
        await records();
      }
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
    assert.deepEqual(readdirSync(long), []);

    rmSync(place);
    const other = createServer((connection) => {
      connection.once('data', () => connection.end('hello\n'));
    }).listen(place);
    await once(other, 'listening');
    chmodSync(place, 0o600);
    await assert.rejects(
      recordings.start(program.pid, { file: recordings.file('other.btrace') }),
      refusal('agent-refused', /\.java_pid\d+ answered as no JVM does \("hello"\)/),
    );
    assert.ok(!existsSync(recordings.file('other.btrace')));
    other.close(); // and removes its path
    await once(other, 'close');
    await records();
  });

  it('an agent that is missing, of another architecture, or broken', async () => {
    const program = await recordings.truth(['sleep']);
    const startWith = async (folder: string) =>
      await (await new LocalTargets({ agentRoots: [folder] }).find(program.pid)).start(recordings.options());
    await assert.rejects(startWith(recordings.folder), refusal('agent-missing', /There is no agent/));

    const folder = path.join(recordings.folder, 'agents', `linux-${process.arch}`);
    mkdirSync(folder, { recursive: true });
    const library = path.join(folder, 'libbtrace-agent.so');
    copyFileSync(agent, library);
    const file = openSync(library, 'r+');
    writeSync(file, Uint8Array.of(process.arch === 'arm64' ? 62 : 183, 0), 0, 2, 18); // e_machine
    closeSync(file);
    await assert.rejects(startWith(recordings.folder), refusal('agent-missing', /is for (arm64|x64)/));

    writeFileSync(library, readFileSync(agent).subarray(0, 20_000));
    await assert.rejects(startWith(recordings.folder), refusal('agent-missing', /is cut short/));

    copyFileSync(process.execPath, library); // whole and of this architecture, but a program
    await assert.rejects(startWith(recordings.folder), refusal('agent-refused', /could not load/));
    assert.ok(!existsSync(recordings.file()));
  });

  it('a program in a container: a process number, a root and a /tmp of its own, and no name for its user', async function () {
    const below = ['unshare', '--pid', '--mount', '--fork', '--kill-child'];
    if (spawnSync(below[0]!, [...below.slice(1), 'true']).status !== 0) this.skip(); // for want of the right to
    const jdk = mainJdk();
    const containerRoot = recordings.file('container');
    mkdirSync(containerRoot);
    const { pid: parent } = await recordings.truth(['burn'], {
      below: [...below, 'sh', containerScript, containerRoot],
      env: { ...process.env, CONTAINER_SHOWS: `${compile('truth')} ${jdk.home}` },
    });
    const pid = Number(readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8'));
    assert.match(readFileSync(`/proc/${pid}/status`, 'utf8'), /^NSpid:\s+\d+\s+1$/m);
    const listed = await javaProcess(pid);
    assert.equal(listed.name, 'Truth');
    assert.match(listed.runtime, /^HotSpot \d+\.\d+\.\d+/); // no name, nothing published: from the JDK's own files
    const session = await recordings.start(pid);
    session.onStatus(({ processCpuNs }) => {
      if (processCpuNs > 0.5e9) void session.stop();
    });
    const trace = decodeFile((await session.ended).file);
    assert.deepEqual(trace.problems, []);
    assert.ok((totalCpu(trace, threadNamed(trace, 'burner')).get('Work.half') ?? 0) > 0);
  });
});
