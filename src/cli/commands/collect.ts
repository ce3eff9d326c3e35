import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { shortHash } from '../../query/fleet-tables.js';
import { FleetError, FleetWriter } from '../../query/fleet-writer.js';
import { formatBytes } from '../../trace/measure/quantities.js';
import { refusalText, TraceReader, usualMemoryBytes } from '../../trace/index.js';
import { type Command, jsonOption } from '../command-line.js';
import { CliError, ExitCode, UsageError } from '../exit-codes.js';
import { fileError } from '../open-trace.js';
import { plainText } from '../plain-text.js';
import { errorWords, l10n } from '../l10n.js';

async function recordingsIn(words: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const word of words) {
    try {
      if (!(await stat(word)).isDirectory()) files.push(word);
      else
        for (const name of (await readdir(word, { recursive: true })).sort())
          if (name.endsWith('.btrace')) files.push(path.join(word, name));
    } catch (error) {
      throw fileError(word, 'read', error);
    }
  }
  return files;
}

export const collect: Command = {
  name: 'collect',
  summary: 'turn recordings into the Parquet files of a fleet, for questions over thousands of them',
  usage: ['collect FILE… -o FLEET [OPTIONS]'],
  operands: ['file'],
  takesSeveral: true,
  description: [
    'Sums up each recording, of a folder all that are in it, and adds it to FLEET, partitioned by app, version, device\nand day. One that is there already is passed over. btrace fleet and btrace query --fleet ask it; docs/FLEET.md has\nits tables.',
  ],
  options: [
    { name: 'output', short: 'o', value: 'FLEET', help: 'the folder of the fleet, new or to be added to' },
    {
      name: 'app-version',
      value: 'TEXT',
      help: 'the version of the recorded programs (default: the build that is recorded)',
    },
    jsonOption,
  ],
  examples: ['btrace collect uploads/ -o fleet', 'btrace collect runs/1.4/ -o fleet --app-version 1.4'],
  async run(input, terminal) {
    if (input.operands.length === 0) throw new UsageError('Which recordings?');
    const folder = input.text('output');
    if (folder === undefined) throw new UsageError('Into which folder? Give --output.');
    const files = await recordingsIn(input.operands);
    const writer = await FleetWriter.open(path.resolve(folder)).catch((error: unknown) => {
      if (!(error instanceof FleetError)) throw fileError(folder, 'written', error);
      throw new CliError(ExitCode.File, `${folder}: ${error.message}`, String(error.cause));
    });
    const skipped: { file: string; why: string }[] = [];
    let [added, known, bytes] = [0, 0, 0];
    const begun = performance.now();
    for (const [at, file] of files.entries()) {
      terminal.progress(l10n.t('{0} of {1}: {2}', at, files.length, file));
      let content: Buffer;
      try {
        content = await readFile(file);
      } catch (error) {
        skipped.push({ file, why: fileError(file, 'read', error).message });
        continue;
      }
      const id = shortHash(content);
      if (writer.has(id)) {
        known++;
        continue;
      }
      const reader = new TraceReader({ mostBytes: usualMemoryBytes });
      reader.append(content);
      reader.finish();
      if (reader.refusal !== undefined) {
        skipped.push({ file, why: refusalText(reader.refusal) });
        continue;
      }
      const version = input.text('app-version') ?? '';
      await writer.add({ file, id, trace: reader.trace(), version });
      added++;
      bytes += content.length;
    }
    await writer.finish();
    terminal.endProgress();
    const seconds = (performance.now() - begun) / 1000;
    if (input.has('json')) terminal.print(JSON.stringify({ added, known, bytes, seconds, skipped }, null, 2));
    else {
      const speed = seconds > 0 ? l10n.t(', {0} a second', formatBytes(bytes / seconds)) : '';
      terminal.print(
        l10n.t(
          '{0} recordings were added, {1} were there already ({2}{3}).',
          added,
          known,
          formatBytes(bytes),
          speed,
        ),
      );
      for (const { file, why } of skipped)
        terminal.note(l10n.t('{0} is skipped: {1}', plainText(file), plainText(errorWords(why))));
    }
    return ExitCode.Done;
  },
};
