import type { Target } from '../../targets/target.js';
import { type Command, jsonOption } from '../command-line.js';
import { ExitCode } from '../exit-codes.js';
import { localTargets } from '../local-targets.js';
import { table } from '../terminal.js';

function json(targets: readonly Target[]): string {
  return JSON.stringify(
    targets.map(({ id, kind, name, pid, runtime, detail, refusal }) => ({
      id,
      kind,
      name,
      pid,
      runtime,
      detail,
      recordable: refusal === undefined,
      ...(refusal !== undefined && { refusal }),
    })),
    null,
    2,
  );
}

export const list: Command = {
  name: 'list',
  summary: 'show the Java programs that can be recorded',
  usage: ['list [--json]'],
  description: [
    "This user's Java programs on this machine, also those in containers. A program that cannot be recorded says why.",
  ],
  options: [jsonOption],
  examples: [],
  async run(input, terminal) {
    const targets = await localTargets(terminal).list();
    if (input.has('json')) {
      terminal.print(json(targets));
      return ExitCode.Done;
    }
    if (targets.length === 0) {
      terminal.note(
        'No Java program of yours is running. To start one and record it: btrace record -- java …',
      );
      return ExitCode.Done;
    }
    const rows = targets.map(({ pid, name, runtime, refusal, detail }) => [
      String(pid),
      name,
      runtime,
      refusal === undefined ? detail : `cannot be recorded: ${refusal}`,
    ]);
    const [head = '', ...lines] = table(
      [['PID', 'NAME', 'RUNTIME', 'COMMAND'], ...rows],
      [true, false, false, false],
      terminal.width,
    );
    terminal.print(terminal.bold(head));
    for (const line of lines) terminal.print(line);
    return ExitCode.Done;
  },
};
