/** Android's sections of lock contention: their texts, and the waits that they become. */
import assert from 'node:assert/strict';
import { findingsIn, findingText } from '../../../src/trace/findings/registry.js';
import { readContention } from '../../../src/trace/formats/contention.js';
import { anyImporter } from '../../../src/trace/formats/index.js';
import { hotMethods } from '../../../src/trace/measure/hot-methods.js';
import { mainLocks } from '../../../src/trace/measure/main-locks.js';
import { wholeTrace } from '../../../src/trace/measure/scope.js';
import { sumScope } from '../../../src/trace/measure/sums.js';
import { SampleFlag, SampleKind } from '../../../src/trace/model/kinds.js';
import { IntervalState, type Trace } from '../../../src/trace/model/trace.js';
import {
  blocked,
  contentionPerfetto,
  contentionText,
  lockText,
  monitorText,
  owned,
} from './contention-traces.js';
import { importWhole } from './round-trip.js';

const place = (method: string, line: number) => ({ method, file: 'Cart.kt', line });
const update = place('com.example.Cart.update', 30);
const find = place('com.example.Cart.find', 66);
const monitor = { kind: SampleKind.Monitor, lock: '', ownerName: 'pool-1', ownerTid: 41 };
const mutex = { kind: SampleKind.Mutex, ownerName: '', owned: undefined, blocked: undefined };

describe('a text of lock contention', () => {
  const texts: Readonly<Record<string, readonly [text: string, said: unknown]>> = {
    'of a monitor': [
      `monitor contention with owner pool-1 (41) at ${owned} waiters=2 blocking from ${blocked}`,
      { ...monitor, owned: update, blocked: find },
    ],
    'whose owner’s method is not known': [
      `monitor contention with owner pool-1 (41) waiters=0 blocking from ${blocked}`,
      { ...monitor, owned: undefined, blocked: find },
    ],
    'without the thread that waits, as the system’s log has it': [
      `monitor contention with owner pool-1 (41) at ${owned} waiters=0`,
      { ...monitor, owned: update, blocked: undefined },
    ],
    'without a source file': [
      `monitor contention with owner pool-1 (41) at void a.b.c()(null:-1) waiters=0 blocking from void a.b.d()(:0)`,
      {
        ...monitor,
        owned: { method: 'a.b.c', file: '', line: 0 },
        blocked: { method: 'a.b.d', file: '', line: 0 },
      },
    ],
    'that was cut off within the place': [
      'monitor contention with owner pool-1 (41) at void com.example.Cart.update(int)(Cart.k',
      { ...monitor, owned: { method: 'com.example.Cart.update', file: '', line: 0 }, blocked: undefined },
    ],
    'that was cut off within the method': [
      'monitor contention with owner pool-1 (41) at void com.exa',
      { ...monitor, owned: undefined, blocked: undefined },
    ],
    'whose owner has a name like a place': [
      `monitor contention with owner Thread (5) at work (41) at ${owned} waiters=0 blocking from ${blocked}`,
      { ...monitor, ownerName: 'Thread (5) at work', owned: update, blocked: find },
    ],
    'without the owner’s number': [
      `monitor contention with owner main at ${owned}`,
      { ...monitor, ownerName: `main at ${owned}`, ownerTid: 0, owned: undefined, blocked: undefined },
    ],
    'of the runtime’s lock': [
      'Lock contention on thread suspend count lock (owner tid: 77)',
      { ...mutex, lock: 'thread suspend count lock', ownerTid: 77 },
    ],
    'of the lock of a monitor': [
      'Lock contention on a monitor lock (owner tid: 0)',
      { ...mutex, kind: SampleKind.Monitor, lock: '', ownerTid: 0 },
    ],
    'of a lock that many threads share': [
      'Lock contention on mutator lock (owner tid: 18446744073709551615)',
      { ...mutex, lock: 'mutator lock', ownerTid: 0 },
    ],
    'of the C library': ['Contending for pthread mutex', { ...mutex, lock: 'pthread mutex', ownerTid: 0 }],
    'of the C library, with an owner': [
      'Contending for pthread mutex owned by tid: 1612',
      { ...mutex, lock: 'pthread mutex', ownerTid: 1612 },
    ],
    'of the C library, in newer words': [
      'Contending for pthread mutex, mutex owner: 1612',
      { ...mutex, lock: 'pthread mutex', ownerTid: 1612 },
    ],
    'of something else': ['monitor contention', undefined],
  };
  for (const [name, [text, said]] of Object.entries(texts))
    it(`${name} is read`, () => assert.deepEqual(readContention(text), said));

  it('of any form is read in no time, and throws nothing', () => {
    const parts = [' blocking from ', ' waiters=', ') at ', ' (', '(', ')', ':', '9'.repeat(40), ' ', 'x'];
    for (let seed = 1; seed < 3000; seed++) {
      let text = seed % 2 === 0 ? 'monitor contention with owner ' : 'Lock contention on ';
      for (let at = seed, left = 40; left > 0; left--) {
        at = (at * 48271) % 2147483647;
        text += parts[at % parts.length] ?? '';
      }
      const said = readContention(text)!;
      for (const one of [said.owned, said.blocked])
        assert.ok(one === undefined || (one.line >= 0 && Number.isInteger(one.line)), text);
      assert.ok(Number.isSafeInteger(said.ownerTid), text);
    }
  });
});

describe('lock contention in a system trace', () => {
  const forms: Readonly<Record<string, () => Uint8Array>> = {
    'as text': () => Buffer.from(contentionText()),
    'of Perfetto': contentionPerfetto,
  };

  for (const [form, bytes] of Object.entries(forms)) {
    const read = (): Trace => importWhole(anyImporter(), bytes(), 64);

    it(`${form} is waits with owner, methods, lines and who ended them`, () => {
      const trace = read();
      assert.deepEqual(trace.problems, []);
      const main = trace.threads.find(({ isMain }) => isMain)!;
      const { waits } = main;
      const shown = Array.from({ length: waits.count }, (_, row) => {
        const link = waits.link[row]!;
        const by = (index: number) => trace.threads.find((one) => one.index === index)?.tid ?? 0;
        const method = (id: number): string => (id < 0 ? '' : trace.methods.qualifiedName(id));
        return [
          ...[waits.kind[row], trace.className(waits.type[row]!), by(waits.owner[row]!)],
          ...[(waits.begin[row]! - waits.begin[0]!) / 1e6, (waits.end[row]! - waits.begin[row]!) / 1e6],
          ...[method(trace.paths.method[waits.path[row]!]!), waits.told!.line[row]],
          ...[method(waits.told!.ownerMethod[row]!), waits.told!.ownerLine[row]],
          link < 0 ? 0 : by(trace.links.waker[link]!),
          waits.flags[row],
        ];
      });
      const [isMonitor, isMutex] = [SampleKind.Monitor, SampleKind.Mutex];
      assert.deepEqual(shown, [
        [isMonitor, '', 201, 0, 31, 'com.example.Cart.find', 66, 'com.example.Cart.update', 30, 201, 0],
        [isMutex, 'InternTable lock', 202, 40, 20, 'doFrame', 0, '', 0, 202, 0],
      ]);
      const ran = Array.from({ length: main.intervals.count }, (_, row) => row)
        .filter((row) => main.intervals.state[row] !== IntervalState.Wait)
        .reduce((sum, row) => sum + main.intervals.end[row]! - main.intervals.begin[row]!, 0);
      // What ran before and after a sleep within a wait is CPU time.
      assert.equal(Math.round(ran / 1e6), 100 - 29 - 20);
    });

    it(`${form} keeps the texts as slices, in the method that waits`, () => {
      const { threads, methods } = read();
      const { calls } = threads.find(({ isMain }) => isMain)!;
      const shown = Array.from({ length: calls.count }, (_, row) => {
        return `${calls.depth[row]} ${methods.qualifiedName(calls.method[row]!)}`;
      });
      assert.deepEqual(shown, ['0 doFrame', '1 com.example.Cart.find', `2 ${monitorText}`, `1 ${lockText}`]);
    });

    it(`${form} takes CPU time as the method that waits, not as the text`, () => {
      const trace = read();
      const nobodys = new Uint8Array(trace.methods.count);
      const { rows } = hotMethods(trace, sumScope(trace, wholeTrace), 'cpu', nobodys, 9);
      const shown = rows.map(({ method, value }) => [trace.methods.qualifiedName(method), value / 1e6]);
      // Of its wait from 10 to 41 ms the thread slept from 11 to 40; it slept for all of the other one.
      assert.deepEqual(new Map(shown as [string, number][]).get('com.example.Cart.find'), 2);
      const names = shown.map(([name]) => name).sort();
      assert.deepEqual(names, ['com.example.Cart.find', 'doFrame', 'load']);
    });

    it(`${form} is what held up the main thread`, () => {
      const trace = read();
      const [first, second] = mainLocks(trace, wholeTrace);
      const name = (method: number): string => trace.methods.qualifiedName(method);
      assert.deepEqual(
        [first!.longestNs, name(first!.method), first!.line, name(first!.ownerMethod), first!.ownerLine],
        [31e6, 'com.example.Cart.find', 66, 'com.example.Cart.update', 30],
      );
      assert.deepEqual([second!.type, second!.longestNs], ['InternTable lock', 20e6]);
      const found = findingsIn(trace).find(({ id }) => id === 'lockContention')!;
      assert.match(findingText(found.title), /Lock contention in com\.example\.Cart\.find: 31\.0 ms/);
      assert.match(
        findingText(found.explanation),
        /owner, "atcher-worker-3", had taken the lock in com\.example\.Cart\.update/,
      );
      assert.deepEqual(
        [found.certainty, found.evidence[0]!.line, found.evidence[1]!.line],
        ['observed', 66, 30],
      );
    });
  }

  const line = (time: number, text: string): string =>
    `shop-200 ( 200) [000] d..2 5.${String(time).padStart(6, '0')}: tracing_mark_write: ${text}\n`;

  it('without the scheduler is a wait from begin to end, and its owner is an estimate', () => {
    const text = [line(0, 'B|200|open'), line(100, `B|200|${monitorText}`), line(300, 'E|200')].join('');
    const trace = importWhole(anyImporter(), Buffer.from(`${text}${line(400, 'E|200')}`), 64);
    const main = trace.threads.find(({ isMain }) => isMain)!;
    assert.deepEqual(
      [main.waits.count, Math.round(main.waits.end[0]! - main.waits.begin[0]!), main.waits.link[0]],
      [1, 200e3, -1],
    );
    assert.equal(main.waits.flags[0], SampleFlag.OwnerEstimated);
    // Nobody else has told of that thread.
    const owner = trace.threads.find(({ index }) => index === main.waits.owner[0]);
    assert.deepEqual([owner?.name, owner?.tid], ['DefaultDispatcher-worker-3', 0]);
  });

  it('that does not end is an open wait', () => {
    const trace = importWhole(
      anyImporter(),
      Buffer.from(`${line(0, 'B|200|open')}${line(100, `B|200|${lockText}`)}${line(900, 'C|200|a|1')}`),
      64,
    );
    const main = trace.threads.find(({ isMain }) => isMain)!;
    assert.equal(main.waits.flags[0]! & SampleFlag.OpenWait, SampleFlag.OpenWait);
    assert.match(trace.problems.map(({ what }) => what).join(), /2 calls were still open/);
  });

  it('of two processes with the same text has an owner in each', () => {
    const text = [200, 300].flatMap((pid) => {
      const print = (tid: number, us: number, what: string): string =>
        `${tid === pid ? 'shop' : 'atcher-worker-3'}-${tid} ( ${pid}) [000] d..2 5.${String(us).padStart(6, '0')}: tracing_mark_write: ${what}\n`;
      return [
        ...[print(pid + 1, 0, `B|${pid}|load`), print(pid + 1, 9, `E|${pid}`)],
        ...[print(pid, 1, `B|${pid}|${monitorText}`), print(pid, 5, `E|${pid}`)],
      ];
    });
    const { threads } = importWhole(anyImporter(), Buffer.from(text.join('\n')), 64);
    const owners = threads
      .filter(({ isMain }) => isMain)
      .map(({ waits }) => threads.find(({ index }) => index === waits.owner[0])?.tid);
    assert.deepEqual(owners, [201, 301]);
  });

  it('ends though the scheduler says that the thread slept: waits stay in order of time', () => {
    const head = (us: number): string => `shop-200 ( 200) [000] d..2 5.${String(us).padStart(6, '0')}: `;
    const slept =
      'sched_switch: prev_comm=shop prev_pid=200 prev_prio=120 prev_state=S ==> next_comm=idle next_pid=0 next_prio=120';
    const text = [
      ...[line(0, `B|200|open`), line(100, `B|200|${lockText}`), `${head(150)}${slept}\n`],
      ...[line(300, 'E|200'), line(300, `B|200|${lockText}`), line(500, 'E|200'), line(600, 'E|200')],
    ].join('');
    const { waits } = importWhole(anyImporter(), Buffer.from(text), 64).threads.find(({ isMain }) => isMain)!;
    const begins = [...waits.begin.subarray(0, waits.count)].map(Math.round);
    assert.deepEqual(
      begins,
      begins.toSorted((a, b) => a - b),
    );
    assert.ok(begins.length >= 2);
  });

  it('of two threads with one name leaves it open which one was meant', () => {
    const two = ['atcher-worker-3-300', 'atcher-worker-3-301'].map(
      (who) => `${who} ( 200) [000] d..2 5.000000: tracing_mark_write: B|200|x\n`,
    );
    const text = `${two.join('')}${line(0, `B|200|${monitorText}`)}${line(9, 'E|200')}`;
    const trace = importWhole(anyImporter(), Buffer.from(text), 64);
    const { waits } = trace.threads.find(({ isMain }) => isMain)!;
    const owner = trace.threads.find(({ index }) => index === waits.owner[0]);
    assert.deepEqual([owner?.name, owner?.tid], ['DefaultDispatcher-worker-3', 0]);
  });
});
