// A second Android Runtime beside the packaged one: Android 14's, as Debian 13 packages it, with the C library that it is linked to.
// It runs on older systems through its own loader (test/rigs/art/runtime.ts).
import { existsSync } from 'node:fs';
import path from 'node:path';
import { unpackDebian } from './debian.mjs';

const packages = [
  'android-libart',
  'android-libbacktrace',
  'android-libbase',
  'android-libcutils',
  'android-liblog',
  'android-libnativebridge',
  'android-libnativeloader',
  'android-libunwind',
  'android-libutils',
  'android-libziparchive',
  '7zip',
  'libc6',
  'libfmt10',
  'libgcc-s1',
  'liblz4-1',
  'liblzma5',
  'libstdc++6',
  'libtinyxml2-11',
  'zlib1g',
];

const home = (cache) => path.join(cache, 'art14-trixie');

export function findArt14(cache) {
  const libraries = path.join(home(cache), 'usr/lib/x86_64-linux-gnu/android');
  return existsSync(path.join(libraries, 'libart.so.0')) ? { at: libraries } : undefined;
}

export async function installArt14(cache, say) {
  return await unpackDebian({ suite: 'trixie', packages, to: home(cache) }, say);
}
