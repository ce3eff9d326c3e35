import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { CollapsedImporter } from '../../../src/trace/formats/collapsed-import.js';
import { trustFacts } from '../../../src/webview/panes/trust-line.js';
import type { Snapshot } from '../../../src/webview/worker/messages.js';

function snapshot(waitNs: number): Snapshot {
  const status = {
    captureNs: 2e6,
    drainNs: 1e6,
    processCpuNs: 100e6,
    dropped: 0,
    effectiveIntervalNs: 0,
    costs: [],
  };
  return {
    info: { format: 'btrace', modeReason: '', exact: false, syncIntervalNs: 0 },
    status,
    threads: [{ waitNs, gapNs: 0, wallNs: 1 }],
    losses: [],
    hooks: [],
    problems: [],
    live: false,
    complete: true,
  } as unknown as Snapshot;
}

describe('the trust line', () => {
  it('tells the cost by the rule of the report: loud above 2 % of work and waits', () => {
    const overhead = (waitNs: number) =>
      trustFacts(snapshot(waitNs)).find((fact) => fact.text.startsWith('overhead'));
    assert.deepEqual([overhead(0)?.text, overhead(0)?.isWarning], ['overhead 3.0 % of CPU', true]);
    const waits = overhead(100e6);
    assert.deepEqual(
      [waits?.text, waits?.isWarning],
      ['overhead 3.0 % of CPU, 1.5 % of work and waits', false],
    );
  });

  it('tells for how long all threads were stopped, where that was measured', () => {
    const stops = (more: object): string[] =>
      trustFacts({ ...snapshot(0), status: { ...snapshot(0).status, ...more } } as Snapshot)
        .map(({ text }) => text)
        .filter((said) => said.includes('stopped'));
    assert.deepEqual(stops({}), []);
    assert.deepEqual(stops({ stoppedNs: 3e6 }), ['all threads stopped for 3.00 ms']);
    assert.deepEqual(stops({ stoppedNs: 0 }), ['no thread was stopped as the recording began or ended']);
  });

  it('says that the cost is not known, of a recording that has ended', () => {
    const of = (more: object): string[] =>
      trustFacts({ ...snapshot(0), status: undefined, ...more }).map(({ text }) => text);
    assert.ok(of({}).includes('overhead not known'));
    assert.ok(!of({ live: true }).includes('overhead not known'));
    assert.ok(!of({ info: { ...snapshot(0).info, format: 'chrome' } }).includes('overhead not known'));
  });

  it('says of no other tool that it lost nothing', () => {
    const of = (format: string): string[] =>
      trustFacts({ ...snapshot(0), info: { ...snapshot(0).info, format } }).map(({ text }) => text);
    assert.ok(of('btrace').includes('nothing lost'));
    assert.ok(!of('chrome').includes('nothing lost'));
  });

  it('shows what a trace says of its times, such as that it has none', () => {
    const importer = new CollapsedImporter();
    importer.append(new TextEncoder().encode('main;pay 3\nmain;add 1\n'));
    const { info } = importer.finish();
    const facts = trustFacts({ ...snapshot(0), info }).map(({ text }) => text);
    assert.ok(
      facts.includes('Collapsed stacks have no times: laid out by name, one count as 1 ms'),
      facts.join('\n'),
    );
  });

  it('says what of the scheduler is known where only the program’s own switches are, and what was lost', () => {
    const of = (more: Partial<Snapshot>) =>
      trustFacts({ ...snapshot(0), switchesAlone: false, schedulingLost: 0, ...more })
        .filter(({ text }) => /switches|scheduler/.test(text))
        .map(({ text, isWarning = false }) => [text, isWarning]);
    assert.deepEqual(of({}), []);
    assert.deepEqual(of({ switchesAlone: true }), [['switches of this program only', false]]);
    assert.deepEqual(of({ schedulingLost: 1200 }), [['1,200 events of the scheduler lost', true]]);
  });
});
