/**
 * What Android writes into the kernel's trace while a thread waits for a lock, as the name of a slice:
 *
 * - "monitor contention with owner NAME (TID) at METHOD(FILE:LINE) waiters=N blocking from METHOD(FILE:LINE)": Java's
 *   monitors. The owner's method is left out where the runtime does not know it.
 * - "Lock contention on NAME (owner tid: N)": the runtime's own locks.
 * - "Contending for pthread mutex", with "owned by tid: N" or "mutex owner: N" behind it, or nothing: the C library's.
 *
 * Cost: a few searches in a text of at most 4 KB. Names in it may hold any text: what is read wrong is a name or a line.
 */
import { idIn, lineIn } from '../assemble/number-gate.js';
import { SampleKind } from '../model/kinds.js';

export interface ContentionPlace {
  /** "com.example.Shop.add" */
  readonly method: string;
  /** Empty and 0 where it is not known. */
  readonly file: string;
  readonly line: number;
}

export interface Contention {
  /** SampleKind. */
  readonly kind: number;
  /** Empty for monitors: their class is not told. */
  readonly lock: string;
  readonly ownerName: string;
  /** 0 unknown. Some versions write the runtime's own small number of the thread here. */
  readonly ownerTid: number;
  /** Where the owner took the lock, and where the thread waits for it. */
  readonly owned: ContentionPlace | undefined;
  readonly blocked: ContentionPlace | undefined;
}

const monitor = 'monitor contention with owner ';
const runtimeLock = 'Lock contention on ';
const mutex = 'Contending for pthread mutex';
const firstBytes = [monitor, runtimeLock, mutex].map((text) => text.charCodeAt(0));

/** Whether a slice whose name begins with this byte may be one: most are not, and their text need not be made. */
export const mayBeContention = (firstByte: number): boolean => firstBytes.includes(firstByte);

export function readContention(text: string): Contention | undefined {
  if (text.startsWith(monitor)) return readMonitor(text.slice(monitor.length));
  if (text.startsWith(runtimeLock)) return readRuntimeLock(text.slice(runtimeLock.length));
  if (!text.startsWith(mutex)) return undefined;
  const ownerTid = idIn(/(?:tid|owner): (\d{1,10})$/.exec(text)?.[1]);
  return { ...unknown, kind: SampleKind.Mutex, lock: 'pthread mutex', ownerTid };
}

const unknown = { ownerName: '', ownerTid: 0, owned: undefined, blocked: undefined };

function readMonitor(text: string): Contention {
  const from = ' blocking from ';
  const fromAt = text.lastIndexOf(from);
  const blocked = fromAt < 0 ? undefined : placeIn(text.slice(fromAt + from.length));
  const head = fromAt < 0 ? text : text.slice(0, fromAt);
  const waitersAt = head.lastIndexOf(' waiters=');
  const owner = waitersAt < 0 ? head : head.slice(0, waitersAt);
  // A thread's name may hold anything; a method's has no ") at ".
  const at = ') at ';
  const atAt = owner.lastIndexOf(at);
  const who = atAt < 0 ? owner : owner.slice(0, atAt + 1);
  const tidAt = who.lastIndexOf(' (');
  const tid = tidAt < 0 ? undefined : /^(\d{1,10})\)$/.exec(who.slice(tidAt + 2))?.[1];
  return {
    kind: SampleKind.Monitor,
    lock: '',
    ownerName: tid === undefined ? who : who.slice(0, tidAt),
    ownerTid: idIn(tid),
    owned: atAt < 0 ? undefined : placeIn(owner.slice(atAt + at.length)),
    blocked,
  };
}

function readRuntimeLock(text: string): Contention {
  const at = text.lastIndexOf(' (owner tid: ');
  const lock = at < 0 ? text : text.slice(0, at);
  // What many threads share has an owner of −1, as 64 bits without a sign.
  const ownerTid = at < 0 ? 0 : idIn(/: (\d{1,10})\)$/.exec(text.slice(at))?.[1]);
  const isMonitors = lock === 'a monitor lock';
  return {
    ...unknown,
    kind: isMonitors ? SampleKind.Monitor : SampleKind.Mutex,
    lock: isMonitors ? '' : lock,
    ownerTid,
  };
}

/** "void com.example.Shop.add(int, long)(Shop.java:12)". Undefined where the text was cut off within the method. */
function placeIn(text: string): ContentionPlace | undefined {
  const argumentsAt = text.indexOf('(');
  if (argumentsAt < 0) return undefined;
  const method = text.slice(text.lastIndexOf(' ', argumentsAt) + 1, argumentsAt);
  if (method === '') return undefined;
  const isWhole = text.endsWith(')');
  const lineAt = text.lastIndexOf(':');
  const fileAt = text.lastIndexOf('(');
  if (!isWhole || lineAt < fileAt || fileAt === argumentsAt) return { method, file: '', line: 0 };
  const file = text.slice(fileAt + 1, lineAt);
  return { method, file: file === 'null' ? '' : file, line: lineIn(text.slice(lineAt + 1, -1)) };
}
