/** What a device's tracing service is asked for, as text and as bytes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { encodeTextProto, parseTextProto } from '../../../src/targets/android/text-proto.js';
import { completed, configText, encoded } from '../../../src/targets/android/trace-config.js';
import { type SystemPreset, systemPresets } from '../../../src/targets/system/system-presets.js';
import type { RecordOptions } from '../../../src/targets/target.js';
import { recordOptions } from '../../rigs/record-options.js';
import { readConfig } from '../../rigs/phone/tracing/config.mjs';

const options = (changes: Partial<RecordOptions> = {}): RecordOptions => recordOptions('', changes);

describe('the configuration of the system’s trace', () => {
  /** By the rig's own decoder, which knows nothing of ours. */
  const asked = (changes: Partial<RecordOptions>) => {
    const text = configText(options(changes), 'com.example.shop');
    const binary = encoded(text);
    assert.ok('bytes' in binary);
    const config = readConfig(Buffer.from(binary.bytes), false);
    assert.deepEqual(config, readConfig(Buffer.from(text), true), 'text and bytes ask for the same');
    return config;
  };

  it('streams into a file through a ring, lets a ring stay on the device, and discards what does not fit else', () => {
    const stream = asked({});
    assert.deepEqual(
      [stream.policy, stream.writesFile, stream.writeMs, stream.durationMs],
      ['RING_BUFFER', true, 1000, 3_600_000],
    );
    const ring = asked({ policy: 'ring', ringNs: 30e9 });
    assert.deepEqual([ring.policy, ring.writesFile, ring.bufferKb], ['RING_BUFFER', false, 60 * 1024]);
    const full = asked({ policy: 'stop-when-full', maxDurationMs: 5000 });
    assert.deepEqual([full.policy, full.writesFile, full.durationMs], ['DISCARD', false, 65_000]);
    assert.equal(asked({ policy: 'ring', ringNs: 3600e9 }).bufferKb, 256 * 1024);
  });

  it('has the scheduler and the app in each preset, and what each is for', () => {
    for (const systemPreset of Object.keys(systemPresets) as SystemPreset[]) {
      const { events, apps, categories } = asked({ systemPreset });
      assert.ok(['sched/sched_switch', 'sched/sched_waking'].every((event) => events.includes(event)));
      assert.deepEqual(apps, ['com.example.shop']);
      assert.ok(categories.includes('dalvik') && categories.includes('view'));
    }
    assert.ok(asked({ systemPreset: 'io' }).events.includes('block/block_rq_issue'));
    assert.ok(asked({ systemPreset: 'startUp' }).categories.includes('pm'));
    assert.ok(asked({ systemPreset: 'jank' }).categories.includes('hal'));
  });

  it('adds an end and a file that grows up to a limit to one’s own, and leaves what it says', () => {
    const own = readFileSync('docs/system-trace.pbtx', 'utf8');
    const config = readConfig(Buffer.from(completed(own, options())), true);
    assert.deepEqual([config.durationMs, config.writesFile, config.writeMs], [3_600_000, true, 1000]);
    assert.match(completed(own, options()), /^max_file_size_bytes: 2147483648$/m);
    const whole = `${own}duration_ms: 7\nwrite_into_file: false\nfile_write_period_ms: 5\nmax_file_size_bytes: 9\n`;
    assert.equal(completed(whole, options()), whole);
    assert.ok(!completed(own, options({ policy: 'ring' })).includes('write_into_file'));
  });

  it('says what is wrong, and in which line', () => {
    const said = (text: string): string => {
      try {
        return completed(text, options());
      } catch (error) {
        return (error as Error).message;
      }
    };
    const wrong = "The configuration of the system's trace cannot be used:";
    assert.equal(said('buffers {\n  size_kb: 1\n'), `${wrong} line 3: "}" is missing.`);
    assert.equal(said('buffers { size_kb }'), `${wrong} line 1: the value of size_kb is missing.`);
    assert.equal(said('\n@'), `${wrong} line 2: "@" does not belong there.`);
    assert.equal(said('duration_ms: 5'), `${wrong} line 1: ftrace_events has no "sched/sched_switch".`);
    assert.equal(said(`# ${'x'.repeat(32 * 1024)}`), `${wrong} line 1: it is longer than 32 kB.`);
    assert.match(said('a {'.repeat(100)), /messages lie too deep in each other/);
    const events = 'data_sources { config { ftrace_config { ftrace_events: "sched_switch" } } }\n';
    const why = (more: string): string => {
      const binary = encoded(events + more);
      return 'why' in binary ? binary.why : '';
    };
    assert.equal(why('no_such: 1'), 'line 2: there is no field no_such');
    assert.equal(why('duration_ms: "1"'), 'line 2: duration_ms has a value of another kind');
    assert.equal(why('buffers { fill_policy: NEVER }'), 'line 2: fill_policy has a value of another kind');
    assert.equal(why('buffers: 1'), 'line 2: buffers has a value of another kind');
    assert.equal(why(''), '');
  });
});

describe('protobuf’s text format', () => {
  const schema = { a: [1, 'number'], s: [2, 'string'], m: [3, { b: [1, 'bool'] }] } as const;
  const hex = (text: string): string =>
    Buffer.from(encodeTextProto(parseTextProto(text), schema)).toString('hex');

  it('reads messages, lists, strings in pieces, comments and separators', () => {
    assert.equal(hex('a: 300 # more\n'), '08ac02');
    assert.equal(hex('a: [1, 2], a: 0x10;'), '080108020810');
    assert.equal(hex('s: "a\\n" \'b"\''), '1204610a6222');
    assert.equal(hex('m { b: true } m: < b: false >'), '1a0208011a020800');
    assert.equal(hex(''), '');
  });
});
