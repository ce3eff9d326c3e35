/** A program that calls the system's server, by the kernel's binder events and by Android's slices alone. */
import { encoded, type Packet } from './perfetto-traces.js';

export const [app, system, server] = [200, 500, 501];
export const client = 'AIDL::java::IActivityManager::getProcesses::client';
export const serves = 'AIDL::java::IActivityManager::getProcesses::server';

export type Line =
  | readonly [us: number, tid: number, text: string]
  | readonly [us: number, tid: number, sent: { id: number; to: number; reply: 0 | 1; flags: number }]
  | readonly [us: number, tid: number, received: number];

export const kernel: readonly Line[] = [
  [0, app, `B|${app}|doFrame`],
  [100, app, { id: 7, to: system, reply: 0, flags: 16 }],
  [150, server, 7],
  [160, server, `B|${system}|${serves}`],
  [400, server, `E|${system}`],
  [410, server, { id: 8, to: app, reply: 1, flags: 0 }],
  [450, app, 8],
  // Nobody waits for this one.
  [500, app, { id: 9, to: system, reply: 0, flags: 17 }],
  [510, server, 9],
  // A reply to what was sent before the trace began, and a call that is not answered.
  [520, server, { id: 10, to: app, reply: 1, flags: 0 }],
  [530, app, 10],
  [600, app, { id: 11, to: system, reply: 0, flags: 16 }],
  [900, app, `E|${app}`],
];
export const slices: readonly Line[] = [
  [0, app, `B|${app}|doFrame`],
  [100, app, `B|${app}|${client}`],
  [160, server, `B|${system}|${serves}`],
  [400, server, `E|${system}`],
  [450, app, `E|${app}`],
  // It ends before its method is next served: that is another caller's.
  [500, app, `B|${app}|${client}`],
  [550, app, `E|${app}`],
  [600, server, `B|${system}|${serves}`],
  [650, server, `E|${system}`],
  [900, app, `E|${app}`],
];

export function text(lines: readonly Line[]): Buffer {
  const rows = lines.map(([us, tid, what]) => {
    const head = `${tid === app ? 'shop' : 'Binder:500_1'}-${tid} ( ${tid === app ? app : system}) [000] d..2 5.${String(us).padStart(6, '0')}: `;
    if (typeof what === 'string') return `${head}tracing_mark_write: ${what}`;
    if (typeof what === 'number') return `${head}binder_transaction_received: transaction=${what}`;
    const { id, to, reply, flags } = what;
    return `${head}binder_transaction: transaction=${id} dest_node=3 dest_proc=${to} dest_thread=0 reply=${reply} flags=0x${flags.toString(16)} code=0x5`;
  });
  return Buffer.from(`${rows.join('\n')}\n`);
}

export function perfetto(lines: readonly Line[]): Uint8Array {
  const event = ([us, pid, what]: Line): Packet => {
    const timestamp = 5_000_000_000 + us * 1000;
    if (typeof what === 'string') return { timestamp, pid, print: { buf: `${what}\n` } };
    if (typeof what === 'number') return { timestamp, pid, binder_transaction_received: { debug_id: what } };
    const { id, to, reply, flags } = what;
    return { timestamp, pid, binder_transaction: { debug_id: id, to_proc: to, reply, code: 5, flags } };
  };
  return encoded([
    {
      process_tree: {
        processes: [
          { pid: app, cmdline: ['shop'] },
          { pid: system, cmdline: ['system_server'] },
        ],
        threads: [{ tid: server, tgid: system, name: 'Binder:500_1' }],
      },
    },
    { ftrace_events: { cpu: 0, event: lines.map(event) } },
  ]);
}
