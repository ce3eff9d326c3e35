/** Packets in which Perfetto's services tell the state of the device: memory, battery, power, pressure, temperature. */
import { valueOrNaN } from '../assemble/number-gate.js';
import type { PerfettoClocks } from './perfetto-clocks.js';
import {
  Battery,
  Clock,
  GpuMemory,
  MemoryInfo,
  Packet,
  PowerRails,
  ProcessCounts,
  ProcessStats,
  Rail,
  RailEnergy,
  SysStats,
  ThermalZone,
} from './perfetto-fields.js';
import { ProtobufReader } from './protobuf-reader.js';
import type { SystemCounters } from './system-counters.js';

const two32 = 2 ** 32;
/** A file decides how many it names; a device has some dozens. */
const mostRails = 4096;

/** As /proc/meminfo names them, by Perfetto's numbers. Totals that never change are left out. */
const memoryNames = new Map<number, string>([
  ...([
    [2, 'free'],
    [3, 'available'],
    [4, 'buffers'],
    [5, 'cached'],
    [6, 'swap cached'],
  ] as const),
  ...([
    [7, 'active'],
    [8, 'inactive'],
    [16, 'swap free'],
    [17, 'dirty'],
    [18, 'written back'],
  ] as const),
  ...([
    [19, 'anonymous'],
    [20, 'mapped'],
    [21, 'shared'],
    [22, 'slab'],
    [25, 'kernel stacks'],
  ] as const),
  ...([[26, 'page tables']] as const),
]);
const processNames = new Map<number, string>([
  [ProcessCounts.size, 'virtual memory'],
  [ProcessCounts.rss, 'resident memory'],
  [ProcessCounts.rssAnon, 'resident memory, anonymous'],
  [ProcessCounts.rssFile, 'resident memory, files'],
  [ProcessCounts.rssShmem, 'resident memory, shared'],
  [ProcessCounts.swap, 'memory in swap'],
]);
const pressures = new Map<number, string>([
  ...([
    [1, 'processor, some'],
    [2, 'processor, all'],
    [3, 'input and output, some'],
  ] as const),
  ...([
    [4, 'input and output, all'],
    [5, 'memory, some'],
    [6, 'memory, all'],
  ] as const),
]);

export class PerfettoCounters {
  readonly #counters: SystemCounters;
  readonly #clocks: PerfettoClocks;
  readonly #rails = new Map<number, string>();
  readonly #fields = new ProtobufReader();
  readonly #inner = new ProtobufReader();

  constructor(counters: SystemCounters, clocks: PerfettoClocks) {
    this.#counters = counters;
    this.#clocks = clocks;
  }

  read(packet: number, bytes: Uint8Array, from: number, to: number, time: number): void {
    const fields = this.#fields.open(bytes, from, to);
    if (packet === Packet.gpuMemTotalEvent) {
      this.#gpuMemory(time);
      return;
    }
    while (fields.next()) {
      const { field, wireType } = fields;
      if (packet === Packet.battery) this.#battery(field, time);
      else if (wireType !== 2) continue;
      else {
        this.#inner.open(bytes, fields.from, fields.to);
        if (packet === Packet.powerRails && field === PowerRails.railDescriptor) this.#rail();
        else if (packet === Packet.powerRails && field === PowerRails.energyData) this.#energy();
        else if (packet === Packet.processStats && field === ProcessStats.processes) this.#process(time);
        else if (packet === Packet.sysStats) this.#system(field, time);
      }
    }
  }

  #battery(field: number, time: number): void {
    const { signed, wireType } = this.#fields;
    if (field === Battery.capacityPercent && wireType === 5)
      this.#counters.add(0, 'battery', '%', time, this.#fields.float);
    else if (wireType !== 0) return;
    else if (field === Battery.chargeCounter) this.#counters.add(0, 'battery charge', 'µAh', time, signed);
    else if (field === Battery.current) this.#counters.add(0, 'battery current', 'µA', time, signed);
    else if (field === Battery.currentAvg)
      this.#counters.add(0, 'battery current, average', 'µA', time, signed);
  }

  #rail(): void {
    const rail = this.#inner;
    let index = 0;
    let name = '';
    while (rail.next())
      if (rail.field === Rail.index) index = rail.low;
      else if (rail.field === Rail.railName && rail.wireType === 2) name = rail.text();
    if (this.#rails.size < mostRails) this.#rails.set(index, name);
  }

  /** Each has a time of its own, in ms since the device was started. */
  #energy(): void {
    const data = this.#inner;
    let index = 0;
    let ns = NaN;
    let energy = NaN;
    while (data.next())
      if (data.field === RailEnergy.index) index = data.low;
      else if (data.field === RailEnergy.timestamp) ns = data.unsigned * 1e6;
      else if (data.field === RailEnergy.energy) energy = data.unsigned;
    const time = this.#clocks.builtin(Clock.boottime, ns % two32, Math.floor(ns / two32));
    this.#counters.add(0, `power rail ${this.#rails.get(index) ?? index}`, 'µJ', time, energy);
  }

  #gpuMemory(time: number): void {
    const fields = this.#fields;
    let pid = 0;
    let size = NaN;
    while (fields.next())
      if (fields.field === GpuMemory.pid) pid = fields.low;
      else if (fields.field === GpuMemory.size) size = fields.unsigned;
    this.#counters.addGpuMemory(pid, time, size);
  }

  /** What did not change may be left out: its counter holds. */
  #process(time: number): void {
    const process = this.#inner;
    const { at } = process;
    let pid = 0;
    while (process.next()) if (process.field === ProcessCounts.pid) pid = process.low;
    process.open(process.bytes, at, process.end);
    if (pid === 0) return;
    while (process.next()) {
      const name = processNames.get(process.field);
      if (process.wireType !== 0) continue;
      if (name !== undefined) this.#counters.add(pid, name, 'bytes', time, process.unsigned * 1024);
      else if (process.field === ProcessCounts.oomScore)
        this.#counters.add(pid, 'out-of-memory score', '', time, process.signed);
    }
  }

  #system(field: number, time: number): void {
    const entry = this.#inner;
    let key = 0;
    let value = NaN;
    let name = '';
    while (entry.next()) {
      if (entry.field === MemoryInfo.key && entry.wireType === 2) name = entry.text();
      else if (entry.field === MemoryInfo.key) key = entry.low;
      else if (entry.field === MemoryInfo.value && entry.wireType === 0) value = entry.unsigned;
      else if (entry.field === ThermalZone.type && entry.wireType === 2 && name !== '')
        name = `${name} ${entry.text()}`;
    }
    if (field === SysStats.meminfo) {
      const words = memoryNames.get(key);
      if (words !== undefined) this.#counters.add(0, `memory ${words}`, 'bytes', time, value * 1024);
    } else if (field === SysStats.psi) {
      const words = pressures.get(key);
      if (words !== undefined) this.#counters.add(0, `pressure: ${words}`, 'ns', time, value);
    } else if (field === SysStats.devfreq) this.#counters.add(0, `frequency ${name}`, 'kHz', time, value);
    else if (field === SysStats.thermalZone)
      this.#counters.add(0, `temperature ${name}`, '°C', time, valueOrNaN(value / 1000));
  }
}
