/** ELF files: of this machine, made for the test, and damaged. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from '../../rigs/properties.js';
import { Elf, ElfError } from '../../../src/symbols/native/elf.js';
import { readFrom } from '../../../src/symbols/read-at.js';
import { buildIdNote, elfFile, withSection } from '../../rigs/elf-file.js';

const walk = { name: '_ZN3art4walkEv', start: 0x1234 };
const file = elfFile([{ name: '_ZN3art5otherEv', start: 0x5678 }, walk, { name: 'walkEv', start: 1 }]);
const opened = (bytes: Buffer) => Elf.open(readFrom(bytes));

const note = (type: number, content: string): Buffer => {
  const bytes = buildIdNote(Buffer.from(content, 'hex'));
  bytes.writeUInt32LE(type, 8);
  return bytes;
};

/** The same with one segment, the notes. */
function withNotes(notes: Buffer): Buffer {
  const head = Buffer.from(file.subarray(0, 64));
  const segment = Buffer.alloc(56);
  segment.writeUInt32LE(4, 0);
  segment.writeBigUInt64LE(BigInt(file.length + 56), 8);
  segment.writeBigUInt64LE(BigInt(notes.length), 32);
  head.writeBigUInt64LE(BigInt(file.length), 32);
  head.writeUInt16LE(56, 54);
  head.writeUInt16LE(1, 56);
  return Buffer.concat([head, file.subarray(64), segment, notes]);
}

describe('an ELF file', () => {
  it('has the functions that are wanted, by their whole names', async () => {
    const found = await (await opened(file)).functions([walk.name, 'walkEv', 'alkEv', '_ZN3art4walk']);
    assert.deepEqual(
      [...found],
      [
        [walk.name, 0x1234n],
        ['walkEv', 1n],
      ],
    );
  });

  it('has its sections by name, and one more where one was added', async () => {
    const more = await opened(withSection(file, '.more', Buffer.from('content')));
    const section = await more.section('.more');
    assert.ok(section);
    assert.equal((await more.bytesOf(section, 7)).toString(), 'content');
    await assert.rejects(more.bytesOf(section, 6), /\.more is larger than 6 bytes/);
    assert.equal((await more.functions([walk.name])).get(walk.name), 0x1234n);
    assert.equal(await (await opened(file)).section('.more'), undefined);
  });

  it('says which build it is, where it does', async () => {
    const notes = Buffer.concat([note(1, '0102030405'), note(3, '00ff10')]);
    assert.equal(await (await opened(withNotes(notes))).buildId(), '00ff10');
    assert.equal(await (await opened(withNotes(note(1, '00')))).buildId(), undefined);
    await assert.rejects(
      opened(withNotes(notes).subarray(0, 130)).then((elf) => elf.buildId()),
      ElfError,
    );
  });

  it('of this machine is read as its linker wrote it', async function () {
    if (process.platform !== 'linux') this.skip();
    const elf = await opened(readFileSync(process.execPath));
    assert.ok((await elf.sections()).some(({ name, size }) => name === '.text' && size > 0));
  });

  it('that is damaged is an error of its own, or has less in it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        fc.nat(file.length),
        async (changes, end) => {
          const damaged = Buffer.from(file);
          for (const [at, value] of changes) damaged[at] = value;
          const whole = end % 2 === 0 ? damaged : damaged.subarray(0, end);
          try {
            const elf = await opened(whole);
            await elf.functions([walk.name]);
            await elf.buildId();
          } catch (error) {
            assert.ok(error instanceof ElfError, String(error));
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
