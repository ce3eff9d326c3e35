/** Targets whose sessions do what a test says: for the ways a recording goes that a real program does not go on demand. */
import { writeFile } from 'node:fs/promises';
import type {
  RecordOptions,
  Session,
  SessionEnd,
  SessionStatus,
  Target,
  TargetError,
  TargetSource,
} from '../../src/targets/target.js';
import { btrace, closeAll } from './btrace.js';
import { tillMethods, writeRecording } from './recordings.js';

export class ScriptedTargets implements TargetSource {
  readonly kind = 'scripted';
  readonly targets: Target[] = [];
  failure: Error | undefined;

  list(): Promise<Target[]> {
    return this.failure === undefined ? Promise.resolve([...this.targets]) : Promise.reject(this.failure);
  }
}

/** Of no process that there is. */
let nextPid = 2 ** 22;

/** For a suite: targets that the extension lists as it lists real ones, gone after each test. */
export function withScriptedTargets(): { source: ScriptedTargets; target: (name: string) => ScriptedTarget } {
  const source = new ScriptedTargets();
  let added: { dispose(): void };
  before(async () => (added = (await btrace()).addTargetSource(source)));
  after(() => added.dispose());
  afterEach(async () => {
    source.targets.length = 0;
    await closeAll();
  });
  const target = (name: string): ScriptedTarget => {
    const one = new ScriptedTarget(name, nextPid++);
    source.targets.push(one);
    return one;
  };
  return { source, target };
}

export class ScriptedTarget implements Target {
  readonly kind = 'scripted';
  readonly id: string;
  readonly runtime = 'Script';
  detail = 'made up by a test';
  refusal: string | undefined;
  label: string | undefined;
  launchable = false;
  launchNeedsLibrary = false;
  recordsSystem = false;
  readonly sessions: ScriptedSession[] = [];
  options: RecordOptions | undefined;
  failure: Error | undefined;
  /** Called as a session begins. */
  begun: () => void = () => undefined;

  constructor(
    readonly name: string,
    readonly pid: number,
  ) {
    this.id = `scripted:${String(pid)}`;
  }

  async start(options: RecordOptions): Promise<Session> {
    if (this.failure !== undefined) throw this.failure;
    this.options = options;
    await writeRecording(options.file, { methods: tillMethods, stacks: [[0, 1], [2]], samples: 100 });
    const session = new ScriptedSession(this, options.file);
    this.sessions.push(session);
    this.begun();
    return session;
  }
}

export class ScriptedSession implements Session {
  readonly #listeners = new Set<(status: SessionStatus) => void>();
  #settle: (end: SessionEnd) => void = () => undefined;
  readonly ended = new Promise<SessionEnd>((resolve) => (this.#settle = resolve));
  whyNoDump: TargetError | undefined;
  readonly dumped: number[] = [];
  #told: Partial<SessionStatus> = {};

  constructor(
    readonly target: Target,
    readonly file: string,
  ) {}

  /** What changes of its figures, and who listens learns of it. */
  tell(figures: Partial<SessionStatus>): void {
    this.#told = figures;
    for (const listener of this.#listeners) listener(this.status());
  }

  status(): SessionStatus {
    return {
      samples: 1234,
      dropped: 0,
      captureNs: 1e6,
      drainNs: 0,
      processCpuNs: 1e9,
      memoryBytes: 0,
      effectiveIntervalNs: 1e6,
      costs: [],
      elapsedMs: 2500,
      fileBytes: 5000,
      hooks: [],
      isSilent: false,
      ...this.#told,
    };
  }

  onStatus(listener: (status: SessionStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** As if the program ended it. */
  end(reason: SessionEnd['reason'], message = ''): Promise<SessionEnd> {
    this.#settle({ reason, message, file: this.file, fileBytes: 5000 });
    return this.ended;
  }

  stop(): Promise<SessionEnd> {
    return this.end('stopped');
  }

  cancel(): Promise<SessionEnd> {
    return this.end('cancelled');
  }

  async dump(file: string, lastNs: number): Promise<SessionEnd> {
    this.dumped.push(lastNs);
    await writeFile(file, '');
    return { reason: 'stopped', message: '', file, fileBytes: 0 };
  }
}
