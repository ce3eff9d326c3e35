// An app on a device: a stand-in for usbmuxd, whose device's port leads to the agent in a program of Darwin. Debian's own
// tools prove the stand-in.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { find } from '../../scripts/setup.mjs';
import type { Target } from '../../src/targets/target.js';
import { IosTargets, parseIosToken } from '../../src/targets/ios/ios-targets.js';
import { listUsbmux, watchUsbmux } from '../../src/targets/ios/usbmux.js';
import { startBtrace } from '../integration/btrace-command.js';
import { decodeFile, Recordings, refusal, threadNamed, totalCpu } from '../integration/recordings.js';
import { darwinLibrary, darwinProgram, freePort, runDarwin, whyNoDarwin } from '../rigs/darwin/darwin.js';
import { connectTo } from '../rigs/darwin/record.js';
import { UsbmuxdStandIn, type StandIn } from '../rigs/usbmux/usbmuxd.js';

const appPort = 27184;
const token = '00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef';
const serial = '00008110-000A1B2C3D4E5F60';
const facts = { DeviceName: 'Ada’s iPhone & more', ProductVersion: '17.4', ProductType: 'iPhone14,5' };

describe('an app on an iPhone that is not there', function () {
  const recordings = new Recordings();
  let server: UsbmuxdStandIn;
  let phone: StandIn;
  let targets: IosTargets;

  before(async () => {
    server = await UsbmuxdStandIn.start();
    phone = { id: 3, serial, facts, ports: new Map() };
    server.attach(phone);
    targets = new IosTargets({ agentRoots: [], address: { path: server.path } });
  });
  after(async () => {
    await server.close();
    recordings.remove();
  });

  const door = { port: appPort, tokens: parseIosToken(token)! };

  it('is listed by the name that its owner gave it, with its system', async () => {
    assert.deepEqual(
      (await targets.devices()).map(({ name, version }) => ({ name, version })),
      [{ name: facts.DeviceName, version: '17.4' }],
    );
  });

  it('is told as it comes and goes', async () => {
    const address = { path: server.path };
    const other: StandIn = { id: 4, serial: 'other', facts: {}, ports: new Map() };
    let changed = (): void => undefined;
    const next = (): Promise<void> => new Promise((resolve) => (changed = resolve));
    const begun = next();
    const stop = watchUsbmux(address, () => changed());
    try {
      await begun;
      const came = next();
      server.attach(other);
      await came;
      while ((await listUsbmux(address)).length !== 2) await next();
      const went = next();
      server.detach(other);
      await went;
      assert.equal((await listUsbmux(address)).length, 1);
    } finally {
      stop();
    }
  });

  it('is in the list with what it lacks: a token, an app that listens', async () => {
    const address = { path: server.path };
    const untold = await new IosTargets({ agentRoots: [], address }).list();
    assert.deepEqual(
      untold.map(({ name, detail }) => [name, detail]),
      [[facts.DeviceName, `${facts.DeviceName} · iOS 17.4`]],
    );
    assert.match(untold[0]?.refusal ?? '', /have a token/);
    const told = new IosTargets({ agentRoots: [], address, tokens: door.tokens });
    assert.match((await told.list())[0]?.refusal ?? '', /No app with BTrace in it listens.*27184/);
    await assert.rejects(told.choose('ada'), refusal('not-found', /no app to record on Ada/));
  });

  it('is no failure where nobody asked and the machine has no service for it', async () => {
    const options = { agentRoots: [], address: { path: `${server.path}-not` } };
    assert.deepEqual(await new IosTargets(options).list(), []);
    await assert.rejects(
      new IosTargets({ ...options, isAsked: true }).list(),
      refusal('not-found', /No service for iPhones/),
    );
  });

  it('says in words what is missing: no service, no device, no app, another token', async () => {
    const nowhere = new IosTargets({ agentRoots: [], address: { path: `${server.path}-not` } });
    await assert.rejects(nowhere.devices(), refusal('not-found', /No service for iPhones/));
    await assert.rejects(targets.app(door, 'iPad'), refusal('not-found', /"iPad" is connected/));
    const target = await targets.app(door, 'ada');
    await assert.rejects(
      target.start(recordings.options()),
      refusal('not-found', /Nothing listens on port 27184/),
    );
    assert.equal(parseIosToken('12'), undefined);
  });

  for (const [tool, args, said] of [
    ['idevice_id', ['-l'], serial],
    ['ideviceinfo', ['-s', '-k', 'DeviceName'], facts.DeviceName],
    ['ideviceinfo', ['-s', '-k', 'ProductVersion'], '17.4'],
  ] as const) {
    it(`${tool} ${args.join(' ')}, as Debian has it, gets the same of it`, async function () {
      if (find('imobiledevice') === undefined) this.skip();
      const child = spawn(tool, args, {
        env: { ...process.env, USBMUXD_SOCKET_ADDRESS: `UNIX:${server.path}` },
      });
      let out = '';
      child.stdout.on('data', (text) => (out += String(text)));
      await new Promise((resolve) => child.once('close', resolve));
      assert.equal(out.trim(), said);
    });
  }

  it('is recorded through its cable, for as long as asked, and is recorded again', async function () {
    if (whyNoDarwin('x86_64') !== undefined) this.skip();
    const port = await freePort();
    const { ours, theirs } = door.tokens;
    const run = runDarwin('x86_64', darwinProgram('truth', 'x86_64', 'chained'), ['100000'], {
      DYLD_INSERT_LIBRARIES: darwinLibrary('x86_64'),
      BTRACE_NATIVE: `port=${port},token=${ours.toString('hex')},answer=${theirs.toString('hex')}`,
    });
    try {
      (await connectTo(port)).destroy(); // it listens
      const here: StandIn = { ...phone, id: 5, ports: new Map([[appPort, port]]) };
      server.detach(phone);
      server.attach(here);
      const command = (args: readonly string[]) =>
        startBtrace(recordings.folder, args, {
          env: { USBMUXD_SOCKET_ADDRESS: `UNIX:${server.path}`, BTRACE_IOS_TOKEN: token },
        }).ended;
      const listed = await command(['list', '--ios', '--json']);
      assert.deepEqual(
        (JSON.parse(listed.out) as Target[]).map(({ id, kind, name }) => ({ id, kind, name })),
        [{ id: `ios:${serial}:${appPort}`, kind: 'ios', name: `app on port ${appPort}` }],
      );
      const byName = recordings.file('by-name.btrace');
      const record = ['record', '--device', 'ada', '--duration', '300ms', '--output', byName];
      const recorded = await command([...record, '--app', 'TRU']);
      assert.equal(recorded.code, 0, recorded.err);
      assert.equal(decodeFile(byName).info.targetName, 'truth');
      const other = await command([...record, '--force', '--app', 'shop']);
      assert.match(other.err, /No app that listens is called "shop"\. There is: truth/);
      assert.match(other.err, /^truth was recorded for a moment/m);
      assert.equal(decodeFile(byName).info.targetName, 'truth', 'the recording that was there is kept');
      const doctor = await command(['doctor', '--ios', '--duration', '500ms']);
      assert.match(doctor.out, /All is well/, doctor.out);
      assert.match(doctor.out, /^samples +\d/m);
      assert.ok(!doctor.out.includes('Ada') && !doctor.out.includes(serial), doctor.out);

      for (const { out, err } of [listed, recorded, other, doctor])
        assert.ok(!`${out}${err}`.includes(token.slice(0, 32)), 'the token is printed');
      const stored = readFileSync(byName);
      for (const secret of [token.slice(0, 32), door.tokens.ours, door.tokens.theirs])
        assert.ok(!stored.includes(secret), 'the token is in the recording');

      const target = await targets.app(door, undefined);
      const wrong = { ...door, tokens: { ...door.tokens, ours: Buffer.alloc(16) } };
      await assert.rejects(
        (await targets.app(wrong, undefined)).start(recordings.options()),
        refusal('not-permitted', /did not let us in/),
      );
      for (const name of ['first', 'second']) {
        const file = recordings.file(`${name}.btrace`);
        const session = await target.start({
          ...recordings.options({ budgetPpm: 0, maxDurationMs: 700 }),
          file,
        });
        assert.equal(session.target.name, 'truth');
        const end = await session.ended;
        assert.equal(end.reason, 'limit', end.message);
        const trace = decodeFile(file);
        const all = totalCpu(trace, threadNamed(trace, 'main'));
        assert.ok((all.get('burn_a (truth)') ?? 0) > 0, JSON.stringify([...all]));
      }
      const file = recordings.file('pulled.btrace');
      const session = await target.start({ ...recordings.options(), file });
      server.detach(here);
      const end = await session.ended;
      assert.equal(end.reason, 'connection-lost', end.message);
      assert.equal(decodeFile(file).info.targetName, 'truth');
    } finally {
      run.kill();
      await run.ended;
    }
  });
});
