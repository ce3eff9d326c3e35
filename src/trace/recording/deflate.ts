/** Raw deflate (RFC 1951) with hard bounds: a bomb costs what the chunk's header allows, not what it unfolds to. */
import { deflateSync, Inflate, inflateSync } from 'fflate';
import { DamageError } from './wire.js';

/** Deflate unfolds a byte to 1032 at most; a slice of input this long can overrun its bound by 16 MiB, no more. */
const sliceBytes = 16 * 1024;
const maxRatio = 1032;

export function deflate(bytes: Uint8Array): Uint8Array {
  return deflateSync(bytes, { level: 6 });
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
      throw new DamageError(`its deflated payload unfolds beyond the ${rawLength} bytes it names`);
  }
  return out.subarray(0, size);
}
