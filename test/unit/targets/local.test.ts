import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { bringAgent, findAgent } from '../../../src/targets/local/agent-library.js';
import { loadError } from '../../../src/targets/local/attach.js';
import { readElf } from '../../../src/targets/local/elf-facts.js';
import {
  nameOfCommand,
  programFromArgs,
  programFromCommand,
} from '../../../src/targets/local/java-command.js';
import { javaProcess, listJavaProcesses } from '../../../src/targets/local/java-processes.js';
import { withAgent } from '../../../src/targets/local/launch.js';
import { readPerfStrings } from '../../../src/targets/local/perf-data.js';
import { makePrivateFolder } from '../../../src/targets/local/private-folder.js';
import { TargetError, type TargetErrorKind } from '../../../src/targets/target.js';

function refused(kind: TargetErrorKind, what: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof TargetError, String(error));
    assert.equal(error.kind, kind);
    assert.match(error.message, what);
    assert.notEqual(error.nextStep, '');
    return true;
  };
}

/** The bytes of an hsperfdata file with these string constants. */
function perfData(strings: Record<string, string>): Buffer {
  const entries = Object.entries(strings).map(([name, value]) => {
    const nameAt = 20;
    const valueAt = nameAt + Buffer.byteLength(name) + 1;
    const entry = Buffer.alloc(Math.ceil((valueAt + Buffer.byteLength(value) + 1) / 8) * 8);
    entry.writeUInt32LE(entry.length, 0);
    entry.writeUInt32LE(nameAt, 4);
    entry.writeUInt32LE(Buffer.byteLength(value) + 1, 8);
    entry[12] = 'B'.charCodeAt(0);
    entry.writeUInt32LE(valueAt, 16);
    entry.write(name, nameAt);
    entry.write(value, valueAt);
    return entry;
  });
  const head = Buffer.alloc(32);
  head.writeUInt32BE(0xcafec0c0, 0);
  head[4] = 1;
  head[5] = 2;
  head.writeUInt32LE(32, 24);
  head.writeUInt32LE(entries.length, 28);
  return Buffer.concat([head, ...entries]);
}

describe('local targets', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'local-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('reads what a JVM publishes about itself, and nothing from damage', () => {
    const strings = { 'sun.rt.javaCommand': 'com.example.Größe 1', 'java.property.java.version': '21.0.2' };
    const bytes = perfData(strings);
    assert.deepEqual(Object.fromEntries(readPerfStrings(bytes)!), strings);
    for (let length = 0; length < bytes.length; length++) {
      assert.doesNotThrow(() => readPerfStrings(bytes.subarray(0, length)));
    }
    const endless = Buffer.from(bytes);
    endless.writeUInt32LE(0, 32); // an entry without a length
    assert.equal(readPerfStrings(endless), undefined);
    assert.equal(readPerfStrings(Buffer.alloc(100)), undefined);
  });

  it('names a program as a person knows it', () => {
    // The agent is held to the same: native-agent/tests/hotspot/program_name_test.cc.
    const table = readFileSync(new URL('../../fixtures/java-commands.json', import.meta.url), 'utf8');
    const fromCommand = JSON.parse(table) as { command: string; name: string }[];
    for (const { command, name } of fromCommand)
      assert.equal(programFromCommand(command) ?? '', name, command);
    const fromArgs: [string, string | undefined][] = [
      ['java -Xmx1g -cp a:b com.example.Shop --jar x', 'com.example.Shop'],
      ['java -jar /opt/shop.jar', 'shop.jar'],
      ['java --add-modules x -m my.module/com.example.Shop', 'com.example.Shop'],
      ['java @options Shop', undefined],
      ['java', undefined],
    ];
    for (const [line, name] of fromArgs) assert.equal(programFromArgs(line.split(' ')), name, line);
    const ofCommand: [string, string][] = [
      ['/usr/lib/jvm/jdk-25/bin/java -cp a:b com.example.Shop 80', 'com.example.Shop'],
      ['/usr/lib/jvm/jdk-25/bin/java @options', 'java'],
      ['/opt/maven/bin/mvn test', 'mvn'],
      ['C:\\jdk\\bin\\java.exe -jar shop.jar', 'shop.jar'],
    ];
    for (const [line, name] of ofCommand) {
      assert.equal(nameOfCommand(line.split(' ')), name, line);
      assert.equal(nameOfCommand([line]), name, line);
    }
  });

  it('says of a process what it is when it is none to record', async () => {
    await assert.rejects(javaProcess(2 ** 22 + 1), refused('not-found', /no process/));
    await assert.rejects(javaProcess(process.pid), refused('not-supported', /is not a Java program/));
  });

  it('refuses JVMs that the agent cannot read, and what was compiled ahead, in words', async function () {
    if (process.platform !== 'linux') this.skip();
    const maps = readFileSync('/proc/self/maps', 'utf8');
    const [library] = /\/\S*\/libm\.so\S*/.exec(maps)!;
    /** A program that has loaded libraries of these names. */
    const asleep = async (program: string, ...names: string[]): Promise<ChildProcess> => {
      const files = names.map((name) => path.join(folder, name));
      for (const file of files) copyFileSync(library, file);
      const env = { ...process.env, LD_PRELOAD: files.join(':') };
      const child = spawn(program, ['60'], { env, stdio: 'ignore' });
      await once(child, 'spawn');
      const loaded = () => readFileSync(`/proc/${child.pid!}/maps`, 'utf8');
      while (!loaded().includes(files.at(-1) ?? 'libc.so')) await setImmediate();
      return child;
    };
    const cases: [RegExp, ...string[]][] = [
      [/runs on OpenJ9, which the agent cannot read/, 'libjvm.so', 'libj9vm29.so'],
      [/runs on musl \(Alpine Linux\)/, 'libjvm.so', 'libc.musl-x86_64.so.1'],
      [/runs on musl \(Alpine Linux\)/, 'libjvm.so', 'libc.so'],
    ];
    for (const [what, ...names] of cases) {
      const child = await asleep('/bin/sleep', ...names);
      try {
        const { refusal } = await javaProcess(child.pid!);
        refused('not-supported', what)(refusal);
        const listed = (await listJavaProcesses()).find(({ facts }) => facts.pid === child.pid);
        refused('not-supported', what)(listed?.refusal);
      } finally {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    }
    // Too old, and says so only in its own files, of which a JRE below a JDK has none.
    for (const home of ['jdk', 'jdk/jre']) {
      mkdirSync(path.join(folder, home, 'bin'), { recursive: true });
      const java = path.join(folder, home, 'bin/java');
      copyFileSync('/bin/sleep', java);
      writeFileSync(path.join(folder, 'jdk/release'), 'JAVA_VERSION="1.8.0_504"\nOS_NAME="Linux"\n');
      const child = await asleep(java, 'libjvm.so');
      try {
        const { refusal, runtime } = await javaProcess(child.pid!);
        refused('not-supported', /runs on Java 8, which lacks/)(refusal);
        assert.equal(runtime, 'HotSpot 1.8.0_504');
      } finally {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    }
    // What tells a native image is a section of its own; one of no use once a program runs gives its name.
    const image = path.join(folder, 'image');
    const bytes = readFileSync('/bin/sleep');
    bytes.write('.svm_heap', bytes.indexOf('\0.gnu.hash\0') + 1);
    writeFileSync(image, bytes, { mode: 0o700 });
    const child = await asleep(image);
    try {
      await assert.rejects(javaProcess(child.pid!), refused('not-supported', /\(image\) is a native image/));
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  it('finds Java programs by what they publish where there is no /proc', async function () {
    if (process.platform === 'win32') this.skip();
    const published = path.join(folder, 'hsperfdata_me');
    mkdirSync(published);
    const strings = { 'sun.rt.javaCommand': 'com.example.Shop 1', 'java.property.java.version': '21.0.2' };
    writeFileSync(path.join(published, String(process.pid)), perfData(strings));
    writeFileSync(path.join(published, String(2 ** 22 + 1)), perfData(strings)); // of one that was killed
    const mac = { platform: 'darwin', temporary: folder } as const;
    const found = await listJavaProcesses(undefined, mac);
    assert.deepEqual(
      found.map(({ facts, name, runtime, arch, refusal }) => [facts.pid, name, runtime, arch, refusal]),
      [[process.pid, 'com.example.Shop', 'HotSpot 21.0.2', process.arch, undefined]],
    );
    assert.equal((await javaProcess(process.pid, mac)).name, 'com.example.Shop');
    const ofVersion = async (version: string) => {
      const text = { ...strings, 'java.property.java.version': version };
      writeFileSync(path.join(published, String(process.pid)), perfData(text));
      return (await javaProcess(process.pid, mac)).refusal;
    };
    for (const version of ['11.0.33-ea', '28-ea', '']) assert.equal(await ofVersion(version), undefined);
    for (const version of ['1.8.0_504', '10.0.2'])
      refused('not-supported', /runs on Java (8|10), which lacks/)(await ofVersion(version));
    const windows = { platform: 'win32', temporary: folder } as const;
    await assert.rejects(listJavaProcesses(undefined, windows), refused('not-supported', /Windows/));
  });

  it('takes nobody for a JVM whose file lies there under the same number', async function () {
    if (process.platform !== 'linux') this.skip();
    const published = mkdtempSync('/tmp/hsperfdata_left-');
    const strings = { 'sun.rt.javaCommand': 'com.example.Killed' };
    writeFileSync(path.join(published, String(process.pid)), perfData(strings));
    try {
      await assert.rejects(javaProcess(process.pid), refused('not-supported', /is not a Java program/));
    } finally {
      rmSync(published, { recursive: true });
    }
  });

  it('knows a program file by its header', async function () {
    if (process.platform !== 'linux') this.skip();
    const elf = await readElf(process.execPath);
    assert.equal(elf?.arch, process.arch);
    assert.ok(elf.sections.has('.text'));
    assert.ok(elf.isWhole);
    const torn = path.join(folder, 'torn');
    copyFileSync(process.execPath, torn);
    truncateSync(torn, statSync(torn).size - 100);
    assert.equal((await readElf(torn))?.isWhole, false);
    assert.equal(await readElf(path.join(folder, 'none')), undefined);
    writeFileSync(path.join(folder, 'text'), 'no program'.repeat(20));
    assert.equal(await readElf(path.join(folder, 'text')), undefined);
  });

  it('finds the agent of a package or a checkout, and names what does not fit', async () => {
    await assert.rejects(
      findAgent([folder], 'x64', 'linux'),
      refused('agent-missing', /Looked for .*linux-x64/),
    );
    const packaged = path.join(folder, 'agents', `linux-${process.arch}`);
    mkdirSync(packaged, { recursive: true });
    const library = path.join(packaged, 'libbtrace-agent.so');
    copyFileSync(process.execPath, library);
    assert.equal(await findAgent([path.join(folder, 'none'), folder], process.arch, 'linux'), library);
    const other = process.arch === 'x64' ? 'arm64' : 'x64';
    mkdirSync(path.join(folder, 'agents', `linux-${other}`));
    copyFileSync(process.execPath, path.join(folder, 'agents', `linux-${other}`, 'libbtrace-agent.so'));
    await assert.rejects(
      findAgent([folder], other, 'linux'),
      refused('agent-missing', new RegExp(`is for ${process.arch}`)),
    );
  });

  it('brings the agent to a container once for each content', async () => {
    const library = path.join(folder, 'libbtrace-agent.so');
    writeFileSync(library, 'first');
    mkdirSync(path.join(folder, 'root', 'tmp'), { recursive: true });
    const root = path.join(folder, 'root');
    const inner = await bringAgent(library, root);
    assert.match(inner, /^\/tmp\/btrace-agent-\d+\/agent-[0-9a-f]{16}\.so$/);
    assert.equal(await bringAgent(library, root), inner);
    assert.equal(statSync(path.dirname(root + inner)).mode & 0o777, 0o700);
    writeFileSync(library, 'second');
    assert.notEqual(await bringAgent(library, root), inner);
  });

  it('explains what a JVM answers to a load', () => {
    const load = (answer: string) => loadError(7, '/tmp/.java_pid7', '/x/agent.so', answer);
    assert.equal(load('0\nreturn code: 0\n'), undefined);
    const cases: [string, TargetErrorKind, RegExp][] = [
      ['0\nreturn code: 202\n', 'busy', /another recording/],
      ['0\nreturn code: 206\n', 'not-supported', /JVMTI/],
      ['0\nreturn code: 207\n', 'not-found', /it is ending/],
      ['0\nCommand load is only permitted in the live phase', 'not-found', /it is ending/],
      ['0\nreturn code: 9\n', 'agent-refused', /code 9/],
      ['0\n206\n', 'not-supported', /JVMTI/],
      ['0\n/x/agent.so was not loaded.\nversion GLIBC_2.38 not found', 'agent-refused', /GLIBC_2.38/],
      ['-1\nDynamic agent loading is not enabled. Use …', 'attach-disabled', /EnableDynamicAgentLoading/],
      ['1\n', 'agent-refused', /the JVM answered 1/],
      ['', 'agent-refused', /\.java_pid7 answered as no JVM does \(nothing\)/],
      ['HTTP/1.1 400 Bad Request', 'agent-refused', /\.java_pid7 answered .*"HTTP\/1\.1 400/],
    ];
    for (const [answer, kind, what] of cases) refused(kind, what)(load(answer));
  });

  it('finds a short place for its socket, and says when there is none', async () => {
    const made = await makePrivateFolder('', folder);
    assert.ok(made.path.startsWith(folder));
    assert.equal(statSync(made.path).mode & 0o777, 0o700);
    const long = path.join(folder, 'long'.repeat(30));
    mkdirSync(long);
    const short = await makePrivateFolder('', long);
    assert.ok(short.path.startsWith('/tmp/'), 'it falls back to /tmp');
    rmSync(short.path, { recursive: true });
    await assert.rejects(makePrivateFolder(long), refused('io', /too long.*|no place/));
  });

  it('removes the folders of desktops that were killed', async () => {
    const stale = path.join(folder, 'btrace-4194305-abcdef');
    const recent = path.join(folder, 'btrace-4194305-ghijkl');
    for (const made of [stale, recent]) mkdirSync(made);
    const { utimes } = await import('node:fs/promises');
    await utimes(stale, 0, 0);
    await makePrivateFolder('', folder);
    assert.throws(() => statSync(stale));
    assert.ok(statSync(recent).isDirectory(), 'its desktop may run where we do not see it');
  });

  it('carries the agent into a java command, and into what starts one', () => {
    const java = withAgent(['/jdk/bin/java', '-jar', 'x.jar'], '/a.so=socket=/s', { A: '1' });
    assert.deepEqual(java, {
      args: ['/jdk/bin/java', '-agentpath:/a.so=socket=/s', '-jar', 'x.jar'],
      env: { A: '1' },
    });
    const gradle = withAgent(['gradle', 'test'], '/my dir/a.so=x', { JAVA_TOOL_OPTIONS: '-Xmx1g' });
    assert.deepEqual(gradle.args, ['gradle', 'test']);
    assert.equal(gradle.env['JAVA_TOOL_OPTIONS'], '-Xmx1g "-agentpath:/my dir/a.so=x"');
  });
});
