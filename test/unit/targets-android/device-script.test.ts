import assert from 'node:assert/strict';
import type { Adb } from '@yume-chan/adb';
import { DeviceScript } from '../../../src/targets/android/device-script.js';

describe('a script on a device', () => {
  it('is ended when it begins only after nobody wants it any more', async () => {
    let began: (process: unknown) => void = () => undefined;
    const spawning = new Promise((resolve) => (began = resolve));
    const adb = { subprocess: { shellProtocol: { spawn: () => spawning } } } as unknown as Adb;
    const giveUp = new AbortController();
    const started = DeviceScript.start(adb, 'read -r line', giveUp.signal);
    giveUp.abort(new Error('given up'));
    await assert.rejects(started, /given up/);
    await new Promise<void>((ended) => began({ kill: ended }));
  });

  it('keeps few of the lines that nobody asks for', async () => {
    const process = {
      stdin: new WritableStream(),
      stdout: new ReadableStream<Uint8Array>({
        start(controller) {
          for (let piece = 0; piece < 300; piece++)
            controller.enqueue(new TextEncoder().encode(`line ${piece}\n${'x'.repeat(1000)}`));
          controller.close();
        },
      }),
      stderr: new ReadableStream({ start: (controller) => controller.close() }),
      exited: Promise.resolve(0),
      kill: () => undefined,
    };
    const adb = {
      subprocess: { shellProtocol: { spawn: () => Promise.resolve(process) } },
    } as unknown as Adb;
    const script = await DeviceScript.start(adb, '');
    await script.end();
    const lines: string[] = [];
    for (let line = await script.line(1000); line !== undefined; line = await script.line(1000))
      lines.push(line);
    assert.equal(lines[0], 'line 0');
    assert.equal(lines.length, 100);
  });
});
