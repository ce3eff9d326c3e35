// Whatever arrives between extension and page: it is a message as messages.ts says, or it is dropped and told once.
import assert from 'node:assert/strict';
import { types } from 'node:util';
import { describe, it } from 'mocha';
import { hostMessageChecker, pageMessageChecker, type Checker } from '../../../src/protocol/check-message.js';
import type { HostMessage, PageMessage, PageSettings, SourceKey } from '../../../src/protocol/messages.js';

type One<M extends { type: string }> = { readonly [T in M['type']]: Extract<M, { type: T }> };
type Message = HostMessage | PageMessage;
type Fields = Record<string, unknown>;

const key: SourceKey = { className: 'a.B', method: 'c', signature: '()V', file: 'B.java', line: -1 };
const settings: PageSettings = {
  myPackages: ['com.example'],
  mapping: { chosen: '/app/mapping.txt' },
  keys: { find: ['ctrl+f', '/'] },
  memoryBytes: 2 ** 30,
  texts: { 'open.waiting': 'Opening…' },
};
const names = [
  {
    path: '/shop',
    buildId: '0a',
    pid: 7,
    offsets: [16],
    frames: [[{ name: 'buy', file: 'shop.c', line: 3 }]],
  },
];
const toPage: One<HostMessage> = {
  open: { type: 'open', name: 'a.btrace', totalBytes: 7, live: true, settings },
  bytes: { type: 'bytes', offset: 0, data: new ArrayBuffer(7) },
  codeNames: { type: 'codeNames', names },
  end: { type: 'end' },
  settings: { type: 'settings', settings },
  baseline: { type: 'baseline', name: 'b.btrace', totalBytes: 0 },
  baselineBytes: { type: 'baselineBytes', data: new ArrayBuffer(0) },
  baselineCodeNames: { type: 'baselineCodeNames', names },
  baselineEnd: { type: 'baselineEnd' },
  noBaseline: { type: 'noBaseline', name: '', why: 'it is gone' },
  changedSources: { type: 'changedSources', files: ['A.java', ''] },
  reveal: { type: 'reveal', key },
  revealStretch: { type: 'revealStretch', thread: 2, beginNs: -5, endNs: 7e9 },
  problem: { type: 'problem', message: 'no' },
  retraceMapping: { type: 'retraceMapping', file: 'm', text: 'a -> b:', isOther: true },
  command: { type: 'command', command: 'zoomAll' },
};
const toHost: One<PageMessage> = {
  ready: { type: 'ready' },
  openSource: { type: 'openSource', key, how: 'peek', line: 12, isRecorded: true },
  wantRetraceMapping: { type: 'wantRetraceMapping', classes: ['a.b'], mapId: '' },
  compareWith: { type: 'compareWith', another: true },
  copy: { type: 'copy', text: 'x' },
  opened: { type: 'opened', threads: 1, samples: 2, problems: 3 },
  compared: { type: 'compared', problem: '' },
  notTrace: { type: 'notTrace', what: 'a picture' },
  failed: { type: 'failed', message: 'no' },
  kept: { type: 'kept', state: '{}' },
  exportHtml: { type: 'exportHtml' },
};
const sides: {
  side: string;
  messages: Message[];
  checker: (tell: (why: string) => void) => Checker<Message>;
}[] = [
  { side: 'the page', messages: Object.values(toPage), checker: hostMessageChecker },
  { side: 'the extension', messages: Object.values(toHost), checker: pageMessageChecker },
];
/** By path: fields that may be missing. */
const optional = /(?:^|\.)(?:mapping|keys|memoryBytes|isOther)$/;

const sparse: unknown[] = [];
sparse.length = 2 ** 32 - 1;
const throwing = {
  get line(): number {
    throw new Error('read');
  },
};
const wild: readonly unknown[] = [
  ...[undefined, null, true, false, 0, -1, 0.5, NaN, Infinity, 2 ** 60, 10n, Symbol('s')],
  ...['', 'toString', '__proto__', 'x'.repeat(2 ** 28 + 1), [], [1], [null], sparse, {}, { a: 1 }],
  ...[Object.create(null) as unknown, new Map(), new Uint8Array(3), () => 0, new Date(0), throwing],
  ...[Proxy.revocable({}, {})].map(({ proxy, revoke }) => (revoke(), proxy)),
];

const kind = (value: unknown): string =>
  types.isArrayBuffer(value)
    ? 'bytes'
    : types.isProxy(value)
      ? 'proxy'
      : Array.isArray(value)
        ? 'list'
        : typeof value;

/** Each place of a message: its path, what is there, and the message with something else there, or with nothing. */
function* places(
  value: unknown,
  path: string[] = [],
): Generator<{ path: string; own: unknown; put: (item: unknown) => unknown; without: () => unknown }> {
  if (typeof value !== 'object' || value === null || value instanceof ArrayBuffer) return;
  for (const [name, own] of Object.entries(value)) {
    const copy = (): Fields => (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Fields;
    const put = (item: unknown): unknown => Object.assign(copy(), { [name]: item });
    const without = (): unknown =>
      Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
    yield { path: [...path, name].join('.'), own, put, without };
    for (const inner of places(own, [...path, name]))
      yield { ...inner, put: (item) => put(inner.put(item)), without: () => put(inner.without()) };
  }
}

describe('messages between extension and page', () => {
  for (const { side, messages, checker } of sides) {
    const told: string[] = [];
    const check = checker((why) => told.push(why));

    it(`are taken as they are sent: to ${side}`, () => {
      for (const message of messages) {
        assert.equal(check(message), message);
        assert.ok(check(structuredClone(message)) !== undefined, JSON.stringify(message));
      }
      assert.deepEqual(told, []);
    });

    it(`are dropped where a field is missing or is of another kind: to ${side}`, () => {
      let dropped = 0;
      for (const message of messages)
        for (const { path, own, put, without } of places(message)) {
          const where = `${message.type}: ${path}`;
          const isItem = /\.\d+$|(?:keys|texts)\.[^.]+(?:\.[^.]+)?$/.test(path);
          if (!optional.test(path) && !isItem) {
            assert.equal(check(without()), undefined, `${where} is missing`);
            assert.equal(check(Object.setPrototypeOf(without(), { [path]: own })), undefined, where);
          }
          for (const value of wild) {
            const taken = check(put(value));
            const fits = kind(value) === kind(own) || (value === undefined && optional.test(path));
            if (!fits) assert.equal(taken, undefined, `${where} is ${kind(value)}`);
            if (taken === undefined) dropped++;
          }
        }
      assert.ok(dropped > 100, String(dropped));
    });

    it(`are dropped where they are none at all: to ${side}`, () => {
      for (const value of wild) {
        assert.equal(check(value), undefined);
        assert.equal(check([value]), undefined);
        assert.equal(check({ type: value }), undefined);
      }
      for (const type of ['constructor', 'hasOwnProperty', 'toString', 'evil', 'READY'])
        assert.equal(check({ type }), undefined);
    });
  }

  it('are dropped where a number, a text or a list is of an absurd size', () => {
    const page = hostMessageChecker(() => undefined);
    const host = pageMessageChecker(() => undefined);
    for (const totalBytes of [-1, 0.5, NaN, Infinity, 2 ** 60])
      assert.equal(page({ ...toPage.open, totalBytes }), undefined, String(totalBytes));
    assert.equal(host({ ...toHost.copy, text: 'x'.repeat(2 ** 28 + 1) }), undefined);
    assert.equal(host({ ...toHost.failed, message: 'x'.repeat(2 ** 24 + 1) }), undefined);
    assert.equal(host({ ...toHost.wantRetraceMapping, classes: sparse }), undefined);
    assert.equal(host({ ...toHost.openSource, key: { ...key, line: 1e300 } }), undefined);
    assert.equal(page({ ...toPage.command, command: 'toString' }), undefined);
    // A name of a mebibyte is one that a foreign trace may hold.
    assert.ok(host({ ...toHost.openSource, key: { ...key, method: 'x'.repeat(2 ** 20) } }));
  });

  it('log each reason once, without the content of the message', () => {
    const told: string[] = [];
    const check = pageMessageChecker((why) => told.push(why));
    for (let round = 0; round < 3; round++) {
      check({ type: `<b>${round}` });
      check({ ...toHost.copy, text: round });
      check({
        ...toHost.openSource,
        key: Object.defineProperties({ ...key }, Object.getOwnPropertyDescriptors(throwing)),
      });
      check({ ...toHost.openSource, key: { ...key, file: 3 } });
    }
    assert.deepEqual(told, [
      'A message has an unknown type; it was dropped.',
      'A message copy has no or a wrong text; it was dropped.',
      'A message cannot be read; it was dropped.',
      'A message openSource has no or a wrong key; it was dropped.',
    ]);
  });
});
