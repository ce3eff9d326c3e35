/** Calls to other processes: both ends, by the kernel's binder events and by Android's slices of interfaces. */
import assert from 'node:assert/strict';
import { readAidl } from '../../../src/trace/formats/binder-calls.js';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { SampleKind } from '../../../src/trace/model/kinds.js';
import type { Trace } from '../../../src/trace/model/trace.js';
import {
  app,
  client,
  kernel,
  type Line,
  perfetto,
  server,
  serves,
  slices,
  system,
  text,
} from './binder-traces.js';
import { importWhole } from './round-trip.js';

function waits(trace: Trace): unknown[] {
  const { waits: of } = trace.threads.find(({ tid }) => tid === app)!;
  return Array.from({ length: of.count }, (_, row) => [
    ...[of.kind[row], trace.className(of.type[row]!)],
    ...[Math.round(of.begin[row]! / 1e3), Math.round(of.end[row]! / 1e3)],
    trace.threads.find(({ index }) => index === of.owner[row])?.tid ?? 0,
    trace.methods.name(trace.paths.method[of.path[row]!]!),
  ]);
}

describe('calls to other processes', () => {
  for (const [form, made] of [
    ['as text', text],
    ['of Perfetto', perfetto],
  ] as const) {
    it(`are waits with callee and both ends, ${form}`, () => {
      const trace = importWhole(anyImporter(), made(kernel), 64);
      assert.deepEqual(trace.problems, []);
      assert.deepEqual(waits(trace), [
        [SampleKind.Binder, 'IActivityManager.getProcesses', 100, 450, server, 'doFrame'],
      ]);
      const { calls } = trace.threads.find(({ tid }) => tid === server)!;
      const served = Array.from({ length: calls.count }, (_, row) => [
        ...[calls.depth[row], trace.methods.name(calls.method[row]!)],
        ...[Math.round(calls.begin[row]! / 1e3), Math.round(calls.end[row]! / 1e3)],
      ]);
      assert.deepEqual(served, [
        [0, 'binder reply', 150, 410],
        [1, serves, 160, 400],
      ]);
    });

    it(`are joined by Android’s slices where the kernel’s events are not there, ${form}`, () => {
      const trace = importWhole(anyImporter(), made(slices), 64);
      assert.deepEqual(waits(trace), [
        [SampleKind.Binder, 'IActivityManager.getProcesses', 100, 450, server, 'doFrame'],
        [SampleKind.Binder, 'IActivityManager.getProcesses', 500, 550, 0, 'doFrame'],
      ]);
    });
  }

  it('have the name of the other process where it tells no interface', () => {
    const trace = importWhole(
      anyImporter(),
      perfetto(kernel.filter(([, tid, what]) => tid === app || typeof what !== 'string')),
    );
    assert.deepEqual(waits(trace), [[SampleKind.Binder, 'system_server', 100, 450, server, 'doFrame']]);
  });

  it('are told apart where a server is called again while it serves, and where events are lost', () => {
    const stranger = 601;
    const called: readonly Line[] = [
      [200, stranger, { id: 20, to: system, reply: 0, flags: 16 }],
      [210, server, 20],
      [250, server, { id: 21, to: stranger, reply: 1, flags: 0 }],
      [260, stranger, 21],
    ];
    const nested = [...kernel, ...called];
    const whole = [[SampleKind.Binder, 'IActivityManager.getProcesses', 100, 450, server, 'doFrame']];
    assert.deepEqual(waits(importWhole(anyImporter(), perfetto(nested))), whole);
    // That the server had the stranger's call is lost: its reply is nobody else's.
    const torn = nested.filter(([, , what]) => what !== 20);
    assert.deepEqual(waits(importWhole(anyImporter(), perfetto(torn))), []);
  });

  it('are named by interface and method', () => {
    const names: readonly (readonly [string, unknown])[] = [
      [client, { callee: 'IActivityManager.getProcesses', isServer: false }],
      [
        'AIDL::cpp::IServiceManager::getService::cppServer',
        { callee: 'IServiceManager.getService', isServer: true },
      ],
      ['AIDL::ndk::ICamera::open::server', { callee: 'ICamera.open', isServer: true }],
      ['HIDL::IComposer::draw::client', { callee: 'IComposer.draw', isServer: false }],
      ['AIDL::java::IShop::add::passthrough', undefined],
      ['AIDL::client', undefined],
      ['Animator', undefined],
    ];
    for (const [name, said] of names) assert.deepEqual(readAidl(name), said, name);
  });
});
