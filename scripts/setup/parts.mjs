// What this project needs from the machine, part by part: how it is found, how it is installed, what it is called elsewhere.
import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { findArt14, installArt14 } from './art14.mjs';
import { findJdk21, installJdk21 } from './jdk21.mjs';
import { installNpmPackages, npmPackagesLack } from './npm.mjs';
import { findVSCode, installVSCode } from './vscode.mjs';

export const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
export const cache = path.join(root, '.cache');

const executable = process.platform === 'win32' ? '.exe' : '';

/** The first of `names` that PATH has. */
function which(...names) {
  for (const name of names) {
    for (const dir of (process.env.PATH ?? '').split(path.delimiter)) {
      const file = path.join(dir, name + executable);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        continue;
      }
    }
  }
  return undefined;
}

function all(...names) {
  const found = names.map((name) => which(name));
  return found.includes(undefined) ? undefined : { at: found[0] };
}

/** What commands said, by their path: tests ask for the JDK at each program that they start, and `javac` takes half a second. */
const versions = new Map();

function versionOf(command, pattern) {
  if (!versions.has(command)) {
    try {
      const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] };
      versions.set(command, execFileSync(command, ['-version'], options));
    } catch {
      return undefined; // it may be installed yet
    }
  }
  return versions.get(command).match(pattern)?.[1];
}

function findJdk() {
  const onPath = which('javac');
  const installed = existsSync('/usr/lib/jvm')
    ? readdirSync('/usr/lib/jvm').map((name) => `/usr/lib/jvm/${name}`)
    : [];
  const homes = [
    process.env.JAVA_HOME,
    onPath && path.dirname(path.dirname(realpathSync(onPath))),
    ...installed,
  ];
  for (const home of homes) {
    if (!home || !existsSync(path.join(home, 'include/jvmti.h'))) continue;
    const version = versionOf(path.join(home, 'bin/javac'), /javac (\d+)/);
    if (Number(version) >= 17) return { at: home, version };
  }
  return undefined;
}

function findChromium() {
  const asked = process.env.BTRACE_CHROMIUM;
  if (asked) return existsSync(asked) ? { at: asked } : undefined;
  const usual = [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    'C:/Program Files/Google/Chrome/Application/chrome.exe',
    'C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe',
  ].find((file) => existsSync(file));
  const at = which('chromium', 'google-chrome-stable', 'google-chrome') ?? usual;
  return at ? { at } : undefined;
}

function findArt() {
  if (!which('xz')) return undefined; // its variants pack their symbols
  for (const triplet of existsSync('/usr/lib') ? readdirSync('/usr/lib') : []) {
    const libraries = path.join('/usr/lib', triplet, 'android');
    if (existsSync(path.join(libraries, 'libart.so.0'))) return { at: libraries };
  }
  return undefined;
}

const artPackages =
  'android-libart android-libbacktrace android-libbase android-liblog android-libnativebridge android-libnativeloader android-libziparchive liblz4-1 xz-utils';

/**
 * Each part: `why` it is wanted, `find()` → {at, …} or nothing, and either `packages` (names by package manager; a list inside a
 * list is alternatives) or `install(say)` → why it failed, or nothing.
 */
export const parts = {
  npm: {
    why: 'the packages of package-lock.json',
    find: () => (npmPackagesLack(root) ? undefined : { at: path.join(root, 'node_modules') }),
    lacks: () => npmPackagesLack(root),
    install: async (say) => {
      say('npm ci');
      return await installNpmPackages(root);
    },
    advice: 'run npm ci in the project folder',
  },
  compiler: {
    why: 'builds the native agent',
    find: () => all('g++', 'cmake', 'make') ?? all('clang++', 'cmake', 'make'),
    packages: {
      apt: ['g++', 'cmake', 'make'],
      dnf: ['gcc-c++', 'cmake', 'make'],
      brew: 'xcode-select --install && brew install cmake',
      winget: 'build the agent in WSL: it has no Windows version',
    },
  },
  jdk: {
    why: 'compiles and runs the sample program; its headers build the agent (17 or newer)',
    find: findJdk,
    packages: {
      apt: [['openjdk-17-jdk-headless', 'openjdk-21-jdk-headless', 'default-jdk-headless']],
      dnf: ['java-17-openjdk-devel'],
      brew: ['openjdk@17'],
      winget: ['EclipseAdoptium.Temurin.17.JDK'],
    },
  },
  chromium: {
    why: 'shows VS Code and the page to the tests',
    find: findChromium,
    packages: {
      apt: ['chromium'],
      dnf: ['chromium'],
      brew: 'brew install --cask chromium',
      winget: ['Google.Chrome'],
    },
  },
  vscode: {
    why: 'the real VS Code that the end-to-end and extension-host tests run in',
    find: () => findVSCode(cache),
    install: (say) => installVSCode(cache, say),
    advice:
      'it comes from npm and runs on Linux and macOS; see that npm can reach its registry and .cache has 1 GB of room',
  },
  adb: {
    why: 'the real adb server between the tests and their device',
    find: () => all('adb'),
    packages: {
      apt: ['adb'],
      dnf: ['android-tools'],
      brew: 'brew install --cask android-platform-tools',
      winget: ['Google.PlatformTools'],
    },
  },
  clang: {
    why: 'builds the agent for Android, and with the sanitizers',
    find: () => all('clang-19', 'clang++-19', 'ld.lld-19', 'llvm-ifs-19'),
    packages: {
      apt: ['clang-19', 'lld-19', 'llvm-19', 'libc++-19-dev', 'libclang-rt-19-dev'],
      dnf: ['clang', 'lld', 'llvm'],
      brew: ['llvm@19'],
      winget: 'build the agent in WSL: it has no Windows version',
    },
  },
  qemu: {
    why: 'builds the agent for arm64 Linux, and runs its tests',
    find: () => all('qemu-aarch64', 'aarch64-linux-gnu-g++'),
    packages: {
      apt: ['qemu-user', 'g++-aarch64-linux-gnu'],
      dnf: ['qemu-user', 'gcc-c++-aarch64-linux-gnu'],
      else: 'needs Linux with qemu-user and an arm64 cross compiler',
    },
  },
  dwz: {
    why: 'makes debug information as distributions have it, for the tests of what reads it',
    find: () => all('dwz', 'readelf'),
    packages: { apt: ['dwz', 'binutils'], dnf: ['dwz', 'binutils'], else: 'needs dwz and readelf' },
  },
  imobiledevice: {
    why: 'the tools that Debian has for iPhones, which prove the tests’ stand-in for one',
    find: () => all('idevice_id', 'ideviceinfo'),
    packages: {
      apt: ['libimobiledevice-utils'],
      dnf: ['libimobiledevice-utils'],
      brew: ['libimobiledevice'],
      else: 'needs the tools of libimobiledevice',
    },
  },
  art: {
    why: 'the real Android Runtime, as Debian packages it',
    find: findArt,
    packages: { apt: artPackages.split(' '), else: 'only Debian and Ubuntu package the Android Runtime' },
  },
  art14: {
    why: 'a newer Android Runtime, of Android 14, beside the packaged one',
    find: () => findArt14(cache),
    install: (say) => installArt14(cache, say),
    advice:
      'it comes from Debian 13 by apt-get, on Debian for x86-64 alone; see that apt-get can reach its mirror',
  },
  jdk21: {
    why: 'Java 21, between the two versions that are usually installed, for the wide tier and the soak',
    find: () => findJdk21(cache),
    install: (say) => installJdk21(cache, say),
    advice:
      'it comes from Debian 13 by apt-get, on Debian for x86-64 alone, and gcc links its launcher; see that apt-get can reach its mirror',
  },
};
