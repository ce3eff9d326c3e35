// A program of Darwin that records itself, by the library that is shipped.
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { nameRecording } from '../../src/targets/session/name-recording.js';
import { EndReason, SampleKind } from '../../src/trace/index.js';
import { decodeFile, Recordings } from '../integration/recordings.js';
import {
  type DarwinMachine,
  darwinLibrary,
  darwinMachines,
  darwinProgram,
  runDarwin,
  whyNoDarwin,
} from '../rigs/darwin/darwin.js';
import { stackOf } from '../rigs/stacks.js';

describe('a program of Darwin that records itself', function () {
  const recordings = new Recordings();
  after(() => recordings.remove());

  for (const machine of Object.keys(darwinMachines) as DarwinMachine[])
    it(`has its threads and what it said in the file, ${machine}`, async function () {
      if (whyNoDarwin(machine) !== undefined) this.skip();
      const file = recordings.file(`${machine}.btrace`);
      const program = darwinProgram('in_app', machine, 'chained');
      const run = runDarwin(machine, program, [file], { DYLD_INSERT_LIBRARIES: darwinLibrary(machine) });
      assert.deepEqual(await run.ended, { code: 0, out: '0 0 nothing is recorded\n' });

      const named = `${file}.named`;
      const to = await open(named, 'w');
      const sink = {
        write: async (bytes: Uint8Array): Promise<void> => {
          await to.write(bytes);
        },
      };
      const { functions } = await nameRecording(createReadStream(file), [path.dirname(program)], sink);
      await to.close();
      assert.ok(functions > 0);
      const trace = decodeFile(named);
      assert.deepEqual([trace.problems, trace.complete, trace.endReason], [[], true, EndReason.Stopped]);
      // None of the agent's.
      assert.equal(trace.threads.length, 1);
      const { intervals, events } = trace.threads[0]!;
      let ns = 0;
      for (let row = 0; row < intervals.count; row++)
        if (stackOf(trace, intervals.path[row]!).includes('in_recording')) ns += intervals.cpu[row]!;
      // qemu gives the agent too few looks for shares.
      if (darwinMachines[machine].below.length === 0) assert.ok(Math.abs(ns / 300e6 - 1) < 0.25, `${ns} ns`);
      const said = Array.from(events.kind.subarray(0, events.count).keys())
        .filter((row) => events.kind[row] === SampleKind.Marker)
        .map((row) => trace.text(events.text[row]!));
      assert.deepEqual(said, ['done']);
    });
});
