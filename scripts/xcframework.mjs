// Lays out a framework of the agent for all of Apple's systems, as `xcodebuild -create-xcframework` does, without Xcode.
//   node scripts/xcframework.mjs [--to FOLDER.xcframework] [LIBRARY…]
// Without names it builds the agent for iOS, its simulators and macOS, and takes those. FOLDER: build/BTrace.xcframework.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { run } from './process.mjs';
import { root, setupOrStop } from './setup.mjs';
import { words } from './words.mjs';

const presets = ['ios-arm64', 'ios-simulator-arm64', 'ios-simulator-x86_64', 'macos-arm64', 'macos-x86_64'];
const limitMs = 15 * 60_000;

/** <mach-o/loader.h>, <mach/machine.h> */
const magic = 0xfeedfacf;
const dynamicLibrary = 6;
const buildVersion = 0x32;
const headerBytes = 32;
const processors = new Map([
  [0x01000007, 'x86_64'],
  [0x0100000c, 'arm64'],
]);
const systems = new Map([
  [1, { platform: 'macos' }],
  [2, { platform: 'ios' }],
  [7, { platform: 'ios', variant: 'simulator' }],
]);

/** For which system and processor a library is. Throws for what is no such library. */
export function libraryFacts(file, bytes) {
  const refuse = (why) => new Error(`${file}: ${why}`);
  if (bytes.length < headerBytes || bytes.readUInt32LE(0) !== magic)
    throw refuse('no Mach-O file of 64 bits');
  const architecture = processors.get(bytes.readUInt32LE(4));
  if (architecture === undefined) throw refuse('for a processor that is not known');
  if (bytes.readUInt32LE(12) !== dynamicLibrary) throw refuse('no dynamic library');
  for (let at = headerBytes, left = bytes.readUInt32LE(16); left > 0 && at + 12 <= bytes.length; left--) {
    const size = bytes.readUInt32LE(at + 4);
    if (bytes.readUInt32LE(at) === buildVersion) {
      const system = systems.get(bytes.readUInt32LE(at + 8));
      if (system === undefined) throw refuse('for a system that is not known');
      return { file, bytes, architecture, ...system };
    }
    if (size < 8) break;
    at += size;
  }
  throw refuse('it does not say for which system it is');
}

/** <mach-o/fat.h>: several processors' libraries in one file, each on a page of its own. */
const fatMagic = 0xcafebabe;
const pageBits = 14;

function oneFile(libraries) {
  const page = 1 << pageBits;
  const onPage = (at) => Math.ceil(at / page) * page;
  const head = Buffer.alloc(onPage(8 + 20 * libraries.length));
  head.writeUInt32BE(fatMagic, 0);
  head.writeUInt32BE(libraries.length, 4);
  const parts = [head];
  let at = head.length;
  for (const [row, { bytes }] of libraries.entries()) {
    const words = [bytes.readUInt32LE(4), bytes.readUInt32LE(8), at, bytes.length, pageBits];
    for (const [column, word] of words.entries()) head.writeUInt32BE(word, 8 + 20 * row + 4 * column);
    const filled = Buffer.alloc(onPage(bytes.length));
    bytes.copy(filled);
    parts.push(filled);
    at += filled.length;
  }
  return Buffer.concat(parts);
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function property(value, indent) {
  const inner = `${indent}\t`;
  if (typeof value === 'string') return `${indent}<string>${escaped(value)}</string>\n`;
  if (Array.isArray(value))
    return `${indent}<array>\n${value.map((one) => property(one, inner)).join('')}${indent}</array>\n`;
  const entries = Object.entries(value).map(
    ([key, one]) => `${inner}<key>${escaped(key)}</key>\n${property(one, inner)}`,
  );
  return `${indent}<dict>\n${entries.join('')}${indent}</dict>\n`;
}

const propertyList = (value) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${property(value, '')}</plist>
`;

/** Writes the framework, in the place of one that is there. `headers`: what a program includes or imports. */
export function layOutFramework(to, files, headers) {
  if (!to.endsWith('.xcframework'))
    throw new Error(`${to}: the name of such a folder ends with .xcframework`);
  const groups = new Map();
  for (const file of files) {
    const library = libraryFacts(file, readFileSync(file));
    const key = [library.platform, library.variant].join(' ');
    const group = groups.get(key) ?? [];
    const same = group.find(({ architecture }) => architecture === library.architecture);
    if (same !== undefined) throw new Error(`${file}: ${same.file} is for the same system and processor`);
    groups.set(key, [...group, library]);
  }
  rmSync(to, { recursive: true, force: true });
  const libraries = [...groups.values()].map((group) => {
    group.sort((a, b) => (a.architecture < b.architecture ? -1 : 1));
    const [{ file, platform, variant }] = group;
    const architectures = group.map(({ architecture }) => architecture);
    const identifier = [platform, architectures.join('_'), ...(variant ? [variant] : [])].join('-');
    const name = path.basename(file);
    mkdirSync(path.join(to, identifier, 'Headers'), { recursive: true });
    const bytes = group.length === 1 ? group[0].bytes : oneFile(group);
    writeFileSync(path.join(to, identifier, name), bytes, { mode: 0o755 });
    for (const header of headers)
      copyFileSync(header, path.join(to, identifier, 'Headers', path.basename(header)));
    return {
      BinaryPath: name,
      HeadersPath: 'Headers',
      LibraryIdentifier: identifier,
      LibraryPath: name,
      SupportedArchitectures: architectures,
      SupportedPlatform: platform,
      ...(variant && { SupportedPlatformVariant: variant }),
    };
  });
  libraries.sort((a, b) => (a.LibraryIdentifier < b.LibraryIdentifier ? -1 : 1));
  const facts = {
    AvailableLibraries: libraries,
    CFBundlePackageType: 'XFWK',
    XCFrameworkFormatVersion: '1.0',
  };
  writeFileSync(path.join(to, 'Info.plist'), propertyList(facts));
  return libraries.map(({ LibraryIdentifier }) => LibraryIdentifier);
}

/** Of the agent. */
export const agentHeaders = ['btrace.h', 'module.modulemap'].map((name) =>
  path.join(root, 'native-agent/in-app', name),
);

async function builtLibraries() {
  await setupOrStop(['clang']);
  const cwd = path.join(root, 'native-agent');
  for (const preset of presets)
    for (const args of [
      ['--preset', preset],
      ['--build', '--preset', preset],
    ]) {
      const { code, error, text } = await run('cmake', args, { cwd, limitMs });
      if (code !== 0) throw new Error(`cmake ${args.join(' ')}: ${error ?? `exit code ${code}`}\n${text}`);
    }
  return presets.map((preset) => path.join(root, 'build/native', preset, 'libbtrace.dylib'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { to, names } = words(import.meta.url, { values: ['to'], names: true });
  const missing = names.filter((name) => !existsSync(name));
  try {
    if (missing.length > 0) throw new Error(`There is no ${missing.join(', ')}.`);
    const files = names.length > 0 ? names : await builtLibraries();
    const folder = to ?? path.join(root, 'build/BTrace.xcframework');
    const parts = layOutFramework(folder, files, agentHeaders);
    console.log(`${folder}: ${parts.join(', ')}`);
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
