/** Findings: what each rule concludes from a recording whose waits are known, and how a report tells it. */
import assert from 'node:assert/strict';
import { reportJson } from '../../../src/cli/report/json.js';
import { measure } from '../../../src/cli/report/measure.js';
import { RecordingDecoder } from '../../../src/trace/assemble/decoder.js';
import { findingRules, findingsIn, findingText } from '../../../src/trace/findings/registry.js';
import { SampleFlag, SampleKind } from '../../../src/trace/model/kinds.js';
import type { Trace, Waits } from '../../../src/trace/model/trace.js';
import { lockedRecording, second, type Waiting } from './locked-recording.js';

function recorded(waiting: readonly Waiting[]): Trace {
  const decoder = new RecordingDecoder();
  decoder.append(lockedRecording(waiting));
  decoder.finish();
  return decoder.trace();
}

const ended = { flags: 0 };
const titlesOf = (trace: Trace): string[] => findingsIn(trace).map(({ title }) => findingText(title));

describe('findings', () => {
  it('name each rule once, and give a text to each key that a rule uses', () => {
    const ids = findingRules.map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)]);
    for (const { id, texts } of findingRules)
      for (const key of Object.keys(texts)) assert.ok(key.startsWith(`finding.${id}.`), key);
    for (const waiting of [
      [{ owner: 2 }, { owner: 1 }],
      [
        { owner: 2, ...ended },
        { owner: 0, ...ended },
      ],
    ])
      for (const { title, explanation, nextStep } of findingsIn(recorded(waiting)))
        for (const text of [title, explanation, nextStep])
          if (text) assert.doesNotMatch(findingText(text), /^finding\.|[{}]/);
  });

  it('tell a deadlock with the place of each wait', () => {
    const [found, ...others] = findingsIn(recorded([{ owner: 2 }, { owner: 1 }]));
    assert.deepEqual(others, []);
    assert.deepEqual([found!.id, found!.severity, found!.certainty], ['deadlock', 'error', 'observed']);
    assert.equal(findingText(found!.title), 'Deadlock: 2 threads wait for each other');
    assert.deepEqual(
      found!.evidence.map(({ thread, beginNs, line }) => [thread, beginNs, line]),
      [
        [1, second, 12],
        [2, second, 12],
      ],
    );
  });

  it('tell lock contention by method, with the longest wait as evidence', () => {
    const trace = recorded([
      { owner: 3, ...ended },
      { owner: 3, beginNs: 2 * second, flags: SampleFlag.OwnerEstimated },
    ]);
    const [found, ...others] = findingsIn(trace);
    assert.deepEqual(others, []);
    assert.equal(findingText(found!.title), 'Lock contention in Bank.transfer: 17.0 s of waiting');
    assert.match(
      findingText(found!.explanation),
      /^Threads waited 2 times, .* The longest wait took 9\.00 s\.$/,
    );
    assert.deepEqual([found!.shareOfTime, found!.certainty], [1.7, 'estimated']);
    assert.deepEqual([found!.evidence[0]!.thread, found!.evidence[0]!.beginNs], [1, second]);
  });

  it('take a condition for no lock, though somebody ended the wait for it', () => {
    assert.deepEqual(titlesOf(recorded([{ owner: 2, kind: SampleKind.Wait, ...ended }])), []);
  });

  it('tell of a single wait for a lock that it was one', () => {
    const [found] = findingsIn(recorded([{ owner: 3, ...ended }]));
    assert.equal(
      findingText(found!.explanation),
      'A thread waited 9.00 s for a lock that another thread owned.',
    );
  });

  it('are none where waits for locks are short', () => {
    assert.deepEqual(titlesOf(recorded([{ owner: 2, beginNs: 9.96 * second, ...ended }])), []);
  });

  it('are the same in a report for programs', () => {
    const trace = recorded([{ owner: 3, ...ended }]);
    const request = { top: 5, sort: undefined, fromNs: undefined, toNs: undefined, perThread: false };
    const { findings } = reportJson('a.btrace', measure(trace, [], request)) as {
      findings: { id: string; title: string; evidence: { thread: string; method: string }[] }[];
    };
    assert.deepEqual(
      findings.map(({ title }) => title),
      titlesOf(trace),
    );
    assert.equal(findings[0]!.evidence[0]!.method, 'Bank.transfer');
  });

  it('read each wait a bounded number of times', () => {
    const trace = recorded([{ owner: 3, ...ended }]);
    const rows = 10_000;
    let reads = 0;
    const { waits } = trace.threads[0]!;
    const repeated = new Proxy(waits, {
      get(columns, name) {
        if (name === 'count') return rows;
        const column = columns[name as keyof Waits] as ArrayLike<number> | undefined;
        if (column === undefined) return undefined;
        return new Proxy(column, {
          get: (values, at) => {
            reads++;
            return typeof at === 'string' && /^\d+$/.test(at) ? values[0] : undefined;
          },
        });
      },
    });
    findingsIn({ ...trace, threads: [{ ...trace.threads[0]!, waits: repeated }] });
    assert.ok(reads > rows && reads < rows * 40, String(reads));
  });
});
