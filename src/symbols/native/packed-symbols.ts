/**
 * The part of a file's debug information that distributions keep in the file itself, packed with xz (`.gnu_debugdata`): an ELF file
 * that has the names of functions which are not exported.
 */
import * as xz from 'xz-decompress';
import { readFrom } from '../read-at.js';
import { Elf, ElfError } from './elf.js';

/** A CommonJS module, which Node gives as the default export of one, and bundlers as it is. */
const { XzReadableStream } = (xz as { default?: typeof xz }).default ?? xz;

/** Real ones are a tenth of these. */
const mostPackedBytes = 8 << 20;
const mostUnpackedBytes = 32 << 20;

/** Undefined where the file has none. Throws an ElfError where it cannot be unpacked. */
export async function packedSymbols(elf: Elf): Promise<Elf | undefined> {
  const section = await elf.section('.gnu_debugdata');
  if (section === undefined) return undefined;
  return await Elf.open(readFrom(await unpacked(await elf.bytesOf(section, mostPackedBytes))));
}

async function unpacked(packed: Buffer): Promise<Buffer> {
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(packed);
      controller.close();
    },
  });
  const reader = new XzReadableStream(source).getReader();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw new ElfError('it cannot be unpacked', { cause: error });
    });
    if (done) return Buffer.concat(pieces);
    pieces.push(value);
    bytes += value.length;
    if (bytes <= mostUnpackedBytes) continue;
    await reader.cancel();
    throw new ElfError(`it unpacks to more than ${mostUnpackedBytes} bytes`);
  }
}
