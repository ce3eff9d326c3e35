import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { root } from '../../../scripts/setup.mjs';
import { type Command, helpOf, overview, parseInput } from '../../../src/cli/command-line.js';
import { commands } from '../../../src/cli/commands/index.js';
import { ExitCode, UsageError } from '../../../src/cli/exit-codes.js';
import { plainText } from '../../../src/cli/plain-text.js';
import { parseCount, parseDuration, parsePercent, parseSize } from '../../../src/cli/quantities.js';
import { table, Terminal, type TerminalStream } from '../../../src/cli/terminal.js';
import { requestOf } from '../../../src/cli/commands/record.js';
import { recordingName } from '../../../src/targets/recording-folder.js';
import { screenOf } from '../../rigs/screen.js';

const command: Command = {
  name: 'try',
  summary: 'for the test',
  usage: ['try FILE'],
  operands: ['file'],
  startsCommand: true,
  description: [],
  options: [
    { name: 'output', short: 'o', value: 'FILE', help: 'first\nsecond' },
    { name: 'force', help: 'a switch' },
  ],
  examples: [],
  run: () => Promise.resolve(0),
};

describe('the command line', () => {
  it('reads options, positionals, and leaves alone what comes after --', () => {
    const input = parseInput(command, ['in', '-o', 'out', '--force', '--', 'java', '-o', '--help']);
    assert.deepEqual([input.operand(), input.text('output'), input.has('force')], ['in', 'out', true]);
    assert.deepEqual(input.rest, ['java', '-o', '--help']);
    assert.equal(input.has('help'), false);
    assert.throws(() => parseInput(command, ['--frob']), /Unknown option '--frob'\.$/);
    assert.throws(() => parseInput(command, ["--a'b\nc"]), /Unknown option '--a'b\nc'\.$/);
    assert.throws(
      () => parseInput(command, ['--output']),
      /Option '-o, --output <value>' argument missing\.$/,
    );
    assert.throws(() => parseInput(command, ['--output', '-5']), /: Option '--output' argument missing\.$/);
    assert.throws(() => parseInput(command, ['--force=5']), /Option '--force' does not take an argument\.$/);
    assert.throws(() => parseInput(command, []).operand(), /Which file\?/);
    assert.throws(() => parseInput(command, ['a', 'b']), /One file at a time, not a, b\.$/);
  });

  it('refuses words that a command does not know', () => {
    for (const one of commands) {
      if (one.takesSeveral !== true)
        assert.throws(() => parseInput(one, ['a', 'b', 'c']), UsageError, one.name);
      assert.throws(() => parseInput(one, ['--no-such']), /Unknown option '--no-such'/, one.name);
      const takes = one.usage.some((line) => line.includes(' -- '));
      if (!takes) assert.throws(() => parseInput(one, ['--', 'java']), /What is "java"\?/, one.name);
      // What the usage names is what is taken.
      const usage = one.usage[0]?.replace(/\[.*?\]|-o (FILE|OUTPUT|FLEET)/g, '') ?? '';
      const named =
        usage.match(/\b(FILE|FOLDER|FLEET|BEFORE|AFTER|SQL|RECORDING|SHELL)\b|(?<=SYSTEM_)TRACE\b/g) ?? [];
      assert.deepEqual(
        (one.operands ?? []).map((what) => what.toUpperCase()),
        named,
        one.name,
      );
    }
    assert.throws(
      () =>
        parseInput(
          commands.find(({ name }) => name === 'list')!,
          ['extra'],
        ),
      {
        message: 'What is "extra"? btrace list takes options alone.',
      },
    );
  });

  it('takes no memory that the agent could not keep to', async () => {
    const record = commands.find(({ name }) => name === 'record')!;
    const stream = new PassThrough();
    const terminal = new Terminal(stream, stream, {});
    const run = async (memory: string) => record.run(parseInput(record, ['--memory', memory]), terminal);
    await assert.rejects(run('7MB'), { message: '--memory takes 8MB or more, not "7MB".' });
    // Of what else is missing then.
    await assert.rejects(run('8MB'), /--pid/);
  });

  it('has help that says every option', () => {
    for (const one of commands) {
      const help = helpOf(one);
      for (const { name } of one.options) assert.ok(help.includes(`--${name}`), `${one.name} --${name}`);
      for (const line of help.split('\n')) assert.ok(line.length <= 120, `too long for a terminal: ${line}`);
    }
    for (const { name } of commands) assert.ok(overview(commands).includes(name));
  });

  it('takes --interval for every way of sampling, and another for one of them', () => {
    const record = commands.find(({ name }) => name === 'record')!;
    const asked = (...args: string[]) => {
      const { syncIntervalNs, asyncIntervalNs } = requestOf(parseInput(record, args));
      return [syncIntervalNs, asyncIntervalNs];
    };
    assert.deepEqual(asked(), [undefined, undefined]);
    assert.deepEqual(asked('--interval', '2ms'), [2e6, 2e6]);
    assert.deepEqual(asked('--interval', '2ms', '--point-interval', '0'), [0, 2e6]);
    assert.deepEqual(asked('--interval', '2ms', '--cpu-interval', '5ms'), [2e6, 5e6]);
    assert.deepEqual(asked('--cpu-interval', '0'), [undefined, 0]);
    assert.throws(() => asked('--interval', '0'), /takes a time above 0.*--point-interval 0/);
  });

  it('is in docs/CLI.md as it is', () => {
    const page = readFileSync(path.join(root, 'docs/CLI.md'), 'utf8');
    for (const { name } of commands) assert.ok(page.includes(`btrace ${name}`), name);
    const record = commands.find(({ name }) => name === 'record')!;
    for (const { name } of record.options) {
      if (name !== 'pid' && name !== 'name') assert.ok(page.includes(`--${name}`), `record --${name}`);
    }
    for (const code of Object.values(ExitCode)) assert.match(page, new RegExp(`^\\| ${code} \\|`, 'm'));
  });

  it('reads quantities as people write them', () => {
    assert.equal(parseDuration('10', 'x'), 10e9);
    assert.equal(parseDuration('1.5 s', 'x'), 1.5e9);
    assert.equal(parseDuration('500ms', 'x'), 500e6);
    assert.equal(parseDuration('2m', 'x'), 120e9);
    assert.equal(parseSize('32MB', 'x'), 32 * 2 ** 20);
    assert.equal(parseSize('64K', 'x'), 65536);
    assert.equal(parseSize('1GiB', 'x'), 2 ** 30);
    assert.equal(parseSize('77', 'x'), 77);
    assert.equal(parsePercent('0.5%', 'x'), 0.5);
    assert.equal(parseCount('12', 'x'), 12);
    for (const bad of ['', 'x', '-1s', '1parsec', '1.2.3s'])
      assert.throws(() => parseDuration(bad, 'duration'), /--duration takes a time/);
    for (const bad of ['', '5X', '-1', 'M'])
      assert.throws(() => parseSize(bad, 'memory'), /--memory takes a size/);
    assert.throws(() => parseCount('1.5', 'top'), /--top takes a number/);
  });

  it('aligns tables and cuts them to the terminal', () => {
    const rows = [
      ['N', 'NAME'],
      ['100', 'a long name'],
    ];
    assert.deepEqual(table(rows, [true, false]), ['  N  NAME', '100  a long name']);
    assert.deepEqual(table(rows, [true, false], 10), ['  N  NAME', '100  a lo…']);
    // Where it is told how: columns go while names want room, then names lose their begins.
    const many = [
      ['CPU', '', 'WALL', '', 'CALLS', 'METHOD'],
      ['1 s', '9 %', '2 s', '8 %', '3', 'com.example.some.longer.name.Shop.main'],
    ];
    const narrowing = { spare: [[4], [2, 3]], names: [5] };
    const at = (width: number) => table(many, [true, true, true, true, true, false], width, narrowing).at(-1);
    assert.equal(at(80), '1 s  9 %   2 s  8 %      3  com.example.some.longer.name.Shop.main');
    assert.equal(at(60), '1 s  9 %   2 s  8 %  com.example.some.longer.name.Shop.main');
    assert.equal(at(50), '1 s  9 %  com.example.some.longer.name.Shop.main');
    assert.equal(at(30), '1 s  9 %  …nger.name.Shop.main');
  });

  it('colours and moves the cursor on a terminal only', () => {
    const seen = (isTTY: boolean, env: NodeJS.ProcessEnv) => {
      const bytes = new PassThrough();
      const stream: TerminalStream = Object.assign(bytes, { isTTY, columns: 80 });
      const terminal = new Terminal(stream, stream, env);
      terminal.progress('working');
      terminal.print(terminal.bold('done'));
      terminal.endProgress();
      return String(bytes.read());
    };
    assert.equal(seen(false, {}), 'done\n');
    assert.ok(seen(true, {}).includes('\x1b[1mdone\x1b[0m'));
    assert.ok(!seen(true, { NO_COLOR: '1' }).includes('\x1b'));
    assert.ok(seen(false, { FORCE_COLOR: '1' }).includes('\x1b[1m'));
  });

  it('begins a line after what a program left without an end, on a terminal only', () => {
    const seen = (isTTY: boolean): string => {
      const bytes = new PassThrough();
      const stream: TerminalStream = Object.assign(bytes, { isTTY, columns: 8 });
      const terminal = new Terminal(stream, stream, {});
      terminal.freshLine();
      terminal.print('done');
      return String(bytes.read());
    };
    assert.equal(seen(false), 'done\n');
    for (const before of ['', 'x', 'seven..', 'eight...', 'more than one']) {
      const lines = screenOf(before + seen(true), 8);
      assert.equal(lines.at(-2), 'done', before);
      assert.equal(lines.slice(0, -2).join(''), before);
    }
  });

  it('lets no name from a recording drive the terminal', () => {
    assert.equal(plainText('a\x1b[2Jb\nc\u202ed'), 'a\ufffd[2Jb\ufffdc\ufffdd');
    assert.equal(plainText('Größe.λ$1'), 'Größe.λ$1');
  });

  it('names a recording by target and time', () => {
    const when = new Date(2026, 4, 4, 13, 37, 0);
    assert.equal(recordingName('com.example.Shop', when), 'com.example.Shop 2026-05-04 13.37.00.btrace');
    assert.equal(recordingName('../a\0b:c', when), '_a_b_c 2026-05-04 13.37.00.btrace');
    assert.equal(recordingName('...', when), 'recording 2026-05-04 13.37.00.btrace');
  });
});
