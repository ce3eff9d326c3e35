import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import * as fields from '../../../src/trace/formats/perfetto-fields.js';

const { root } = protobuf.parse(readFileSync('proto/perfetto.proto', 'utf8'), { keepCase: true });

/** Message in the schema of each group of numbers in the code. */
const messages: readonly (readonly [string, Readonly<Record<string, number>>])[] = [
  ['TracePacket', fields.Packet],
  ['TracePacketDefaults', fields.PacketDefaults],
  ['ClockSnapshot', fields.Snapshot],
  ['ClockSnapshot.Clock', fields.SnapshotClock],
  ['TrackDescriptor', fields.Track],
  ['ProcessDescriptor', fields.Process],
  ['ThreadDescriptor', fields.Thread],
  ['CounterDescriptor', fields.Counter],
  ['TrackEvent', fields.Event],
  ['TrackEvent.LegacyEvent', fields.LegacyEvent],
  ['InternedData', fields.Interned],
  ['Frame', fields.Frame],
  ['PerfSample', fields.PerfSample],
  ['StackSample', fields.StackSample],
  ['StackSample.TaskContext', fields.SampleTask],
  ['StackSample.CounterDescriptor', fields.SampleCounter],
  ['StackSampleDefaults', fields.SampleDefaults],
  ['InternedData', fields.InternedStacks],
  ['EventName', fields.InternedName],
  ['SourceLocation', fields.Source],
  ['FtraceEventBundle', fields.FtraceBundle],
  ['FtraceEventBundle.CompactSched', fields.CompactSched],
  ['FtraceEvent', fields.FtraceEvent],
  ['PrintFtraceEvent', fields.FtracePrint],
  ['SchedSwitchFtraceEvent', fields.SchedSwitch],
  ['SchedWakingFtraceEvent', fields.SchedWaking],
  ['CpuFrequencyFtraceEvent', fields.CoreFrequency],
  ['SchedBlockedReasonFtraceEvent', fields.DiskWait],
  ['TaskNewtaskFtraceEvent', fields.NewTask],
  ['TaskRenameFtraceEvent', fields.RenamedTask],
  ['BinderTransactionFtraceEvent', fields.BinderSent],
  ['BinderTransactionReceivedFtraceEvent', fields.BinderReceived],
  ['RssStatFtraceEvent', fields.RssStat],
  ['GpuFrequencyFtraceEvent', fields.GpuFrequency],
  ['GpuMemTotalEvent', fields.GpuMemory],
  ['FrameTimelineEvent', fields.FrameEvent],
  ['FrameTimelineEvent.ActualSurfaceFrameStart', fields.FrameStart],
  ['SysStats', fields.SysStats],
  ['SysStats.MeminfoValue', fields.MemoryInfo],
  ['SysStats.PsiSample', fields.Pressure],
  ['SysStats.DevfreqValue', fields.Device],
  ['SysStats.ThermalZone', fields.ThermalZone],
  ['ProcessStats', fields.ProcessStats],
  ['ProcessStats.Process', fields.ProcessCounts],
  ['BatteryCounters', fields.Battery],
  ['PowerRails', fields.PowerRails],
  ['PowerRails.RailDescriptor', fields.Rail],
  ['PowerRails.EnergyData', fields.RailEnergy],
  ['FtraceStats', fields.FtraceStats],
  ['FtraceCpuStats', fields.CoreStats],
  ['TraceStats', fields.TraceStats],
  ['TraceStats.BufferStats', fields.BufferStats],
  ['ProcessTree', fields.ProcessTree],
  ['ProcessTree.Thread', fields.TreeThread],
  ['ProcessTree.Process', fields.TreeProcess],
];

describe('the numbers of Perfetto’s fields', () => {
  for (const [message, numbers] of messages) {
    it(`are those of proto/perfetto.proto in ${message}`, () => {
      const known = new Map(
        root.lookupType(`perfetto.${message}`).fieldsArray.map((field) => [field.id, field.name]),
      );
      for (const [name, number] of Object.entries(numbers)) {
        const field = known.get(number);
        assert.ok(field !== undefined, `${message} has no field ${number} (${name})`);
        // The code's words are shorter: what they have in common is enough to notice a slip.
        const words = field.split('_');
        const shared = words.some((word) => name.toLowerCase().includes(word.slice(0, 4)));
        assert.ok(shared, `${message} ${number} is ${field} in the schema and ${name} in the code`);
      }
    });
  }
});
