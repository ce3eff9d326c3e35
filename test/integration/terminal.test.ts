/** The btrace command as it is shipped, on a terminal of the system's, and in a pipe. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { widthOf } from '../../src/cli/text-width.js';
import { screenOf } from '../rigs/screen.js';

const cli = path.join(root, 'dist/btrace.cjs');
const columns = 100;

interface Shown {
  readonly code: number | null;
  readonly bytes: string;
}

describe('btrace on a terminal', function () {
  if (process.platform !== 'linux') return; // elsewhere `script` is another program
  let folder: string;

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'terminal-'));
    const made = await piped('synth -o whole.btrace --samples 500000');
    assert.equal(made.code, 0, made.err);
    // Without its end, so that there is something to warn of.
    writeFileSync(
      path.join(folder, 'a.btrace'),
      readFileSync(path.join(folder, 'whole.btrace')).subarray(0, -1),
    );
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const env = { ...process.env, TERM: 'xterm', NO_COLOR: '', BTRACE: `'${process.execPath}' '${cli}'` };

  /** On a terminal; `type` is asked after each output what a person types then. */
  async function onTerminal(
    args: string,
    { shape = `stty cols ${columns};`, type }: { shape?: string; type?: (seen: string) => string } = {},
  ): Promise<Shown> {
    const command = `${shape} exec ${env.BTRACE} ${args}`;
    const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: folder, env });
    let bytes = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      bytes += text;
      const typed = type?.(bytes) ?? '';
      if (typed !== '') child.stdin.write(typed); // what ends without input may be gone
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, bytes };
  }

  async function piped(
    args: string,
    more: NodeJS.ProcessEnv = {},
  ): Promise<{ code: number | null; out: string; err: string }> {
    const child = spawn(process.execPath, [cli, ...args.split(' ')], {
      cwd: folder,
      env: { ...env, ...more },
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out, err };
  }

  /** What each command shows when it has the terminal to itself: looked at by more than one test. */
  const shown = new Map<string, Promise<Shown>>();
  function alone(args: string): Promise<Shown> {
    const once = shown.get(args) ?? onTerminal(args);
    shown.set(args, once);
    return once;
  }

  const progress = /\rReading a\.btrace: (\d+) %/g;
  const isColoured = (text: string): boolean => text.includes('\x1b[');
  const isPlain = (text: string): boolean => !text.includes('\x1b') && !text.includes('\r');

  for (const [args, hasColours] of [
    ['info a.btrace', true],
    ['report a.btrace', true],
    ['convert a.btrace --force -o a.json', false],
  ] as const) {
    it(`shows how far it is, takes that away, and has colours: ${args}`, async () => {
      const { code, bytes } = await alone(args);
      assert.equal(code, 0, bytes);
      const shares = [...bytes.matchAll(progress)].map(([, share]) => Number(share));
      assert.ok(shares.length > 1, bytes.slice(0, 200));
      assert.deepEqual(
        shares,
        [...shares].sort((a, b) => a - b),
      );
      assert.equal(shares.at(-1), 100);
      assert.equal(isColoured(bytes), hasColours);

      const lines = screenOf(bytes, columns);
      assert.ok(lines.length > 1);
      assert.ok(!/Reading|Adding up|Writing/.test(lines.join('\n')), lines.join('\n'));
    });

    it(`neither in a pipe: ${args}`, async () => {
      const { code, out, err } = await piped(args);
      assert.equal(code, 0, err);
      assert.ok(isPlain(out + err), `${out}${err}`);
      assert.ok(!/Reading|Adding up|Writing/.test(out + err), `${out}${err}`);
    });
  }

  it('says what takes longer than reading', async () => {
    const reported = await alone('report a.btrace');
    assert.match(reported.bytes, /\rAdding up a\.btrace/);
    const converted = await alone('convert a.btrace --force -o a.json');
    const sizes = [...converted.bytes.matchAll(/\rWriting chrome: ([\d.]+) MB/g)];
    assert.ok(sizes.length > 10, converted.bytes.slice(0, 500));
  });

  it('keeps colours and progress out of a file, and shows progress all the same', async () => {
    const { code, bytes } = await onTerminal('report a.btrace > report.txt');
    assert.equal(code, 0, bytes);
    assert.match(bytes, progress);
    assert.ok(!isColoured(bytes));
    const report = readFileSync(path.join(folder, 'report.txt'), 'utf8');
    assert.match(report, /^synthetic/);
    assert.ok(isPlain(report));
  });

  it('has no progress within what it writes to the terminal itself', async () => {
    const { code, bytes } = await onTerminal('convert a.btrace -o - --to csv');
    assert.equal(code, 0);
    assert.ok(bytes.length > 1000);
    assert.ok(!/Reading|Writing/.test(bytes));
  });

  it('speaks Chinese on a Chinese terminal, with its columns in line, and to programs as ever', async () => {
    const file = path.join(root, 'media/sample/shop.btrace');
    const shape = 'LC_ALL=zh_CN.UTF-8; export LC_ALL; stty cols 80;';
    const { code, bytes } = await onTerminal(`report ${file} --top 5`, { shape });
    assert.equal(code, 0, bytes);
    // oxlint-disable-next-line no-control-regex
    const lines = bytes.replace(/\x1b\[\d*m/g, '').split(/\r\n|\r|\n/);
    const head = lines.findIndex((line) => /自身 CPU.*方法$/.test(line));
    const columnOf = (line: string): number => widthOf(/^.* {2}/.exec(line)?.[0] ?? '');
    const columns = lines.slice(head, head + 6).map(columnOf);
    assert.deepEqual(columns, Array(6).fill(columns[0]), lines.join('\n'));
    for (const line of lines.slice(head, head + 6)) assert.ok(widthOf(line) <= 80, line);
    const [english, chinese] = await Promise.all(
      ['C.UTF-8', 'zh_CN.UTF-8'].map((LC_ALL) => piped(`report ${file} --json`, { LC_ALL })),
    );
    assert.equal(chinese?.out, english?.out);
    const refused = await piped('report none.btrace --json', { LC_ALL: 'zh_CN.UTF-8' });
    assert.deepEqual([refused.code, refused.err], [4, 'btrace: 无法读取 none.btrace：没有这个文件。\n']);
    const lacking = await piped('report --json', { LC_ALL: 'zh_CN.UTF-8' });
    assert.doesNotMatch(lacking.err, /Which|See:/);
  });

  it('fits a terminal that does not know its size', async () => {
    const { bytes } = await onTerminal('info a.btrace', { shape: 'stty cols 0;' });
    assert.match(bytes, /\rReading a\.btrace: 100 %/);
    assert.ok(!screenOf(bytes, 80).join('\n').includes('Reading'));
  });

  it('Ctrl-C on its keyboard leaves no file, and no line of progress', async () => {
    let typed = '';
    const { code, bytes } = await onTerminal('convert a.btrace -o interrupted.json', {
      type: (seen) => (typed === '' && seen.includes('Writing') ? (typed = '\x03') : ''),
    });
    assert.equal(code, 130, bytes);
    assert.equal(existsSync(path.join(folder, 'interrupted.json')), false);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('partial')),
      [],
    );
    const lines = screenOf(bytes.replace('^C', ''), columns);
    assert.ok(!lines.join('\n').includes('Writing'), lines.join('\n'));
    assert.ok(lines.includes('btrace: Interrupted: nothing was written.'), lines.join('\n'));
  });

  it('Ctrl-C ends what only reads', async () => {
    const pipe = path.join(folder, 'endless');
    execFileSync('mkfifo', [pipe]);
    for (const command of ['info', 'report']) {
      // More never comes.
      const writer = createWriteStream(pipe);
      writer.write(readFileSync(path.join(folder, 'a.btrace')).subarray(0, 10_000));
      let typed = '';
      const { code, bytes } = await onTerminal(`${command} endless`, {
        type: (seen) => (typed === '' && seen.includes('Reading') ? (typed = '\x03') : ''),
      });
      writer.destroy();
      assert.equal(code, 130, bytes);
      assert.ok(!bytes.includes('synthetic'), bytes);
    }
  });
});
