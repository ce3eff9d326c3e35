/**
 * Calls from one process to another: what the kernel's binder events say of both ends, and Android's slices of interfaces,
 * "AIDL::java::IShop::add::client" and "…::server". A call that waits for its reply is a wait of the caller.
 *
 * Cost: a sort of the events and a look-up each. Memory: 30 bytes an event, and an object for each call.
 */
import type { EventBuilder, EventThread } from '../assemble/event-builder.js';
import { sortRows } from '../assemble/sort-rows.js';
import type { WaitSlice } from '../assemble/wait-slices.js';
import { SampleKind } from '../model/kinds.js';
import type { NameTable } from './names.js';

const oneWay = 1;
const sent = 0;
const replied = 1;
const received = 2;

interface Call {
  readonly begin: number;
  readonly caller: EventThread;
  /** Its process, where the receiver is not known. */
  readonly toPid: number;
  server: EventThread | undefined;
  receivedAt: number;
}

/** "AIDL::java::IShop::add::client" → "IShop.add", and which end it is; undefined for other names. */
export function readAidl(text: string): { readonly callee: string; readonly isServer: boolean } | undefined {
  if (!text.startsWith('AIDL::') && !text.startsWith('HIDL::')) return undefined;
  const parts = text.split('::');
  const end = parts.at(-1)?.toLowerCase() ?? '';
  if (parts.length < 4 || !/^(?:cpp)?(?:client|server)$/.test(end)) return undefined;
  return { callee: `${parts.at(-3)}.${parts.at(-2)}`, isServer: end.endsWith('server') };
}

export class BinderCalls {
  readonly #time: number[] = [];
  readonly #tid: number[] = [];
  readonly #what: number[] = [];
  readonly #id: number[] = [];
  readonly #to: number[] = [];
  /** Begins of slices of interfaces: when, on which thread, of which method. */
  readonly #aidl: { readonly time: number; readonly tid: number; readonly method: number }[] = [];
  readonly #known = new Map<number, ReturnType<typeof readAidl>>();

  get memoryBytes(): number {
    return 200 * this.#time.length + 60 * this.#aidl.length;
  }

  sent(time: number, tid: number, id: number, toPid: number, isReply: boolean, flags: number): void {
    if (!isReply && (flags & oneWay) !== 0) return;
    this.#push(time, tid, isReply ? replied : sent, id, toPid);
  }

  received(time: number, tid: number, id: number): void {
    this.#push(time, tid, received, id, 0);
  }

  #push(time: number, tid: number, what: number, id: number, to: number): void {
    this.#time.push(time);
    this.#tid.push(tid);
    this.#what.push(what);
    this.#id.push(id);
    this.#to.push(to);
  }

  /** A slice whose name begins with "A" or "H" began. */
  began(time: number, tid: number, method: number, names: NameTable): void {
    let known = this.#known.get(method);
    if (known === undefined && !this.#known.has(method))
      this.#known.set(method, (known = readAidl(names.text(method))));
    if (known !== undefined) this.#aidl.push({ time, tid, method });
  }

  /** `isShown`: whether calls of a thread are of interest: traces have those of the whole system. */
  finish(
    builder: EventBuilder,
    names: NameTable,
    threadOf: (tid: number) => EventThread,
    processName: (pid: number) => string | undefined,
    isShown: (caller: EventThread) => boolean,
  ): void {
    this.#aidl.sort((a, b) => a.time - b.time);
    if (this.#time.length > 0) this.#fromKernel(builder, names, threadOf, processName, isShown);
    else this.#fromSlices(builder, threadOf);
  }

  #fromKernel(
    builder: EventBuilder,
    names: NameTable,
    threadOf: (tid: number) => EventThread,
    processName: (pid: number) => string | undefined,
    isShown: (caller: EventThread) => boolean,
  ): void {
    const calling = names.internText('binder transaction');
    const serving = names.internText('binder reply');
    builder.waitSlices.set(calling, waitFor(builder, ''));
    const servers = this.#serverBegins();
    const calls = new Map<number, Call>();
    const replies = new Map<number, Call>();
    /** What each thread serves, the innermost last: also what is not shown, as its replies come in between. */
    const served = new Map<EventThread, Call[]>();
    for (const row of sortRows(Float64Array.from(this.#time), this.#time.length)) {
      const time = this.#time[row] as number;
      const id = this.#id[row] as number;
      const thread = threadOf(this.#tid[row] as number);
      if (this.#what[row] === sent) {
        const toPid = this.#to[row] as number;
        calls.set(id, { begin: time, caller: thread, toPid, server: undefined, receivedAt: NaN });
      } else if (this.#what[row] === replied) {
        const call = served.get(thread)?.pop();
        if (call === undefined || !isShown(call.caller)) continue;
        thread.events.slice(call.receivedAt, time, serving);
        replies.set(id, call);
      } else {
        const call = calls.get(id);
        if (call !== undefined) {
          calls.delete(id);
          call.server = thread;
          call.receivedAt = time;
          const stack = served.get(thread);
          if (stack === undefined) served.set(thread, [call]);
          else stack.push(call);
        }
        const answered = replies.get(id);
        if (answered === undefined) continue;
        replies.delete(id);
        // It is another call's: an event of one of them was lost.
        if (answered.caller !== thread) continue;
        answered.caller.events.slice(answered.begin, time, calling);
        const callee = this.#calleeOf(answered, time, servers);
        builder.tellWait(answered.caller, answered.begin, {
          type: builder.className(callee || (processName(answered.toPid) ?? '')),
          owner: answered.server,
          ownerBegin: answered.receivedAt,
        });
      }
    }
  }

  /** By thread, the begins of slices of interfaces that it serves, in order of time. */
  #serverBegins(): Map<number, { readonly time: number; readonly callee: string }[]> {
    const begins = new Map<number, { readonly time: number; readonly callee: string }[]>();
    for (const { time, tid, method } of this.#aidl) {
      const known = this.#known.get(method);
      if (known?.isServer !== true) continue;
      const of = begins.get(tid);
      if (of === undefined) begins.set(tid, [{ time, callee: known.callee }]);
      else of.push({ time, callee: known.callee });
    }
    return begins;
  }

  /** The interface and method that the server came to first after it had the call. */
  #calleeOf(
    { server, receivedAt }: Call,
    until: number,
    begins: ReadonlyMap<number, readonly { readonly time: number; readonly callee: string }[]>,
  ): string {
    const of = begins.get(server?.tid ?? 0) ?? [];
    let [low, high] = [0, of.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((of[middle]?.time ?? 0) < receivedAt) low = middle + 1;
      else high = middle;
    }
    const first = of[low];
    return first !== undefined && first.time <= until ? first.callee : '';
  }

  /** Without the kernel's events: a call waits for the next begin of its method on a thread that serves it. */
  #fromSlices(builder: EventBuilder, threadOf: (tid: number) => EventThread): void {
    const waiting = new Map<string, { readonly time: number; readonly tid: number }[]>();
    for (const { time, tid, method } of this.#aidl) {
      const known = this.#known.get(method);
      if (known === undefined) continue;
      if (!known.isServer) {
        if (!builder.waitSlices.has(method)) builder.waitSlices.set(method, waitFor(builder, known.callee));
        const clients = waiting.get(known.callee);
        if (clients === undefined) waiting.set(known.callee, [{ time, tid }]);
        else clients.push({ time, tid });
        continue;
      }
      // Of several calls the last one is the likeliest: those before it may have been served where nothing is traced.
      const clients = waiting.get(known.callee);
      const client = clients?.pop();
      if (client === undefined || client.tid === tid) continue;
      const owner = threadOf(tid);
      builder.tellWait(threadOf(client.tid), client.time, {
        type: builder.className(known.callee),
        owner,
        ownerBegin: time,
      });
    }
  }
}

const waitFor = (builder: EventBuilder, callee: string): WaitSlice => ({
  kind: SampleKind.Binder,
  type: builder.className(callee),
  within: -1,
  line: 0,
  ownerMethod: -1,
  ownerLine: 0,
  owners: new Map(),
});
