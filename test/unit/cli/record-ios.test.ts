import assert from 'node:assert/strict';
import type { Input } from '../../../src/cli/command-line.js';
import { isForIos } from '../../../src/cli/ios-targets.js';
import type { Terminal } from '../../../src/cli/terminal.js';
import { recordIosApp } from '../../../src/cli/recording/begin.js';
import type { RecordRequest } from '../../../src/cli/recording/request.js';
import { type Session, type Target, TargetError } from '../../../src/targets/target.js';

const request = { preset: 'balanced', output: 'never-written.btrace' } as RecordRequest;
const { signal } = new AbortController();

describe('an iOS app that is recorded by its name', () => {
  let cancelled: string[];
  let notes: string[];

  beforeEach(() => {
    cancelled = [];
    notes = [];
  });

  const app = (name: string): Partial<Target> => ({
    name: 'app on port',
    start: () =>
      Promise.resolve({
        target: { name },
        cancel: () => Promise.resolve(void cancelled.push(name)),
      } as unknown as Session),
  });
  const closed: Partial<Target> = {
    name: 'app on port',
    start: () => Promise.reject(new TargetError('not-permitted', 'It did not let us in.', '')),
  };
  const record = async (found: readonly Partial<Target>[], name: string) => {
    const targets = { choose: () => Promise.resolve(found as Target[]) };
    const begin = recordIosApp(targets, { device: undefined, app: name }, request, (line) => {
      notes.push(line);
    });
    return (await begin(signal)).session.target.name;
  };

  it('is found behind others, of which the recordings are cancelled and told', async () => {
    assert.equal(await record([app('till'), app('Shop')], 'shop'), 'Shop');
    assert.deepEqual(cancelled, ['till']);
    assert.equal(notes.length, 1);
    assert.match(notes[0] ?? '', /^till was recorded for a moment/);
  });

  it('is found behind one that lets nobody in', async () => {
    assert.equal(await record([closed, app('Shop')], 'shop'), 'Shop');
  });

  it('is missing where none has the name, with the names of those that were tried', async () => {
    await assert.rejects(record([app('till'), closed], 'shop'), {
      message: 'No app that listens is called "shop". There is: till.',
      nextStep: 'It did not let us in.',
    });
    assert.deepEqual(cancelled, ['till']);
    await assert.rejects(record([closed], 'shop'), { message: 'It did not let us in.' });
  });

  it('is not looked for further where its file cannot be written', async () => {
    const full = { ...closed, start: () => Promise.reject(new TargetError('io', 'The disk is full.', '')) };
    await assert.rejects(record([full, app('Shop')], 'shop'), { message: 'The disk is full.' });
  });
});

describe('a device that is named', () => {
  const names = ['BTRACE_IOS_TOKEN', 'USBMUXD_SOCKET_ADDRESS'];
  const before = names.map((name) => process.env[name]);
  after(() => {
    for (const [at, name] of names.entries()) {
      if (before[at] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before[at];
    }
  });

  it('may be an Android device, however the token for iPhones is spelled', async () => {
    process.env['BTRACE_IOS_TOKEN'] = '12 digits';
    process.env['USBMUXD_SOCKET_ADDRESS'] = 'UNIX:/nonexistent/usbmuxd';
    const input = {
      has: () => false,
      text: (name: string) => (name === 'device' ? 'emulator-5554' : undefined),
    } as unknown as Input;
    assert.equal(await isForIos(input, { note: () => undefined } as unknown as Terminal), false);
  });
});
