/**
 * A fleet: how fast recordings become Parquet files by the code of `btrace collect`, and how long questions over them take.
 * The peer reads and opens the same files, and writes nothing. 2,000 recordings of 1 MB (`--quick`: 60) of 200 partitions;
 * they are twenty different files, read again and again. CPU time is that of all threads.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readyQueries } from '../../src/cli/commands/fleet.js';
import { shortHash } from '../../src/query/fleet-tables.js';
import { FleetWriter } from '../../src/query/fleet-writer.js';
import { openNative } from '../../src/query/native-engine.js';
import { databaseSettings, QuerySession } from '../../src/query/query-session.js';
import { synthesize, type Trace, TraceReader, usualMemoryBytes } from '../../src/trace/index.js';
import { isQuick, say } from './figure.js';

const recordings = isQuick ? 60 : 2000;
const different = isQuick ? 5 : 20;
const samplesOfOneMb = 75_000;

const folder = mkdtempSync(path.join(tmpdir(), 'btrace-fleet-bench-'));
const fileOf = (at: number): string => path.join(folder, `${at % different}.btrace`);

async function makeFiles(): Promise<void> {
  for (let seed = 0; seed < different; seed++) {
    const pieces: Uint8Array[] = [];
    const write = (bytes: Uint8Array): Promise<void> => {
      pieces.push(bytes.slice());
      return Promise.resolve();
    };
    await synthesize({ write }, { seed, samples: samplesOfOneMb, methods: 2000 });
    writeFileSync(fileOf(seed), Buffer.concat(pieces));
  }
}

function opened(content: Uint8Array): Trace {
  const reader = new TraceReader({ mostBytes: usualMemoryBytes });
  reader.append(content);
  reader.finish();
  return reader.trace();
}

/** As if it came from one of ten devices, on one of five days; four versions make 200 partitions of it. */
function elsewhere(trace: Trace, at: number): Trace {
  const dayNs = 86_400_000_000_000n;
  const startRealtimeNs = BigInt(Date.UTC(2026, 10, 3)) * 1_000_000n + BigInt(at % 5) * dayNs;
  const info = { ...trace.info, targetName: 'com.example.shop', device: `Phone ${at % 10}`, startRealtimeNs };
  return Object.create(trace, { info: { value: info } }) as Trace;
}

const cpuMs = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

async function collect(fleet: string): Promise<void> {
  const [begun, before] = [performance.now(), process.cpuUsage()];
  const writer = await FleetWriter.open(fleet);
  let bytes = 0;
  for (let at = 0; at < recordings; at++) {
    const content = readFileSync(fileOf(at));
    bytes += content.length;
    const id = `${shortHash(content)}-${at}`;
    const trace = elsewhere(opened(content), at);
    await writer.add({ file: fileOf(at), id, trace, version: `1.${Math.floor(at / 10) % 4}` });
  }
  await writer.finish();
  const [seconds, cpuSeconds] = [(performance.now() - begun) / 1000, cpuMs(before) / 1000];
  say('fleet.recording', bytes / recordings / 1e6, 'MB');
  say('fleet.collect.core', bytes / 1e6 / cpuSeconds, 'MB/s', ['>=', 20]);
  say('fleet.collect', bytes / 1e6 / seconds, 'MB/s');
}

/** Judged beside collect: reading, hashing and opening cannot be left out. */
function open(): void {
  const before = process.cpuUsage();
  let bytes = 0;
  for (let at = 0; at < recordings; at++) {
    const content = readFileSync(fileOf(at));
    bytes += content.length;
    shortHash(content);
    if (opened(content).threads.reduce((sum, { intervals }) => sum + intervals.count, 0) === 0)
      throw new Error('nothing in it');
  }
  say('fleet.open.core', bytes / 1000 / cpuMs(before), 'MB/s');
}

async function ask(fleet: string): Promise<void> {
  const ready = [...readyQueries('device', 'main-wait', undefined, 20)];
  const [method] = readyQueries(
    'device',
    'main-wait',
    opened(readFileSync(fileOf(0))).methods.qualifiedName(7),
    20,
  );
  if (method !== undefined) ready.push(method);
  for (const { key, sql } of ready) {
    const [begun, before] = [performance.now(), process.cpuUsage()];
    const session = await QuerySession.openFleet(await openNative(databaseSettings), fleet);
    const { rows } = await session.query(sql, 100);
    session.close();
    if (rows.length === 0) throw new Error(`${key}: no answer`);
    say(`fleet.${key}.cpu`, cpuMs(before), 'ms');
    say(`fleet.${key}`, performance.now() - begun, 'ms', ['<=', 3000]);
  }
}

try {
  await makeFiles();
  const fleet = path.join(folder, 'fleet');
  open();
  await collect(fleet);
  await ask(fleet);
} finally {
  rmSync(folder, { recursive: true });
}
