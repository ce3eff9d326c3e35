/** What the tests of whole recordings share: a folder, options, and the decoded file. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../../scripts/setup.mjs';
import type { LocalOptions } from '../../src/targets/local/local-recording.js';
import { LocalTargets } from '../../src/targets/local/local-targets.js';
import {
  type RecordOptions,
  type Session,
  TargetError,
  type TargetErrorKind,
} from '../../src/targets/target.js';
import { recordOptions } from '../rigs/record-options.js';
import { decodeRecording, type ThreadTrack, type Trace } from '../../src/trace/index.js';

export class Recordings {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'recordings-'));
  readonly log: string[] = [];
  readonly targets: LocalTargets;

  constructor(more: Partial<LocalOptions> = {}) {
    this.targets = new LocalTargets({ agentRoots: [root], log: (line) => this.log.push(line), ...more });
  }

  file(name = 'x.btrace'): string {
    return path.join(this.folder, name);
  }

  options(more: Partial<RecordOptions> = {}): RecordOptions {
    return recordOptions(this.file(), more);
  }

  async start(pid: number, more: Partial<RecordOptions> = {}): Promise<Session> {
    const target = await this.targets.find(pid);
    return await target.start(this.options(more));
  }

  /** Records for so long, by the session's own limit. */
  async record(pid: number, ms: number, more: Partial<RecordOptions> = {}): Promise<Trace> {
    const session = await this.start(pid, { maxDurationMs: ms, ...more });
    const end = await session.ended;
    assert.equal(end.reason, 'limit', end.message);
    return decodeFile(end.file);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function decodeFile(file: string): Trace {
  const decoder = decodeRecording(readFileSync(file));
  assert.equal(decoder.refused, '');
  return decoder.trace();
}

export function threadNamed(trace: Trace, name: string): ThreadTrack {
  const found = trace.threads.find((thread) => thread.name === name);
  assert.ok(found, `no thread ${name} among ${trace.threads.map((thread) => thread.name).join(', ')}`);
  return found;
}

/** Where the interval's CPU time counts: docs/MEASURES.md, "Unseen work". */
function workedIn({ countsWith, path }: ThreadTrack['intervals'], row: number): number {
  const other = countsWith[row] ?? 0;
  return path[other > 0 ? other : row]!;
}

/** CPU ns of a thread in each method, with all it called; recursion counted once. */
export function totalCpu(trace: Trace, thread: ThreadTrack): Map<string, number> {
  const totals = new Map<string, number>();
  const { intervals } = thread;
  for (let row = 0; row < intervals.count; row++) {
    for (let at = workedIn(intervals, row); at !== 0; at = trace.paths.parent[at]!) {
      if (trace.paths.recursive[at] === 1) continue;
      const name = trace.methods.qualifiedName(trace.paths.method[at]!);
      totals.set(name, (totals.get(name) ?? 0) + intervals.cpu[row]!);
    }
  }
  return totals;
}

/** The same without what it called. */
export function selfCpu(trace: Trace, thread: ThreadTrack): Map<string, number> {
  const selves = new Map<string, number>();
  const { intervals } = thread;
  for (let row = 0; row < intervals.count; row++) {
    const path = workedIn(intervals, row);
    if (path === 0) continue;
    const name = trace.methods.qualifiedName(trace.paths.method[path]!);
    selves.set(name, (selves.get(name) ?? 0) + intervals.cpu[row]!);
  }
  return selves;
}

export function cpuOf(thread: ThreadTrack): number {
  let sum = 0;
  for (let row = 0; row < thread.intervals.count; row++) sum += thread.intervals.cpu[row]!;
  return sum;
}

/** The folders of agent sockets that this process has left. */
export function socketFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`btrace-${process.pid}-`));
}

/** For assert.rejects: the error is one for a person, of this kind, and says what to do. */
export function refusal(kind: TargetErrorKind, what: RegExp) {
  return (error: unknown): true => {
    assert.ok(error instanceof TargetError, String(error));
    assert.equal(error.kind, kind, error.message);
    assert.match(error.message, what);
    assert.notEqual(error.nextStep, '');
    return true;
  };
}
