/**
 * This kernel's trace in a tracefs instance of the rig's own, read as raw pages. A guard process makes the instance and removes it when
 * this process ends, however it does. Written by the kernel's own description of its pages, and by nothing of src/.
 */
import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync, readFileSync, readSync, writeSync } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';

const guard = `
trap '' INT TERM HUP
at=/sys/kernel/tracing
[ -d $at/instances ] || mount -t tracefs nodev $at || exit 3
i=$at/instances/phone-$$
mkdir $i || exit 4
echo $i
read -r line
until rmdir $i 2>/dev/null || [ ! -d $i ]; do sleep 0.05; done
`;

const [padding, timeExtend, timeStamp] = [29, 30, 31];
const pageBytes = 4096;
const headBytes = 16;

export class KernelTrace {
  static async start({ events, coreBufferKb }) {
    const child = spawn(
      'unshare',
      ['--mount', '--propagation', 'private', 'sh', '-c', guard, 'phone-tracing'],
      {
        detached: true,
        stdio: ['pipe', 'pipe', 'ignore'],
      },
    );
    const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    if (!Buffer.isBuffer(said)) throw new Error('Failed to open the ftrace directory');
    return new KernelTrace(child, `/proc/${child.pid}/root${said.toString().trim()}`, events, coreBufferKb);
  }

  constructor(child, folder, events, coreBufferKb) {
    this.guard = child;
    this.folder = folder;
    this.formats = new Map();
    this.corePages = Math.ceil((coreBufferKb * 1024) / pageBytes) + 1;
    this.write('tracing_on', '0');
    this.write('trace_clock', 'boot');
    this.write('buffer_size_kb', String(coreBufferKb));
    this.addFormat('ftrace/print', path.join(folder, '../../events/ftrace/print'));
    for (const event of events) {
      const at = event.includes('/') ? event : `sched/${event}`;
      try {
        this.addFormat(at, path.join(folder, 'events', at));
        this.write(path.join('events', at, 'enable'), '1');
      } catch {
        // This kernel has not got it.
      }
    }
    this.cores = readdirSync(path.join(folder, 'per_cpu'))
      .map((name) => Number(name.slice(3)))
      .sort((a, b) => a - b)
      .map((number) => ({
        number,
        fd: openSync(
          path.join(folder, `per_cpu/cpu${number}/trace_pipe_raw`),
          constants.O_RDONLY | constants.O_NONBLOCK,
        ),
      }));
    this.marker = openSync(path.join(folder, 'trace_marker'), constants.O_WRONLY);
    this.write('tracing_on', '1');
  }

  write(file, text) {
    const fd = openSync(path.join(this.folder, file), constants.O_WRONLY);
    writeSync(fd, text);
    closeSync(fd);
  }

  addFormat(name, folder) {
    const text = readFileSync(path.join(folder, 'format'), 'utf8');
    const fields = [
      ...text.matchAll(/field:(.*?)(\w+)(?:\[\w*\])?;\s*offset:(\d+);\s*size:(\d+);\s*signed:(\d);/g),
    ].map(([, type, field, offset, size, signed]) => ({
      field,
      isText: /\bchar\b/.test(type) && Number(size) !== 1,
      offset: Number(offset),
      size: Number(size),
      signed: signed === '1',
    }));
    this.formats.set(Number(/^ID: (\d+)$/m.exec(text)[1]), { name: name.split('/')[1], fields });
  }

  /** BOOTTIME and MONOTONIC at one moment: the kernel stamps a line of ours between two readings of the other clock. */
  readClocks() {
    let best;
    for (let tries = 0; tries < 3; tries++) {
      const before = process.hrtime.bigint();
      writeSync(this.marker, `clock ${tries}`);
      const after = process.hrtime.bigint();
      if (best === undefined || after - before < best.width)
        best = { tries, width: after - before, monotonic: before + (after - before) / 2n };
    }
    const pending = [];
    let boottime = 0n;
    for (const core of this.cores)
      this.readCore(core, (event) => {
        if (event.name !== 'print') pending.push([core.number, event]);
        else if (event.text === `clock ${best.tries}`) boottime = event.time;
      });
    return { monotonic: best.monotonic, boottime, pending };
  }

  /**
   * Each event of the core that is there by now; true where the kernel says that some are missing. No more than there is room for: on a
   * busy machine events come faster than they are read, and there would be no end.
   */
  readCore({ fd }, take) {
    const page = Buffer.alloc(pageBytes);
    let isMissing = false;
    for (let pages = 0; pages < this.corePages; pages++) {
      let got = 0;
      try {
        got = readSync(fd, page, 0, pageBytes, null);
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
      }
      if (got < pageBytes) return isMissing;
      const commit = page.readUInt32LE(8);
      if ((commit & 0x80000000) !== 0) isMissing = true;
      this.readPage(page, headBytes + (commit & 0xfffff), take);
    }
    return isMissing;
  }

  readPage(page, end, take) {
    let time = page.readBigUInt64LE(0);
    for (let at = headBytes; at < end;) {
      const head = page.readUInt32LE(at);
      const [kind, delta] = [head & 31, BigInt(head >>> 5)];
      if (kind === padding) {
        if (delta === 0n) return;
        at += 4 + page.readUInt32LE(at + 4);
        continue;
      }
      if (kind === timeExtend || kind === timeStamp) {
        const value = (BigInt(page.readUInt32LE(at + 4)) << 27n) + delta;
        time = kind === timeExtend ? time + value : (time & ~((1n << 59n) - 1n)) | value;
        at += 8;
        continue;
      }
      time += delta;
      const from = kind === 0 ? at + 8 : at + 4;
      const to = kind === 0 ? at + 4 + page.readUInt32LE(at + 4) : from + kind * 4;
      const format = this.formats.get(page.readUInt16LE(from));
      if (format !== undefined) take(eventOf(format, page, from, to, time));
      at = to;
    }
  }

  /** By core: what its buffer had no room for, since it was made. */
  overruns() {
    return this.cores.map(({ number }) => {
      const stats = readFileSync(path.join(this.folder, `per_cpu/cpu${number}/stats`), 'utf8');
      return {
        core: number,
        overrun: Number(/^overrun: (\d+)/m.exec(stats)[1]),
        dropped: Number(/^dropped events: (\d+)/m.exec(stats)[1]),
      };
    });
  }

  stopEvents() {
    this.write('tracing_on', '0');
  }

  async close() {
    for (const { fd } of this.cores) closeSync(fd);
    closeSync(this.marker);
    this.guard.stdin.end();
    if (this.guard.exitCode === null) await once(this.guard, 'exit');
  }
}

function eventOf({ name, fields }, page, from, to, time) {
  const event = { name, time };
  for (const { field, isText, offset, size, signed } of fields) {
    const at = from + offset;
    if (isText || size === 0) {
      const bytes = page.subarray(at, size === 0 ? to : at + size);
      const end = bytes.indexOf(0);
      event[size === 0 ? 'text' : field] = (end < 0 ? bytes : bytes.subarray(0, end))
        .toString('latin1')
        .trimEnd();
    } else if (size === 8) event[field] = signed ? page.readBigInt64LE(at) : page.readBigUInt64LE(at);
    else if (size <= 4) event[field] = signed ? page.readIntLE(at, size) : page.readUIntLE(at, size);
  }
  return event;
}
