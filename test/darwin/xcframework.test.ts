// The framework for Xcode, of the libraries that are built here and of made ones for the other machines.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { agentHeaders, layOutFramework } from '../../scripts/xcframework.mjs';
import { MachO } from '../../src/symbols/native/macho.js';
import { readPropertyList } from '../../src/targets/ios/property-list.js';
import { buildLimitMs } from '../abi/build.js';
import { darwinLibrary, whyNoDarwin } from '../rigs/darwin/darwin.js';
import { lasts } from '../rigs/until.js';

const processors = { x86_64: [0x01000007, 3], arm64: [0x0100000c, 0] } as const;
const systems = { macos: 1, ios: 2, tvos: 3, simulator: 7 } as const;

/** A library of a header and what says for which system it is, with a UUID of this one byte. */
function made(
  processor: keyof typeof processors,
  system: keyof typeof systems,
  uuid: number,
  kind = 6,
): Buffer {
  const bytes = Buffer.alloc(32 + 24 + 24);
  const [cpu, subtype] = processors[processor];
  for (const [at, word] of [0xfeedfacf, cpu, subtype, kind, 2, 48].entries())
    bytes.writeUInt32LE(word, at * 4);
  bytes.writeUInt32LE(0x1b, 32);
  bytes.writeUInt32LE(24, 36);
  bytes.fill(uuid, 40, 56);
  for (const [at, word] of [0x32, 24, systems[system]].entries()) bytes.writeUInt32LE(word, 56 + at * 4);
  return bytes;
}

/** The same library, as if it had been built for macOS. */
function forMacos(bytes: Buffer): Buffer {
  for (let at = 32; ; at += bytes.readUInt32LE(at + 4)) {
    if (bytes.readUInt32LE(at) !== 0x32) continue;
    bytes.writeUInt32LE(systems.macos, at + 8);
    return bytes;
  }
}

const library = (
  identifier: string,
  architectures: string[],
  platform: string,
  variant?: string,
): object => ({
  BinaryPath: 'libbtrace.dylib',
  HeadersPath: 'Headers',
  LibraryIdentifier: identifier,
  LibraryPath: 'libbtrace.dylib',
  SupportedArchitectures: architectures,
  SupportedPlatform: platform,
  ...(variant !== undefined && { SupportedPlatformVariant: variant }),
});

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();

describe('BTrace.xcframework', function () {
  const folder = mkdtempSync(path.join(tmpdir(), 'xcframework-'));
  const to = path.join(folder, 'BTrace.xcframework');
  let count = 0;
  const written = (bytes: Buffer, name = 'libbtrace.dylib'): string => {
    const own = mkdtempSync(path.join(folder, `${count++}-`));
    const file = path.join(own, name);
    writeFileSync(file, bytes);
    return file;
  };
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('has the libraries of this agent, each for its system, with its headers', function () {
    lasts(this, buildLimitMs);
    if (whyNoDarwin('x86_64') !== undefined || whyNoDarwin('arm64') !== undefined) this.skip();
    const files = [darwinLibrary('x86_64'), darwinLibrary('arm64')];
    assert.deepEqual(layOutFramework(to, files, agentHeaders), ['ios-arm64', 'macos-x86_64']);
    const parts = ['Headers/btrace.h', 'Headers/module.modulemap', 'libbtrace.dylib'];
    assert.deepEqual(filesBelow(to), [
      'Info.plist',
      ...['ios-arm64', 'macos-x86_64'].flatMap((one) => parts.map((part) => `${one}/${part}`)),
    ]);
    for (const [at, one] of ['macos-x86_64', 'ios-arm64'].entries())
      assert.ok(readFileSync(path.join(to, one, 'libbtrace.dylib')).equals(readFileSync(files[at]!)));
    assert.deepEqual(readPropertyList(readFileSync(path.join(to, 'Info.plist'))), {
      AvailableLibraries: [
        library('ios-arm64', ['arm64'], 'ios'),
        library('macos-x86_64', ['x86_64'], 'macos'),
      ],
      CFBundlePackageType: 'XFWK',
      XCFrameworkFormatVersion: '1.0',
    });
  });

  it('has one file for both processors of a system', async function () {
    const files = [
      written(made('x86_64', 'simulator', 1)),
      written(made('arm64', 'ios', 2)),
      written(made('arm64', 'simulator', 3)),
    ];
    assert.deepEqual(layOutFramework(to, files, agentHeaders), ['ios-arm64', 'ios-arm64_x86_64-simulator']);
    const plist = readPropertyList(readFileSync(path.join(to, 'Info.plist')));
    assert.deepEqual((plist as { AvailableLibraries: unknown }).AvailableLibraries, [
      library('ios-arm64', ['arm64'], 'ios'),
      library('ios-arm64_x86_64-simulator', ['arm64', 'x86_64'], 'ios', 'simulator'),
    ]);
    const both = path.join(to, 'ios-arm64_x86_64-simulator', 'libbtrace.dylib');
    const bytes = readFileSync(both);
    const slices = await MachO.open((at, length) => Promise.resolve(bytes.subarray(at, at + length)));
    assert.deepEqual(
      slices.map((slice) => slice.uuid()),
      ['03'.repeat(16), '01'.repeat(16)],
    );
  });

  it('gives the tools of LLVM each processor its own library back', function () {
    lasts(this, buildLimitMs);
    if (whyNoDarwin('x86_64') !== undefined || whyNoDarwin('arm64') !== undefined) this.skip();
    const arm = forMacos(readFileSync(darwinLibrary('arm64')));
    const intel = darwinLibrary('x86_64');
    assert.deepEqual(layOutFramework(to, [written(arm), intel], agentHeaders), ['macos-arm64_x86_64']);
    const both = path.join(to, 'macos-arm64_x86_64', 'libbtrace.dylib');
    for (const [processor, bytes] of [
      ['arm64', arm],
      ['x86_64', readFileSync(intel)],
    ] as const) {
      const thin = path.join(folder, processor);
      execFileSync('llvm-lipo-19', [both, '-thin', processor, '-output', thin]);
      assert.ok(readFileSync(thin).equals(bytes), processor);
    }
  });

  it('takes no other files, not two for one machine, and replaces no other folder', () => {
    const arm = written(made('arm64', 'ios', 1));
    for (const [files, says] of [
      [[written(Buffer.from('no library'))], /no Mach-O file/],
      [[written(made('arm64', 'ios', 1, 2))], /no dynamic library/],
      [[written(made('arm64', 'tvos', 1))], /a system that is not known/],
      [[written(made('arm64', 'ios', 1).subarray(0, 56))], /does not say for which system/],
      [[arm, written(made('arm64', 'ios', 2))], /for the same system and processor/],
    ] as const)
      assert.throws(() => layOutFramework(to, files, agentHeaders), says);
    assert.throws(() => layOutFramework(folder, [arm], agentHeaders), /ends with \.xcframework/);
  });
});
