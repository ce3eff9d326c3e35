/**
 * Stands in for Android's `perfetto` and its service: takes a configuration from its input, traces this kernel by it, and writes a trace as
 * the service does, whole ftrace events in bundles of a core. The events, the times and what is lost are real. Of other data sources
 * it has processes and their threads; Android's own sections and frames are not there.
 */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from './config.mjs';
import { KernelTrace } from './kernel.mjs';
import { encode } from './protobuf.mjs';

const phone = process.env.PHONE;
const snapshotMs = 10_000;
/** As Perfetto's programs log: with the place in their source. */
const log = (line, text) =>
  process.stderr.write(`[${(performance.now() / 1000).toFixed(3)}]    perfetto_cmd.cc:${line} ${text}\n`);

function argumentsOf(args) {
  const said = { isText: false };
  for (let at = 0; at < args.length; at++) {
    if (args[at] === '--txt') said.isText = true;
    else if (args[at] === '-c') said.config = args[++at];
    else if (args[at] === '-o') said.output = args[++at];
    else return undefined;
  }
  return said.config === '-' && said.output !== undefined ? said : undefined;
}

const property = (name) =>
  readFileSync(path.join(phone, 'props'), 'utf8')
    .split('\n')
    .findLast((line) => line.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/** A fault that the test has asked for. */
const fault = (name) => {
  const file = path.join(phone, name);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
};

const message = {
  sched_switch: (e) => [
    4,
    [
      [1, e.prev_comm],
      [2, e.prev_pid],
      [3, e.prev_prio],
      [4, e.prev_state],
      [5, e.next_comm],
      [6, e.next_pid],
      [7, e.next_prio],
    ],
  ],
  sched_waking: (e) => [20, waking(e)],
  sched_wakeup_new: (e) => [114, waking(e)],
  sched_blocked_reason: (e) => [
    18,
    [
      [1, e.pid],
      [3, Number(e.io_wait)],
    ],
  ],
  task_newtask: (e) => [
    235,
    [
      [1, e.pid],
      [2, e.comm],
      [3, e.clone_flags],
    ],
  ],
  task_rename: (e) => [
    236,
    [
      [1, e.pid],
      [2, e.oldcomm],
      [3, e.newcomm],
    ],
  ],
  cpu_frequency: (e) => [
    11,
    [
      [1, e.state],
      [2, e.cpu_id],
    ],
  ],
  print: (e) => [3, [[2, e.text]]],
};
const waking = (e) => [
  [1, e.comm],
  [2, e.pid],
  [3, e.prio],
  [5, e.target_cpu],
];

function eventFields(event) {
  const [field, inner] = message[event.name](event);
  // The flags tell an interrupt from the thread that it came to.
  const flags = event.name === 'sched_waking' ? [[5, event.common_flags]] : [];
  return [2, [[1, event.time], [2, event.common_pid], ...flags, [field, inner]]];
}

/** The service's buffer: packets that are not in the file yet. */
class ServiceBuffer {
  packets = [];
  bytes = 0;
  overwritten = 0;
  discarded = 0;

  constructor({ bufferKb = 4096, policy }) {
    this.mostBytes = bufferKb * 1024;
    this.policy = policy;
  }

  add(packet) {
    const bytes = encode([[1, packet]]);
    if (this.policy === 'DISCARD' && (this.discarded > 0 || this.bytes + bytes.length > this.mostBytes)) {
      this.discarded++;
      return;
    }
    this.packets.push(bytes);
    this.bytes += bytes.length;
    while (this.bytes > this.mostBytes && this.packets.length > 1) {
      this.bytes -= this.packets.shift().length;
      this.overwritten++;
    }
  }

  take() {
    const packets = this.packets;
    this.packets = [];
    this.bytes = 0;
    return packets;
  }
}

function processTree() {
  const [processes, threads] = [[], []];
  const read = (file) => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return '';
    }
  };
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    let tids = [];
    try {
      tids = readdirSync(`/proc/${pid}/task`);
    } catch {
      continue;
    }
    processes.push([
      1,
      [
        [1, Number(pid)],
        [3, read(`/proc/${pid}/cmdline`).split('\0')[0] || read(`/proc/${pid}/comm`).trim()],
      ],
    ]);
    for (const tid of tids)
      threads.push([
        2,
        [
          [1, Number(tid)],
          [2, read(`/proc/${pid}/task/${tid}/comm`).trim()],
          [3, Number(pid)],
        ],
      ]);
  }
  return [...processes, ...threads];
}

class Session {
  constructor(config, kernel, fd) {
    this.config = config;
    this.kernel = kernel;
    this.fd = fd;
    this.buffer = new ServiceBuffer(config);
    /** What the service itself writes is in no buffer. */
    this.head = [];
    this.written = 0;
    this.snapshot();
    this.stats(1);
    if (config.sources.includes('linux.process_stats')) this.buffer.add([[2, processTree()]]);
  }

  snapshot() {
    const { boottime, monotonic, pending } = this.kernel.readClocks();
    const clock = (id, ns) => [
      1,
      [
        [1, id],
        [2, ns],
      ],
    ];
    const realtime = BigInt(Date.now()) * 1_000_000n;
    this.head.push(
      encode([[1, [[6, [clock(6, boottime), clock(1, realtime), clock(3, monotonic), [2, 6]]]]]]),
    );
    for (const [core, event] of pending) this.bundle(core, [event], false);
  }

  stats(phase) {
    const cores = this.kernel.overruns().map(({ core, overrun, dropped }) => [
      2,
      [
        [1, core],
        [3, overrun],
        [8, dropped],
      ],
    ]);
    this.buffer.add([[34, [[1, phase], ...cores]]]);
  }

  bundle(core, events, isMissing) {
    if (events.length === 0) return;
    this.buffer.add([[1, [[1, core], ...events.map(eventFields), [3, isMissing ? 1 : undefined]]]]);
  }

  drain() {
    for (const core of this.kernel.cores) {
      let events = [];
      const isMissing = this.kernel.readCore(core, (event) => {
        if (event.name === 'print' && event.text.startsWith('clock ')) return;
        events.push(event);
        if (events.length < 500) return;
        this.bundle(core.number, events, false);
        events = [];
      });
      this.bundle(core.number, events, isMissing);
    }
  }

  flush() {
    for (const bytes of [...this.head.splice(0), ...this.buffer.take()])
      this.written += writeSync(this.fd, bytes);
  }

  async finish() {
    this.kernel.stopEvents();
    this.drain();
    this.stats(2);
    const { overwritten, discarded } = this.buffer;
    this.head.push(
      encode([
        [
          1,
          [
            [
              35,
              [
                [
                  1,
                  [
                    [3, overwritten],
                    [18, discarded],
                  ],
                ],
              ],
            ],
          ],
        ],
      ]),
    );
    this.flush();
    await this.kernel.close();
    closeSync(this.fd);
  }
}

async function input() {
  const pieces = [];
  for await (const piece of process.stdin) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function main() {
  const said = argumentsOf(process.argv.slice(2));
  if (said === undefined) return fail('1', 'This rig knows: perfetto -c - [--txt] -o FILE');
  const sdk = Number(property('ro.build.version.sdk'));
  if (said.isText && sdk < 29) return fail('112', 'Usage: perfetto … (Android 9 reads no text)');
  let config;
  try {
    config = readConfig(await input(), said.isText);
  } catch (error) {
    return fail('530', error.message);
  }
  if (property('persist.traced.enable') !== '1')
    return fail(
      '1110',
      'Could not connect to the traced socket /dev/socket/traced_consumer. Ensure traced is running or use tracebox.',
    );
  const fd = openSync(said.output, 'w', 0o600);
  log(1047, `Connected to the Perfetto traced service, TTL: ${Math.ceil((config.durationMs ?? 0) / 1000)}s`);
  const refusal = fault('traced-refuses');
  if (refusal !== undefined) return fail('1229', `Service error: ${refusal}`);
  let kernel;
  try {
    const coreBufferKb = Number(fault('kernel-buffer-kb') ?? config.coreBufferKb ?? 2048);
    kernel = await KernelTrace.start({ events: config.events, coreBufferKb });
  } catch (error) {
    return fail('1229', `Service error: ${error.message}`);
  }
  const session = new Session(config, kernel, fd);
  const drainMs = Number(fault('drain-ms') ?? config.drainMs ?? 100);
  const timers = [
    setInterval(() => session.drain(), drainMs),
    setInterval(() => session.snapshot(), snapshotMs),
  ];
  if (config.writesFile) {
    session.flush();
    timers.push(setInterval(() => session.flush(), Math.max(100, config.writeMs ?? 5000)));
  }
  let isOver = false;
  const finish = async () => {
    if (isOver) return;
    isOver = true;
    for (const timer of timers) clearInterval(timer);
    await session.finish();
    log(1210, `Wrote ${session.written} bytes into ${said.output}`);
    process.exit(0);
  };
  process.on('SIGINT', () => void finish());
  process.on('SIGTERM', () => void finish());
  if (config.durationMs > 0) timers.push(setTimeout(() => void finish(), config.durationMs));
}

function fail(line, text) {
  log(line, text);
  process.exitCode = 1;
}

await main();
