/** The foreign formats: what can be read, what can be written. */
import type { Trace } from '../model/trace.js';
import { AnyImporter } from './any-import.js';
import { ArtImporter } from './art-import.js';
import { writeChrome } from './chrome-export.js';
import { ChromeImporter } from './chrome-import.js';
import { writeCollapsed } from './collapsed-export.js';
import { CollapsedImporter } from './collapsed-import.js';
import { writeMethodTable } from './csv-export.js';
import { writeFirefox } from './firefox-export.js';
import { FirefoxImporter } from './firefox-import.js';
import { FuchsiaImporter } from './fuchsia-import.js';
import { CpuProfileImporter } from './cpuprofile-import.js';
import type { ExportOptions, ImportOptions, Sink, TraceImporter } from './importer.js';
import { IpsImporter } from './ips-import.js';
import { JfrImporter } from './jfr-import.js';
import { MacosSampleImporter } from './macos-sample-import.js';
import { writeNanoscope } from './nanoscope-export.js';
import { NanoscopeImporter } from './nanoscope-import.js';
import { NinjaImporter } from './ninja-import.js';
import { writePerfetto } from './perfetto-export.js';
import { PerfettoImporter } from './perfetto-import.js';
import { PerfDataImporter } from './perf-data-import.js';
import { PerfImporter } from './perf-import.js';
import { writePprof } from './pprof-export.js';
import { PprofImporter } from './pprof-import.js';
import type { FormatId } from './recognised.js';
import { SimpleperfImporter } from './simpleperf-import.js';
import { writeSpeedscope } from './speedscope-export.js';
import { SpeedscopeImporter } from './speedscope-import.js';
import { SpindumpImporter } from './spindump-import.js';
import { writeSystrace } from './systrace-export.js';
import { SystraceImporter } from './systrace-import.js';
import { XctraceImporter } from './xctrace-import.js';

export { AnyImporter } from './any-import.js';
export type { ExportOptions, ImportOptions, Sink, StackWeight, TraceImporter } from './importer.js';
export { type CodeName, giveNames, type NamedCode, type UnnamedCode } from './code-names.js';
export { recognise, recogniseBytes } from './recognise.js';
export type { FormatId, Recognised } from './recognised.js';

export interface Importer {
  readonly id: FormatId;
  /** As a person knows it. */
  readonly label: string;
  /** Usual ends of file names, for dialogs only: files are recognised by content. */
  readonly extensions: readonly string[];
  readonly create: (options?: ImportOptions) => TraceImporter;
}

export interface Exporter {
  readonly id: string;
  readonly label: string;
  /** With its dot; what a file is called when nobody says. */
  readonly extension: string;
  /** In pieces: a sink never gets a whole file at once. */
  readonly write: (trace: Trace, sink: Sink, options?: ExportOptions) => void;
}

export const importers: readonly Importer[] = [
  {
    id: 'perfetto',
    label: 'Perfetto trace',
    extensions: ['.perfetto-trace', '.pftrace', '.pb'],
    create: (options) => new PerfettoImporter(options),
  },
  {
    id: 'chrome',
    label: 'Chrome JSON trace',
    extensions: ['.json'],
    create: (options) => new ChromeImporter(options),
  },
  {
    id: 'speedscope',
    label: 'speedscope file',
    extensions: ['.speedscope.json', '.json'],
    create: (options) => new SpeedscopeImporter(options),
  },
  {
    id: 'collapsed',
    label: 'Collapsed stacks',
    extensions: ['.collapsed', '.folded', '.txt'],
    create: (options) => new CollapsedImporter(options),
  },
  {
    id: 'nanoscope',
    label: 'Nanoscope trace',
    extensions: ['.nanoscope', '.txt'],
    create: (options) => new NanoscopeImporter(options),
  },
  {
    id: 'art',
    label: 'ART method trace',
    extensions: ['.trace'],
    create: (options) => new ArtImporter(options),
  },
  {
    id: 'systrace',
    label: 'Kernel trace as text, systrace page',
    extensions: ['.systrace', '.html', '.txt'],
    create: (options) => new SystraceImporter(options),
  },
  {
    id: 'perf',
    label: 'Samples of perf and simpleperf as text',
    extensions: ['.perf', '.txt'],
    create: (options) => new PerfImporter(options),
  },
  {
    id: 'perf-data',
    label: 'Linux perf recording',
    extensions: ['perf.data', '.perf.data'],
    create: (options) => new PerfDataImporter(options),
  },
  {
    id: 'fuchsia',
    label: 'Fuchsia trace',
    extensions: ['.fxt'],
    create: (options) => new FuchsiaImporter(options),
  },
  {
    id: 'ninja',
    label: 'Ninja build log',
    extensions: ['.ninja_log'],
    create: (options) => new NinjaImporter(options),
  },
  {
    id: 'pprof',
    label: 'pprof profile',
    extensions: ['.pprof', '.pb.gz', '.pb'],
    create: (options) => new PprofImporter(options),
  },
  {
    id: 'cpuprofile',
    label: 'V8 CPU profile',
    extensions: ['.cpuprofile'],
    create: (options) => new CpuProfileImporter(options),
  },
  {
    id: 'jfr',
    label: 'Java Flight Recorder file',
    extensions: ['.jfr'],
    create: (options) => new JfrImporter(options),
  },
  {
    id: 'firefox',
    label: 'Firefox profile',
    extensions: ['.profile.json.gz', '.json.gz', '.json'],
    create: (options) => new FirefoxImporter(options),
  },
  {
    id: 'simpleperf',
    label: 'simpleperf report',
    extensions: ['.trace'],
    create: (options) => new SimpleperfImporter(options),
  },
  {
    id: 'sample',
    label: 'Output of macOS’s "sample"',
    extensions: ['.txt'],
    create: (options) => new MacosSampleImporter(options),
  },
  {
    id: 'spindump',
    label: 'Hang report of macOS, output of "spindump"',
    extensions: ['.spin', '.hang', '.txt'],
    create: (options) => new SpindumpImporter(options),
  },
  {
    id: 'ips',
    label: 'Crash report of iOS or macOS',
    extensions: ['.ips'],
    create: (options) => new IpsImporter(options),
  },
  {
    id: 'xctrace',
    label: 'Samples of Instruments, exported by xctrace',
    extensions: ['.xml'],
    create: (options) => new XctraceImporter(options),
  },
];

export const exporters: readonly Exporter[] = [
  { id: 'perfetto', label: 'Perfetto trace', extension: '.perfetto-trace', write: writePerfetto },
  { id: 'chrome', label: 'Chrome JSON trace', extension: '.json', write: writeChrome },
  { id: 'speedscope', label: 'speedscope file', extension: '.speedscope.json', write: writeSpeedscope },
  { id: 'collapsed', label: 'Collapsed stacks', extension: '.collapsed', write: writeCollapsed },
  { id: 'nanoscope', label: 'Nanoscope trace', extension: '.nanoscope', write: writeNanoscope },
  { id: 'systrace', label: 'Kernel trace as text', extension: '.systrace', write: writeSystrace },
  { id: 'pprof', label: 'pprof profile', extension: '.pb.gz', write: writePprof },
  { id: 'firefox', label: 'Firefox profile', extension: '.profile.json.gz', write: writeFirefox },
  { id: 'csv', label: 'Method table as CSV', extension: '.csv', write: writeMethodTable },
];

/** Reads a foreign trace of any format. BTrace's own recordings have a reader of their own. */
export function anyImporter(options: ImportOptions = {}): AnyImporter {
  return new AnyImporter(
    (format, given) => importers.find(({ id }) => id === format)?.create(given),
    options,
  );
}
