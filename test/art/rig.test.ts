import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../scripts/setup.mjs';
import { assertBetween } from '../rigs/art/read-trace.js';
import { type Engine, type Truth, engines } from '../rigs/art/runtime.js';
import { quitsWell, onArtPairs } from '../rigs/art/with-art.js';

const bootsEach = Number(process.env['BTRACE_ART_BOOTS'] ?? 10);

onArtPairs('the Android Runtime in the tests', (bench) => {
  it('runs what its sources say', async () => {
    await promisify(execFile)(process.execPath, [path.join(root, 'scripts/rig-art.mjs'), '--check']);
  });

  for (const engine of Object.keys(engines) as Engine[]) {
    describe(`engine ${engine}`, () => {
      /** Runs an app to its end, which must be in order. */
      const finished = async (name: string, ...args: number[]) => {
        const running = bench.start({ engine, app: name, arguments: args });
        assert.deepEqual(await running.ended, { code: 0, signal: null }, running.output());
        return running;
      };

      it(`boots and ends ${bootsEach} times without a crash`, async () => {
        // At once, since each mostly waits for the threads of its runtime to end.
        await Promise.all(Array.from({ length: bootsEach }, () => finished('ShortMethods', 1)));
      });

      it('starts an app in messages whose CPU time is known', async () => {
        const messages = (await finished('Startup')).truths('message');
        const expectedMs = { onCreate: 30, createActivity: 29, resumeActivity: 10, firstFrame: 20 };
        assert.deepEqual(
          messages.map((message) => message.text('name')),
          Object.keys(expectedMs),
        );
        for (const [index, ms] of Object.values(expectedMs).entries())
          assertBetween(messages[index]!.number('cpu') / 1e6, ms, ms * 1.2 + 1);
      });

      it('drops every tenth frame of the jank app', async () => {
        const frames = (await finished('Jank', 10)).truths('frame');
        assert.deepEqual(
          frames.map((frame) => frame.number('slow')),
          [0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
        );
        assertBetween(frames[9]!.number('cpu') / 1e6, 44, 54);
      });

      it('blocks main on a monitor with a known owner', async () => {
        const running = await finished('Contention', 5);
        const waits = running.truths('monitor');
        for (const wait of waits) assert.notEqual(wait.number('owner'), running.pid);
        // In some round: on a busy machine main may come when the owner has nearly done.
        assert.ok(waits.some((wait) => wait.number('end') - wait.number('begin') > 20e6));
      });

      it('wakes a waiting and a parked thread by the thread that is known', async () => {
        // In some round: on a busy machine a thread may come too late for what it was to wait for.
        const waits = (await finished('WaitNotify', 5)).truths('wait');
        const isWoken = (wait: Truth) =>
          wait.number('begin') < wait.number('notified') && wait.number('notified') < wait.number('end');
        assert.ok(waits.some(isWoken));
        const parks = (await finished('Parking', 5)).truths('park');
        const isParkedTwice = (park: Truth) =>
          park.number('entered') - park.number('begin') > 15e6 &&
          park.number('end') - park.number('entered') > 8e6;
        assert.ok(parks.some(isParkedTwice));
      });

      it('allocates in many threads, collects garbage and goes 2000 frames deep', async () => {
        const [allocations] = (await finished('Storm', 1, 8, 20_000)).truths('allocations');
        assert.equal(allocations!.number('threads') * allocations!.number('each'), 160_000);
        assert.equal((await finished('GcPressure', 5)).truths('gc').length, 5);
        const [depth] = (await finished('DeepStacks', 1, 2000)).truths('depth');
        assert.equal(depth!.number('frames'), 2000);
      });

      it('waits in native code', async () => {
        const [wait] = (await finished('NativeWaits', 1)).truths('native');
        assert.ok(wait!.number('between') - wait!.number('begin') >= 20e6);
        assert.ok(wait!.number('end') - wait!.number('between') >= 19e6);
      });

      it('attaches an agent to a running app, through ART itself', async () => {
        const running = await bench.running({ engine, app: 'Jank', arguments: [0] });
        const agent = path.join(bench.runtime.folder, 'libprobe.so');
        running.system(`attach-agent ${agent}=listen=x,token=00`);
        await running.until(/^probe: Agent_OnAttach\(listen=x,token=00\), GetEnv\(JVMTI\) = -3$/m);
        await running.until(/^system: attached /m);
        running.system('attach-agent /no/such/agent.so=');
        await running.until(/^system: Attaching agent failed: .*cannot open shared object file/m);
        await quitsWell(running);
      });

      it('loads an agent at launch', async () => {
        const agent = `-agentpath:${path.join(bench.runtime.folder, 'libprobe.so')}=listen=x`;
        const options = ['-Xplugin:libopenjdkjvmti.so', agent];
        const running = bench.start({ engine, app: 'Jank', arguments: [1], options });
        assert.deepEqual(await running.ended, { code: 0, signal: null });
        const said = running.output();
        assert.ok(said.indexOf('probe: Agent_OnLoad(listen=x)') < said.indexOf('started sample.Jank'), said);
      });

      it('refuses an agent when the app is not debuggable', async () => {
        const running = await bench.running({ engine, app: 'Jank', arguments: [0], debuggable: false });
        running.system(`attach-agent ${path.join(bench.runtime.folder, 'libprobe.so')}=`);
        await running.until(/^system: Attaching agent failed: .*process is not debuggable/m);
      });

      it("records by ART's own sampling profiler", async () => {
        const { folder } = bench;
        const file = path.join(folder, `${engine}.trace`);
        const running = await bench.running({ engine, app: 'Jank', arguments: [0], folder });
        running.system(`profile start ${file} 1000`);
        await running.until(/^system: profile start/m);
        await running.more('frame', 12);
        running.system('profile stop');
        await running.until(/^system: profile stop$/m);
        const trace = await readFile(file, 'latin1');
        assert.match(trace, /^\*version\n3\n/);
        assert.match(trace, /sample\.Jank\tdecodeRow\t\(\)V\tJank\.java/);
      });
    });
  }
});
