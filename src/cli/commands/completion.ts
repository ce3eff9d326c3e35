import { type Command } from '../command-line.js';
import { completionScripts } from '../completion.js';
import { ExitCode, UsageError } from '../exit-codes.js';

const shells = Object.keys(completionScripts);

const startLines = `  bash        eval "$(btrace completion bash)" in ~/.bashrc
  zsh         eval "$(btrace completion zsh)" in ~/.zshrc, after compinit
  fish        btrace completion fish | source in ~/.config/fish/config.fish
  powershell  btrace completion powershell | Out-String | Invoke-Expression in $PROFILE`;

/** `others`: the commands that are completed beside itself. */
export function completionOf(others: readonly Command[]): Command {
  const completion: Command = {
    name: 'completion',
    summary: 'print what makes a shell complete commands, options and their values',
    usage: ['completion SHELL'],
    operands: ['shell'],
    description: [
      `SHELL is ${shells.join(', ')}. The shell reads what is printed when it starts:`,
      startLines,
    ],
    options: [],
    examples: ['btrace completion bash > /etc/bash_completion.d/btrace'],
    run(input, terminal) {
      const shell = input.operand();
      const script = completionScripts[shell];
      if (script === undefined) throw new UsageError(`SHELL is ${shells.join(', ')}; not "${shell}".`);
      terminal.print(script([...others, completion]).trimEnd());
      return Promise.resolve(ExitCode.Done);
    },
  };
  return completion;
}
