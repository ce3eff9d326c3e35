/** The device's shells: this machine's sh, with the device's commands before its own and the device's files in their place. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { root } from '../../../scripts/setup.mjs';
import { words } from './wire.js';

const bin = path.join(root, 'test/rigs/phone/bin');
/** Where each of the commands that trace the system lies. */
const tracingBins = {
  perfetto: path.join(root, 'test/rigs/phone/tracing/service'),
  atrace: path.join(root, 'test/rigs/phone/tracing/older'),
} as const;
export type TracingCommand = keyof typeof tracingBins;
/** Packet kinds of the shell protocol, version 2. */
const Packet = { stdin: 0, stdout: 1, stderr: 2, exit: 3, closeStdin: 4 } as const;
const headBytes = 5;
/** A command that waits for what an app does on its account. */
const waiting = /(?:^|[;&] *)am start -W /;
/** How often it is looked whether there is something for an app to do meanwhile. */
const lookMs = 20;
/** A script whose connection has ended cleans up and ends within this. */
const endMs = 10_000;

export class Shells {
  readonly #folder: string;
  readonly #missing: ReadonlySet<TracingCommand>;
  readonly #running = new Set<ChildProcess>();

  /** `folder`: of the device's files. `missing`: commands that it does not have. */
  constructor(folder: string, missing: ReadonlySet<TracingCommand>) {
    this.#folder = folder;
    this.#missing = missing;
  }

  /** `v2`: over the shell protocol. `tell` hands to the apps what the command left for them: before the stream ends. */
  async run(stream: Duplex, command: string, v2: boolean, tell: () => Promise<void>): Promise<void> {
    const mapped = command.replaceAll(
      /(?<![\w.-])\/(?=data\/local\/tmp|data\/(?:data|user|app)\/|data\/misc\/perfetto-traces|apex\/)/g,
      `${this.#folder}/`,
    );
    const tracing = (Object.keys(tracingBins) as (keyof typeof tracingBins)[])
      .filter((name) => !this.#missing.has(name))
      .map((name) => tracingBins[name]);
    const child = spawn('sh', ['-c', mapped], {
      cwd: this.#folder,
      env: {
        ...process.env,
        PATH: [bin, ...tracing, process.env['PATH'] ?? ''].join(':'),
        PHONE: this.#folder,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    const packet = (kind: number, data: Buffer) =>
      v2 ? Buffer.concat([Buffer.from([kind]), words(data.length), data]) : data;
    child.stdout.on('data', (data: Buffer) => stream.write(packet(Packet.stdout, data)));
    child.stderr.on('data', (data: Buffer) => stream.write(packet(Packet.stderr, data)));
    child.stdin.on('error', () => undefined); // it has ended, or reads nothing
    let typed = Buffer.alloc(0);
    stream.on('data', (data: Buffer) => {
      if (!v2) return void child.stdin.write(data);
      typed = Buffer.concat([typed, data]);
      while (typed.length >= headBytes) {
        const end = headBytes + typed.readUInt32LE(1);
        if (typed.length < end) return;
        const kind = typed[0];
        if (kind === Packet.stdin) child.stdin.write(typed.subarray(headBytes, end));
        else if (kind === Packet.closeStdin) child.stdin.end();
        typed = typed.subarray(end);
      }
    });
    // As adbd does for a client that is gone.
    stream.once('close', () => {
      child.stdin.end();
      child.kill('SIGHUP');
    });
    const looks = waiting.test(command) ? setInterval(() => void tell(), lookMs) : undefined;
    const [code] = (await once(child, 'close')) as [number | null];
    clearInterval(looks);
    this.#running.delete(child);
    await tell();
    stream.end(v2 ? packet(Packet.exit, Buffer.from([code ?? 255])) : undefined);
  }

  /** Settles when none runs any more. */
  async ended(): Promise<void> {
    const ended = [...this.#running].map((script) => once(script, 'close').then(() => undefined));
    const limit = setTimeout(() => [...this.#running].map((script) => script.kill('SIGKILL')), endMs);
    await Promise.all(ended);
    clearTimeout(limit);
  }
}
