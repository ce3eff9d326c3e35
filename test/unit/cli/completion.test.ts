/** What shells complete: by the script for bash in a real bash; those of other shells name the same commands and options. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { commands } from '../../../src/cli/commands/index.js';
import { completionScripts } from '../../../src/cli/completion.js';

const scriptFor = (shell: string): string => completionScripts[shell]!(commands);

describe('completion', () => {
  /** What bash offers for the last of these words, each line of words for itself. */
  function offered(lines: readonly (readonly string[])[]): string[][] {
    const calls = lines.map((words) => {
      const quoted = words.map((word) => `'${word}'`).join(' ');
      return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _btrace 2>/dev/null; echo "\${COMPREPLY[*]}"`;
    });
    const output = execFileSync('bash', ['--norc', '-c', `${scriptFor('bash')}\n${calls.join('\n')}`], {
      encoding: 'utf8',
    });
    return output
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ').filter((word) => word !== ''));
  }

  it('offers commands, options and values in bash', () => {
    const presets = ['balanced', 'main-thread', 'memory', 'locks'];
    assert.deepEqual(
      offered([
        ['btrace', 're'],
        ['btrace', 'record', '--pres'],
        ['btrace', 'record', '--preset', ''],
        ['btrace', 'record', '--preset', 'ba'],
        ['btrace', 'record', '--preset', '=', 'ba'],
        ['btrace', 'record', '--preset', '='],
        ['btrace', 'report', '--force'],
        ['btrace', 'record', '--duration', '--'],
        ['btrace', 'record', '--', '--pres'],
        ['btrace', 'no-such', '--'],
        ['btrace', 'completion', '--'],
      ]),
      [
        ['record', 'report'],
        ['--preset'],
        presets,
        ['balanced'],
        ['balanced'],
        presets,
        [],
        [],
        [],
        [],
        ['--help'],
      ],
    );
  });

  it('offers all that there is', () => {
    const all = offered([['btrace', ''], ...commands.map(({ name }) => ['btrace', name, '-'])]);
    assert.deepEqual(
      all[0],
      commands.map(({ name }) => name),
    );
    commands.forEach(({ name, options }, at) => {
      const names = [...options, { name: 'help' }].map((option) => `--${option.name}`);
      assert.deepEqual(all[at + 1], names, name);
    });
    for (const shell of ['zsh', 'fish', 'powershell'])
      for (const { name, options } of commands)
        for (const option of options) {
          const named = shell === 'fish' ? `from ${name}' -l ${option.name} ` : `'--${option.name}`;
          assert.ok(scriptFor(shell).includes(named), `${shell}: ${name} --${option.name}`);
        }
  });

  it('keeps within quotes whatever a help says', () => {
    const said = 'it\'s a $(date) \\ "thing" ’ of :colons';
    const command = { ...commands[0]!, name: 'try', summary: said };
    const bare = completionScripts['powershell']!([command]);
    assert.ok(bare.includes(`'it''s a $(date) \\ "thing" ’’ of :colons'`), 'PowerShell takes ’ for a quote');
    assert.ok(completionScripts['fish']!([command]).includes(`'it\\'s a $(date) \\\\ "thing" ’ of :colons'`));
    assert.ok(
      completionScripts['zsh']!([command]).includes(`'try:it'\\''s a $(date) \\ "thing" ’ of :colons'`),
    );
  });
});
