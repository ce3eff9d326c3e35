/** `btrace why`: findings with their share and place, and none of a healthy recording. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { parseInput } from '../../../src/cli/command-line.js';
import { why } from '../../../src/cli/commands/why.js';
import { Terminal } from '../../../src/cli/terminal.js';
import { UsageError } from '../../../src/cli/exit-codes.js';
import { lockedRecording, second, type Waiting } from '../trace/locked-recording.js';
import { messageRecording } from '../trace/message-recording.js';

describe('btrace why', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(path.join(tmpdir(), 'btrace-why-'))));
  after(() => rmSync(folder, { recursive: true }));

  const told = (waiting: readonly Waiting[], ...options: string[]): Promise<string> =>
    toldOf(lockedRecording(waiting), ...options);

  async function toldOf(recording: Uint8Array, ...options: string[]): Promise<string> {
    const file = path.join(folder, 'a.btrace');
    writeFileSync(file, recording);
    const output = new PassThrough();
    const terminal = new Terminal(output, new PassThrough(), { NO_COLOR: '1' });
    assert.equal(await why.run(parseInput(why, [file, ...options]), terminal), 0);
    return String(output.read());
  }

  it('tells what cost the time, with its share, its place and what to do', async () => {
    const text = await told([{ owner: 3, flags: 0 }]);
    assert.match(text, /^Lock contention in Bank\.transfer: 9\.00 s of waiting \(90\.0 % of the time\)\n/);
    assert.match(text, /\n {2}\S+, 1\.00 s to 10\.0 s, Bank\.transfer:12\n/);
    assert.match(text, /\n {2}Hold the lock for less time/);
    const { findings } = JSON.parse(await told([{ owner: 3, flags: 0 }], '--json')) as {
      findings: { id: string }[];
    };
    assert.deepEqual(
      findings.map(({ id }) => id),
      ['lockContention'],
    );
  });

  it('tells nothing of a healthy recording', async () => {
    assert.equal(await told([{ owner: 2, beginNs: 9.96 * second, flags: 0 }]), 'Nothing stands out.\n');
  });

  it('tells of one loop message, by its number or as the longest one', async () => {
    const messages = [
      { does: 0, workMs: 20, idleMs: 10 },
      { does: 1, workMs: 40, lockMs: 160, idleMs: 10 },
      { does: 0, workMs: 30, idleMs: 10 },
    ];
    const recording = messageRecording(messages);
    const longest = await toldOf(recording, '--message', 'longest');
    assert.match(
      longest,
      /^Lock contention in shop\.Screen\.load: 160 ms of waiting \(80\.0 % of the time\)\n/,
    );
    assert.match(
      longest,
      /\nWhere the time of "main" went.*:\n {2}200 ms \(100 %\) Looper\.loop\n.* shop\.Screen\.load\n/,
    );
    assert.equal(await toldOf(recording, '--message', '2'), longest);
    assert.match(await toldOf(recording, '--message', '3'), /30\.0 ms \(100 %\) shop\.Screen\.draw/);
    await assert.rejects(toldOf(recording, '--message', '4'), /No loop message has the number 4/);
    await assert.rejects(toldOf(recording, '--message', '2', '--range', '0s..1s'), UsageError);
    await assert.rejects(told([{ owner: 3, flags: 0 }], '--message', 'longest'), /handles no loop messages/);
  });
});
