/** The btrace command as it is shipped: what it says of wrong input, and that it leaves nothing half written. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { type Around, type Ran, type Run, startBtrace } from './btrace-command.js';
import { Recordings } from './recordings.js';
import { until } from '../rigs/until.js';

describe('btrace, its input and its files', () => {
  let recordings: Recordings;

  const start = (args: string[], options?: Around): Run => startBtrace(recordings.folder, args, options);
  const btrace = (...args: string[]): Promise<Ran> => start(args).ended;

  before(async () => {
    recordings = new Recordings();
    const made = await btrace('synth', '-o', 'x.btrace', '--samples', '20000', '-q');
    assert.equal(made.code, 0, made.err);
  });
  after(() => recordings.remove());
  afterEach(() => {
    for (const name of readdirSync(recordings.folder)) {
      assert.ok(!name.endsWith('.part'), `${name} was left`);
    }
  });

  it('says what is wrong and what to do, with an exit code for it', async () => {
    const cases: [string[], number, RegExp][] = [
      [[], 2, /^$/],
      [['frob'], 2, /no command "frob"/],
      [['record'], 2, /Which program\?/],
      [['record', '--pid', '1', 'x'], 2, /goes after --/],
      [['record', '--app', 'x', '--from', 'inside'], 2, /--from and a command are for this machine/],
      [['record', '--ios', '--from', 'inside'], 2, /--from are not for iPhones/],
      [['record', '--from', 'inside', '--', 'x'], 2, /--from is for a program that runs/],
      [['record', '--pid', '4194999'], 3, /no process 4194999.*btrace list/s],
      [['record', '--name', 'no such program'], 3, /has "no such program" in its name/],
      [['record', '-o', 'text.txt', '--', 'java'], 4, /text\.txt is there already.\n.*--force/s],
      [['record', '-o', '.', '--force', '--', 'java'], 4, /\. cannot be written: it is a folder/],
      [['record', '-o', 'pipe.csv', '--force', '--', 'java'], 4, /pipe\.csv is no file/],
      [['record', '--', 'no-such-command-here'], 3, /There is no program no-such-command-here/],
      [['record', '-q', '--', 'sh', '-c', 'exit 3'], 3, /ended with code 3 before a JVM called back/],
      [['report', 'missing.btrace'], 4, /there is no such file/],
      [['report', 'text.txt'], 4, /text\.txt is no trace/],
      [['report', '.'], 4, /it is a folder/],
      [['report', ''], 2, /Which file\?/],
      [['report', 'circle'], 4, /circle cannot be read: its links lead in a circle/],
      [['report', 'text.txt/x'], 4, /a part of its path is no folder/],
      [['report', '\x1b[31mred'], 4, /^btrace: \ufffd\[31mred cannot/],
      [['report', 'x.btrace', '--from', '2s', '--to', '1s'], 2, /--to is a time after --from/],
      [['report', 'x.btrace', '--from', '1h'], 2, /--from is after the end of x\.btrace, which is .* s long/],
      [['report', 'x.btrace', '--thread', ''], 2, /--thread takes something/],
      [['compare', 'x.btrace'], 2, /Which AFTER\?/],
      [['compare', 'x.btrace', 'x.btrace', 'x.btrace'], 2, /takes BEFORE and AFTER/],
      [['compare', 'x.btrace', 'text.txt'], 4, /text\.txt is no trace/],
      [
        ['compare', 'x.btrace', 'missing.btrace', '--sort', 'heat'],
        2,
        /--sort takes self-cpu, .* not "heat"/,
      ],
      [['compare', 'x.btrace', 'x.btrace', '--fail-above', '50'], 2, /--fail-above takes a unit/],
      [['compare', 'x.btrace', 'x.btrace', '--exempt', 'missing.txt'], 4, /missing\.txt cannot be read/],
      [['compare', 'x.btrace', 'few.txt'], 0, /s long\. Of a program/],
      [
        ['compare', 'x.btrace', 'few.txt', '--sort', 'self-cpu'],
        2,
        /AFTER has not recorded what self-cpu compares/,
      ],
      [
        ['compare', 'few.txt', 'more.txt', '--sort', 'self-wall', '--fail-above', '3s'],
        0,
        /s long\. Of a program/,
      ],
      [['compare', 'few.txt', 'more.txt', '--scale', '--fail-above', '1s'], 6, /^$/],
      [['compare', 'few.txt', 'more.txt', '--sort', 'self-wall', '--to', '1s'], 0, /^$/],
      [['convert', 'x.btrace', '-o', 'pipe.csv', '--force'], 4, /pipe\.csv is no file/],
      [['convert', 'x.btrace', '-o', `${'x'.repeat(300)}.csv`], 4, /its name is too long/],
      [['convert', 'x.btrace'], 2, /Give -o FILE/],
      [['convert', 'x.btrace', '-o', 'x.foo'], 2, /Which format\?/],
      [['convert', 'text.txt', '-o', 'text.pftrace'], 4, /is no trace/],
      [['convert', 'text.txt', '-o', 'nowhere/x.csv'], 4, /nowhere\/x\.csv cannot .*no such folder/],
      [['synth', '-o', 'nowhere/x.btrace'], 4, /nowhere\/x\.btrace cannot .*no such folder/],
      [['synth', '-o', 'x', '--interval', '0'], 2, /--interval takes 1 ns or more/],
      [['synth', '-o', 'text.txt'], 4, /text\.txt is there already.\n.*--force/s],
      [['synth', '-o', 'x', '--truth', 'text.txt'], 4, /text\.txt is there already/],
      [['synth', '-o', 'x', '--truth', './x'], 2, /--truth and --output are two files/],
      [['synth', '-o', 'x', '--methods', '0'], 2, /--methods takes 1 or more/],
      [['dump', '--pid', '1'], 3, /No recording keeps a ring of process 1/],
    ];
    writeFileSync(recordings.file('text.txt'), 'To whom it may concern.\n');
    writeFileSync(recordings.file('few.txt'), 'main;load 900\nmain;draw 900\n');
    writeFileSync(recordings.file('more.txt'), 'main;load 2900\nmain;draw 200\n');
    symlinkSync('circle', recordings.file('circle'));
    execFileSync('mkfifo', [recordings.file('pipe.csv')]);
    for (const [args, code, message] of cases) {
      const ran = await btrace(...args);
      assert.equal(ran.code, code, `${args.join(' ')}: ${ran.err}`);
      assert.match(ran.err, message, args.join(' '));
      assert.ok(!/^\s+at /m.test(ran.err), `a stack trace is no message: ${ran.err}`);
    }
    assert.ok(!existsSync(recordings.file('text.pftrace')));
    // A name as long as names may be is none that is too long.
    const long = `${'x'.repeat(251)}.csv`;
    assert.equal((await btrace('convert', 'x.btrace', '-o', long, '-q')).out, `${long}\n`);
  });

  it('says that a disk is full by what was being written, and goes on where nobody reads its remarks', async () => {
    const full = 'exec "$@" > /dev/full';
    for (const args of [
      ['report', 'x.btrace'],
      ['info', 'x.btrace', '--json'],
      ['convert', 'x.btrace', '--to', 'csv', '-o', '-'],
      ['--help'],
    ]) {
      const { code, err } = await start(args, { below: full }).ended;
      assert.equal(code, 4, err);
      assert.equal(
        err,
        'btrace: Standard output cannot be written: the disk is full.\nMake room, or write it elsewhere.\n',
      );
    }
    // As much as one may write into a file is as good as a disk that is full.
    const little = 'trap "" XFSZ; ulimit -f 8; exec "$@"';
    for (const [name, ...args] of [
      ['little.csv', 'convert', 'x.btrace'],
      ['little.btrace', 'convert', 'x.btrace'],
      ['little2.btrace', 'synth'],
    ] as const) {
      const { code, err } = await start([...args, '-o', name, '-q'], { below: little }).ended;
      assert.equal(code, 4, err);
      assert.match(err, new RegExp(`^btrace: ${name} cannot be written: `));
      assert.ok(!existsSync(recordings.file(name)));
    }
    const unread = start(['report', 'missing']);
    unread.child.stderr!.destroy();
    assert.equal((await unread.ended).code, 4);
  });

  it('Ctrl-C while a file is made leaves nothing of it', async () => {
    const made = await btrace('synth', '-o', 'big.btrace', '--samples', '400000', '--json');
    assert.equal(made.code, 0, made.err);
    const { bytes } = JSON.parse(made.out) as { bytes: number };
    assert.equal(bytes, statSync(recordings.file('big.btrace')).size);
    for (const [signal, output, ...args] of [
      ['SIGINT', 'big.json', 'convert', 'big.btrace'],
      ['SIGINT', 'redacted-big.btrace', 'convert', 'big.btrace', '--redact'],
      ['SIGINT', 'bigger.btrace', 'synth', '--samples', '20000000'],
      ['SIGHUP', 'bigger.btrace', 'synth', '--samples', '20000000'],
    ] as const) {
      let ended: Ran;
      do {
        // On a busy machine it may be done before the signal comes: then nothing was interrupted.
        rmSync(recordings.file(output), { force: true });
        const run = start([...args, '-o', output]);
        const isWriting = (): boolean =>
          readdirSync(recordings.folder).some((name) => name.endsWith('.part'));
        await until(`${output} is being written`, () => run.child.exitCode !== null || isWriting(), 5);
        run.child.kill(signal);
        ended = await run.ended;
      } while (existsSync(recordings.file(output)) && ended.code === 0);
      // Where it takes too long to end by itself, it dies of the signal: a shell says 130 of that, too.
      assert.ok(ended.code === 130 || ended.signal === signal, `${output}: ${ended.code} ${ended.err}`);
      assert.deepEqual(
        readdirSync(recordings.folder).filter((name) => name.includes(output)),
        [],
      );
    }
  });
});
