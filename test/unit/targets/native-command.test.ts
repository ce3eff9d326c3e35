import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { elfFile } from '../../rigs/elf-file.js';
import { externalProgramOf, nativeProgram } from '../../../src/targets/local/native-command.js';

describe('the native program of a command', function () {
  let folder: string;
  let shop: string;

  before(function () {
    if (process.platform !== 'linux') this.skip();
    folder = mkdtempSync(path.join(tmpdir(), 'native-command-'));
    shop = path.join(folder, 'shop');
    copyFileSync('/bin/sleep', shop);
    writeFileSync(path.join(folder, 'still'), elfFile([]), { mode: 0o755 });
    writeFileSync(path.join(folder, 'run.sh'), '#!/bin/sh\nexec ./shop 1\n', { mode: 0o755 });
  });
  after(() => {
    if (folder) rmSync(folder, { recursive: true });
  });

  it('is the program itself, or what stands behind programs that only start others', async () => {
    const behind = { behindOthers: 'shop' };
    const cases: [readonly string[], unknown][] = [
      [[shop, '1'], {}],
      [['env', 'A=1', shop], behind],
      [['nice', '-n', '5', 'env', shop, 'sleep'], behind],
      [['timeout', '-s', 'KILL', '5', shop], behind],
      [['sh', '-c', `A=1 ${shop} 1`], behind],
      [['bash', '-lc', shop], behind],
      [['nice', 'sh', '-c', `env ${shop}`], behind],
      [['./shop'], {}],
      [['./shop 1'], behind],
      [['A=1 ./shop 1'], behind],
      // Values of options that are also names of programs.
      [['env', '-u', 'sh', shop], behind],
      [['time', '-o', 'cat', shop], behind],
      [['timeout', '-s', 'kill', '--kill-after', '9', '5', shop], behind],
      [['nice', '-5', 'taskset', '-c', '0', shop], behind],
      [['nice', '--adjustment=5', '--', shop], behind],
      [['env', '-S', `A=1 ${shop} 1`], behind],
      [['env', '-vS', '-u HOME nice', './shop'], behind],
      [['env', '--split-string=A=1 ./shop', '2'], behind],
      [['env', '-C', path.dirname(folder), `./${path.basename(folder)}/shop`], behind],
    ];
    for (const [command, expected] of cases)
      assert.deepEqual(await nativeProgram(command, folder), expected, command.join(' '));
  });

  it('is none where a command may start any number of programs, or a JVM', async () => {
    const commands: (readonly string[])[] = [
      [],
      [''],
      [' '],
      ['A=1 B=2'],
      [path.join(folder, 'run.sh')],
      ['sh', path.join(folder, 'run.sh'), shop],
      ['sh', '-c'],
      ['make', shop],
      ['env', 'java', '-version'],
      ['cd x && ./shop'],
      ['sh', '-c', './shop | cat'],
      ['./shop "a b"'],
      ['env', '-S', './shop "a b"'],
      ['env', '-C', '/', './shop'],
      ['env', '-i', './shop'],
      ['nice', '-n', './shop'],
      ['sudo ./shop'],
      ['/no/such/program'],
    ];
    for (const command of commands)
      assert.equal(await nativeProgram(command, folder), undefined, command.join(' '));
  });

  it('is recorded externally where no library can be loaded into it, also behind others', async () => {
    const why = 'it is linked statically';
    const whole = { name: 'still', why, forkedBy: undefined };
    const cases: [readonly string[], unknown][] = [
      [['./still'], whole],
      [['./still 1'], whole],
      [['env', 'A=1', 'nice', './still'], whole],
      [['sh', '-c', 'A=1 ./still 1'], { ...whole, forkedBy: 'sh' }],
      [['nice', 'timeout', '5', 'env', './still'], { ...whole, forkedBy: 'timeout' }],
      [['setsid', '-f', './still'], { ...whole, forkedBy: 'setsid' }],
      [
        ['env', '-i', 'A=1', './shop'],
        { ...whole, name: 'shop', why: 'env starts it without its environment' },
      ],
      [['env', '-', './still'], whole],
      [['./shop'], undefined],
      [['nice', './shop'], undefined],
      [['make', './still'], undefined],
    ];
    for (const [command, expected] of cases)
      assert.deepEqual(await externalProgramOf(command, folder), expected, command.join(' '));
  });
});
