/**
 * Which processes Android lets the shell profile. No command of the shell says so (`dumpsys package` has no such flag); adbd itself knows, of
 * Android 12 and newer, and has it for Android Studio.
 */
import type { Adb, AdbFeature } from '@yume-chan/adb';
import { ProtobufReader } from '../../trace/formats/protobuf-reader.js';
import { within } from './patience.js';

const service = 'track-app';
const feature = 'track_app' as AdbFeature;
const answerMs = 3000;
/** A message begins with its length in hexadecimal digits. */
const lengthDigits = 4;

/** By their numbers; undefined where the device does not say. */
export async function profileableProcesses(adb: Adb): Promise<ReadonlySet<number> | undefined> {
  if (!adb.deviceFeatures.includes(feature)) return undefined;
  return await within(answerMs, firstMessage(adb)).then(profileableIn, () => undefined);
}

/** The list as it is now; the next ones would tell of changes. */
async function firstMessage(adb: Adb): Promise<Buffer> {
  const socket = await adb.createSocket(service);
  const reader = socket.readable.getReader();
  try {
    let said: Buffer = Buffer.alloc(0);
    for (;;) {
      const length = parseInt(said.toString('latin1', 0, lengthDigits), 16);
      if (said.length >= lengthDigits + length) return said.subarray(lengthDigits, lengthDigits + length);
      const { done, value } = await reader.read();
      if (done) throw new Error('it ended');
      said = Buffer.concat([said, value]);
    }
  } finally {
    await socket.close();
  }
}

/** Of adb's AppProcesses, a list of ProcessEntry: pid = 1, debuggable = 2, profileable = 3. */
export function profileableIn(message: Uint8Array): ReadonlySet<number> {
  const found = new Set<number>();
  const list = new ProtobufReader().open(message, 0, message.length);
  const entry = new ProtobufReader();
  while (list.next()) {
    if (list.field !== 1 || list.wireType !== 2) continue;
    let pid = 0;
    let profileable = false;
    entry.open(message, list.from, list.to);
    while (entry.next()) {
      if (entry.wireType !== 0) continue;
      if (entry.field === 1) pid = entry.unsigned;
      if (entry.field === 3) profileable = entry.low !== 0;
    }
    if (profileable) found.add(pid);
  }
  return found;
}
