/** The btrace command as it is shipped, on a device. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { unzipSync, zipSync } from 'fflate';
import { root } from '../../scripts/setup.mjs';
import { decodeRecording } from '../../src/trace/assemble/decode.js';
import type { Trace } from '../../src/trace/model/trace.js';
import {
  assertFirstMessage,
  assertFrames,
  assertWaits,
  traceOf,
  waitingApps,
} from '../rigs/art/read-trace.js';
import { onEveryPair } from '../rigs/art/pairs.js';
import { type ArtApp, type Engine, engines, type Truth } from '../rigs/art/runtime.js';
import { apkOf } from '../rigs/phone/apps.js';
import { onEachPhone } from '../rigs/phone/with-phone.js';

const shopApp = 'com.example.shop';
const bank = 'com.example.bank';

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly label?: string;
  readonly pid: number;
  readonly abi?: string;
  readonly recordable: boolean;
  readonly refusal?: string;
}

/** A package whose label turns the text around. */
function turned(): Buffer {
  const files = unzipSync(apkOf('bank'));
  const manifest = Buffer.from(files['AndroidManifest.xml']!);
  manifest.write('Rig\u202eBank', manifest.indexOf(Buffer.from('Rig Bank', 'utf16le')), 'utf16le');
  return Buffer.from(zipSync({ ...files, 'AndroidManifest.xml': manifest }));
}

onEachPhone('btrace, the command, on devices', (bench) => {
  /** What it printed and its exit code; `during` gets its standard error as it comes. */
  async function btrace(
    args: string[],
    during?: (text: string, end: () => void) => void,
    below = 'exec "$@"',
  ) {
    const command = ['-c', below, 'sh', process.execPath, path.join(root, 'dist/btrace.cjs'), ...args];
    const child = spawn('sh', command, {
      cwd: bench().folder,
      env: { ...bench().server.environment, BTRACE_AGENT_FOLDER: bench().agents },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
      during?.(err, () => child.kill('SIGINT'));
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out, err };
  }

  /** Ends the recording when `enough` has come after it began. */
  const until = (enough: () => Promise<unknown>) => {
    let asked = false;
    return (text: string, end: () => void) => {
      if (asked || !text.includes('Ctrl-C ends it')) return;
      asked = true;
      void enough().then(end);
    };
  };
  /** Every tenth frame is a slow one. */
  const forFrames = (app: ArtApp) => until(() => app.more('frame', 12));

  /** What the command made of the app of the device. */
  async function recorded(enough?: () => Promise<unknown>, ...more: string[]): Promise<Trace> {
    const file = bench().file();
    const args = ['record', '--device', bench().phone.serial, '--app', shopApp, ...more, '-o', file];
    const { code, out, err } = await btrace(args, enough && until(enough));
    assert.equal(code, 0, err);
    assert.equal(out.trim(), file);
    return await traceOf(file);
  }

  for (const engine of Object.keys(engines) as Engine[])
    describe(`records an app of a device (${engine})`, () => {
      onEveryPair(
        it('agrees with the figures that the app measured itself', async () => {
          const app = await bench().launched(shopApp, { engine });
          await bench().connect();
          const before = app.truths('frame').length;
          const trace = await recorded(() => app.more('frame', 35));
          assert.deepEqual(trace.problems, []);
          assertFrames(trace, app, before);
          await app.more('frame', 2);
        }),
      );

      for (const waiting of waitingApps)
        it(`with the ${waiting.told[0].whom} of each ${waiting.truth}`, async () => {
          const app = await bench().launched(shopApp, { app: waiting.app, engine });
          await bench().connect();
          let truths: readonly Truth[] = [];
          const trace = await recorded(
            async () => (truths = await app.more(waiting.truth, 8)),
            ...['--budget', '0'], // each wait is judged, also on a busy machine
          );
          assertWaits(trace, waiting, truths);
        });

      it('from its first message, started anew', async () => {
        await bench().phone.apps.install(shopApp, { launch: { engine, app: 'Startup' } });
        await bench().connect();
        // It ends by itself.
        const trace = await recorded(undefined, '--from-launch', '--budget', '0');
        assertFirstMessage(trace, bench().phone.apps.app(shopApp)!);
      });
    });

  describe('measures starts of an app', () => {
    const measured = (folder: string, ...more: string[]) =>
      btrace(['measure', '--app', shopApp, '--launches', '1', '--warm-up', '0', '-o', folder, ...more]);

    beforeEach(async () => {
      await bench().phone.apps.install(shopApp, { launch: { engine: 'quick', app: 'Screens' } });
      await bench().connect();
    });

    it('cold, warm and hot, in turns', async () => {
      const { code, out, err } = await measured(
        'starts',
        ...['--start', 'cold,warm,hot', '--duration', '2s', '--json'],
      );
      assert.equal(code, 0, err);
      const { starts } = JSON.parse(out) as {
        starts: Record<string, { launches: { screenNs: number; mainCpuNs: number }[] }>;
      };
      // The process with its screen, the screen, or nothing was made anew.
      const made = { cold: [true, true, true], warm: [false, true, true], hot: [false, false, true] };
      const burntMs = { cold: 70, warm: 30, hot: 10 };
      assert.deepEqual(Object.keys(starts), Object.keys(made));
      for (const [kind, which] of Object.entries(made)) {
        const names = await recordedMethods(path.join(bench().folder, `starts/${kind}/0.btrace`));
        assert.deepEqual(
          ['loadSettings', 'inflate', 'refresh'].map((name) => names.includes(`sample.Screens.${name}`)),
          which,
          `${kind}: ${names.join()}`,
        );
        const [{ screenNs, mainCpuNs }] = starts[kind]!.launches as [{ screenNs: number; mainCpuNs: number }];
        const ms = burntMs[kind as keyof typeof burntMs];
        assert.ok(mainCpuNs / 1e6 > ms * 0.8 && screenNs / 1e6 >= ms, `${kind}: ${screenNs} ${mainCpuNs}`);
      }
    });

    it('unless Android says that a start was of another kind', async () => {
      bench().phone.faults.endsApps = true;
      const { code, err } = await measured('cut', '--start', 'hot');
      assert.equal(code, 3, err);
      assert.match(
        err,
        /this start of com\.example\.shop was cold, and not hot\.\n.*may have ended when it was left/,
      );
    });
  });

  for (const { how, bytes } of [
    { how: 'from inside', bytes: 8192 },
    // What was sampled comes when it is stopped.
    { how: 'externally', bytes: 2560 },
  ])
    it(`keeps what fits where the computer's disk fills, and the app (${how})`, async () => {
      const app = await bench().launched(shopApp);
      if (how === 'externally')
        await bench().phone.refuseAgents(
          "java.lang.SecurityException: Can't attach agent, process is not debuggable.",
        );
      await bench().connect();
      const file = `full ${how}.btrace`;
      const { code, err } = await btrace(
        ['record', '--app', shopApp, '-o', file],
        how === 'externally' ? forFrames(app) : undefined,
        `ulimit -f ${bytes / 512}; exec "$@"`,
      );
      assert.equal(code, 5, err);
      if (how === 'externally')
        assert.match(
          err,
          /externally, by Android: Android did not attach the agent: Can't attach agent, .*\. Ctrl-C/,
        );
      assert.match(err, /The disk is full\. What .* is in .*full (externally|from inside)\.btrace/);
      const names = await recordedMethods(path.join(bench().folder, file));
      assert.ok(names.includes('sample.Jank.decodeRow'), names.join());
      await app.more('frame', 2);
      const left = (name: string) => !/^btrace-agent-.*\.(so|symbols)$/.test(name);
      assert.deepEqual((await readdir(bench().phone.resolve('/data/local/tmp'))).filter(left), []);
    });

  it('tells programs why a recording is external, and no count of samples that it does not know', async () => {
    const app = await bench().launched(shopApp);
    await bench().phone.refuseAgents("java.lang.SecurityException: Can't attach agent");
    await bench().connect();
    const { code, out, err } = await btrace(['record', '--app', shopApp, '--json'], forFrames(app));
    assert.equal(code, 0, err);
    const said = JSON.parse(out) as { readonly external?: string };
    assert.equal(said.external, "Android did not attach the agent: Can't attach agent");
    assert.equal('samples' in said, false, out);
  });

  async function recordedMethods(file: string): Promise<string[]> {
    const { methods } = decodeRecording(await readFile(file)).trace();
    return Array.from({ length: methods.count }, (_, method) => methods.qualifiedName(method));
  }

  it('lists the apps of all devices, and says what a device that is not ready needs', async () => {
    const app = await bench().launched(shopApp);
    const tablet = await bench().another({ model: 'Rig Tablet' });
    tablet.faults.unauthorized = true;
    await bench().phone.apps.install(bank, { apk: turned() });
    await bench().connect();
    await bench().connect(tablet);
    const { code, out, err } = await btrace(['list', '--android', '--json']);
    assert.equal(code, 0, err);
    const listed = JSON.parse(out) as Listed[];
    const shop = listed.find(({ name }) => name === shopApp);
    assert.equal(shop?.id, `android:${bench().phone.serial}:${shopApp}`);
    assert.deepEqual(
      [shop.pid, shop.abi, shop.recordable, shop.label],
      [app.pid, 'x86_64', true, 'Ładen ☂ 店'],
    );
    const other = listed.find(({ id }) => id === `android:${tablet.serial}`);
    assert.match(other?.refusal ?? '', /allow USB debugging/);
    const plain = await btrace(['list']);
    assert.match(
      plain.out,
      /com\.example\.shop +ART \(API 30\) +Ładen ☂ 店 · Rig Phone .* Android 11 · x86_64$/m,
    );
    assert.match(plain.out, /com\.example\.bank +ART \(API 30\) +Rig\ufffdBank · Rig Phone/);
  });

  it('records the only debuggable app of a device until Ctrl-C', async () => {
    const app = await bench().launched(shopApp);
    await bench().phone.apps.install(bank, { debuggable: false });
    await bench().phone.apps.launch(bank, { engine: 'quick', app: 'Jank', arguments: [0] });
    await bench().connect();
    const file = bench().file();
    const args = ['record', '--device', bench().phone.serial, '-o', file];
    const { code, out, err } = await btrace(args, forFrames(app));
    assert.equal(code, 0, err);
    assert.equal(out.trim(), file);
    assert.ok((await recordedMethods(file)).includes('sample.Jank.decodeRow'));
  });

  it('records by app and device, and asks back when that is not one', async () => {
    const app = await bench().launched(shopApp);
    const tablet = await bench().another({ model: 'Rig Tablet' });
    await tablet.apps.install(shopApp);
    await tablet.apps.launch(shopApp, { engine: 'quick', app: 'Jank', arguments: [0] });
    await bench().connect();
    await bench().connect(tablet);
    const several = await btrace(['record', '--app', shopApp]);
    assert.equal(several.code, 3);
    assert.match(several.err, /2 apps are called "com\.example\.shop":/);
    assert.match(
      several.err,
      /^ {2}com\.example\.shop {2}on Rig Phone \(127.*Choose one with --app and --device/ms,
    );
    const none = await btrace(['record', '--app', 'nobody']);
    assert.match(none.err, /No app that runs is called "nobody"/);
    const file = bench().file();
    const args = ['record', '-a', 'ładen', '-s', 'Rig Phone', '-o', file];
    const { code, err } = await btrace(args, forFrames(app));
    assert.equal(code, 0, err);
    assert.equal(decodeRecording(await readFile(file)).trace().info.pid, app.pid);
  });

  it('reports why the agent could not be used, without private names', async () => {
    const { phone } = bench();
    await phone.apps.install(shopApp, { mainProcess: 'org.shop.main' });
    await phone.apps.launch(shopApp);
    await phone.refuseAgents(`java.lang.SecurityException: Can't attach agent to ${shopApp}`);
    await phone.says(`W/ActivityManager: attach agent: ${shopApp} refused`);
    await bench().connect();
    const doctor = ['doctor', '--duration', '1s', '--app'];
    const refused = await btrace([...doctor, 'org.shop.main']);
    assert.equal(refused.code, 3);
    for (const line of [
      /^build +rig\/phone\/phone:11\/RP1A\.200720\.009\/eng:userdebug\/dev-keys$/m,
      /^ART module +package:com\.google\.android\.art versionCode:351010040$/m,
      /^libart build ids +\w{40}$/m,
      /^app +lets itself be looked into, runs, x86_64$/m,
      /^how +external: .*did not attach the agent: Can't attach agent to the app$/m,
      /^FAILED +The agent could not be used/m,
      /^the device's log +W\/ActivityManager: attach agent: the app refused$/m,
    ])
      assert.match(refused.out, line);
    const unknown = await btrace([...doctor, 'com.acme.secret', '--device', 'SERIAL77']);
    assert.match(unknown.out, /^FAILED +No device with apps on it is called "the device"/m);
    const nobody = await btrace([...doctor, 'com.acme.secret']);
    assert.match(nobody.out, /^FAILED +No app that runs is called "the app"\.$/m);
    const secrets = [shopApp, 'org.shop', 'acme', 'SERIAL77', 'alice', phone.serial];
    for (const { out } of [refused, unknown, nobody])
      for (const secret of secrets) assert.ok(!out.includes(secret), `${secret} in ${out}`);
  });

  it('reports on a device without an app', async () => {
    await bench().connect();
    const { code, out } = await btrace(['doctor']);
    assert.equal(code, 3);
    assert.match(out, /^devices +device$.*^API +30$.*^FAILED +No app runs on a device here\.$/ms);
  });

  it('tries a device out, and reports without names', async () => {
    await bench().launched(shopApp);
    await bench().connect();
    const { code, out, err } = await btrace(['doctor', '--device', bench().phone.serial, '--duration', '1s']);
    assert.equal(code, 0, out + err);
    for (const line of [
      /^adb +server of protocol 41 on this machine/m,
      /^devices +device$/m,
      /^API +30$/m,
      /^ABIs +x86_64$/m,
      /^ended +limit$/m,
      /^how +in process/m,
      /^samples +[1-9]/m,
      /^at allocation +[\d,]+ captures, /m,
      /^hooks that worked +.*\ballocation\b/m,
      /^hook libart +build id \w{40}/m,
      /^All is well: this can be recorded\.$/m,
    ])
      assert.match(out, line);
    for (const secret of [shopApp, bench().phone.serial, 'sample.Jank'])
      assert.ok(!out.includes(secret), secret);
  });

  it('reports why a recording failed, with what the log of the device says', async () => {
    const app = await bench().launched(shopApp);
    await bench().connect();
    bench().phone.faults.agentKills = true;
    await bench().phone.says(`W/shop(${app.pid}): Attaching agent failed in ${shopApp}: dlopen`);
    const { code, out } = await btrace(['doctor']);
    assert.equal(code, 3);
    assert.match(out, /^FAILED +the app ended while the agent was attached\./m);
    assert.match(out, /^the device's log +W\/shop\(\d+\): Attaching agent failed in the app: dlopen$/m);
    assert.match(out, /put this report into an issue/);
    assert.ok(!out.includes(shopApp) && !out.includes(bench().phone.serial));
  });

  it('reports what is wrong with a device that cannot be used', async () => {
    bench().phone.faults.unauthorized = true;
    await bench().connect();
    const { code, out } = await btrace(['doctor']);
    assert.equal(code, 3);
    assert.match(out, /^FAILED .*cannot be used\..*\n.*allow USB debugging/m);
    assert.ok(!out.includes(bench().phone.serial));
  });

  it('starts an adb server where none runs, and only when Android is asked for', async () => {
    await bench().server.end();
    const quiet = await btrace(['list']);
    assert.equal(quiet.code, 0);
    assert.match(quiet.err, /No adb server runs on this machine.*btrace list --android/s);
    try {
      const { code, err } = await btrace(['list', '--android']);
      assert.equal(code, 0);
      assert.match(err, /No Android device is connected/);
    } finally {
      await bench().server.restart();
    }
  });

  it('says where no adb server answers and what would start one', async () => {
    const elsewhere = await btrace(['record', '--app', shopApp, '--adb-server', '127.0.0.2:1']);
    assert.equal(elsewhere.code, 3);
    assert.match(elsewhere.err, /No adb server answers at 127\.0\.0\.2:1\.\nStart one there/);
    const six = await btrace(['record', '--app', shopApp, '--adb-server', '[::1]:1']);
    assert.match(six.err, /No adb server answers at \[::1\]:1\./);
    assert.equal((await btrace(['list', '--adb-server', 'a:b:c'])).code, 2);
    const both = await btrace(['record', '--app', shopApp, '--pid', '1']);
    assert.match(both.err, /--app and --device are for Android/);
  });
});
