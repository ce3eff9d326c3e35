/** Raw deflate (RFC 1951) with hard bounds: a bomb costs what the chunk's header allows, not what it inflates to. */
import { Deflate, deflateSync, Inflate, inflateSync } from 'fflate';
import { DamageError } from './wire.js';

/** Deflate inflates a byte to 1032 at most; a slice of input this long can overrun its bound by 16 MiB, no more. */
const sliceBytes = 16 * 1024;
const maxRatio = 1032;

const level = 6;
/** What is shorter is not worth a code of its own. */
const shortestPart = 128;

/**
 * Deflates; `cuts` are places, in order, where the bytes become others: each part between them gets a code of its own, which saves
 * 2 % of samples, whose columns have little in common.
 */
export function deflate(bytes: Uint8Array, cuts: readonly number[] = []): Uint8Array {
  if (cuts.length === 0) return deflateSync(bytes, { level });
  const parts: Uint8Array[] = [];
  let size = 0;
  const stream = new Deflate({ level }, (part) => {
    parts.push(part);
    size += part.length;
  });
  let from = 0;
  for (const cut of cuts) {
    if (cut - from < shortestPart) continue;
    stream.push(bytes.subarray(from, cut));
    stream.flush();
    from = cut;
  }
  stream.push(bytes.subarray(from), true);
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Inflates to exactly `rawLength` bytes, or throws a DamageError. */
export function inflate(bytes: Uint8Array, rawLength: number): Uint8Array {
  const inflated =
    bytes.length <= sliceBytes || bytes.length * maxRatio <= rawLength * 4
      ? inflateWhole(bytes, rawLength)
      : inflateSlices(bytes, rawLength);
  if (inflated.length !== rawLength) {
    throw new DamageError(
      `its deflated payload holds ${inflated.length} bytes, not the ${rawLength} it names`,
    );
  }
  return inflated;
}

function inflateWhole(bytes: Uint8Array, rawLength: number): Uint8Array {
  try {
    // One byte more than named: whether it overruns shows in the length.
    return inflateSync(bytes, { out: new Uint8Array(rawLength + 1) });
  } catch (error) {
    throw new DamageError('its deflated payload is damaged', { cause: error });
  }
}

function inflateSlices(bytes: Uint8Array, rawLength: number): Uint8Array {
  const out = new Uint8Array(rawLength);
  let size = 0;
  const stream = new Inflate((part) => {
    if (size + part.length <= rawLength) out.set(part, size);
    size += part.length;
  });
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    try {
      stream.push(bytes.subarray(at, at + sliceBytes), at + sliceBytes >= bytes.length);
    } catch (error) {
      throw new DamageError('its deflated payload is damaged', { cause: error });
    }
    if (size > rawLength)
      throw new DamageError(`its deflated payload inflates beyond the ${rawLength} bytes it names`);
  }
  return out.subarray(0, size);
}
