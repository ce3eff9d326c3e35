// Builds the native agent with CMake, into build/native/<preset>/. Slow only the first time.
//   node scripts/build-agent.mjs [--all]    for this machine; for all others that it has compilers for, too
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { run } from './process.mjs';
import { find, root, setupOrStop } from './setup.mjs';
import { words } from './words.mjs';

/** Of one build on a busy machine. */
const limitMs = 15 * 60_000;

export const hasAgentSources = () => existsSync(path.join(root, 'native-agent/CMakeLists.txt'));

/** What records on Linux; on Android the first alone. */
const linuxTargets = ['btrace-agent', 'btrace-native', 'btrace-external'];

/** Builds these targets for this machine. Returns what the compiler said when that failed, else nothing. */
export async function buildAgent(targets = linuxTargets) {
  const to = path.join(root, 'build/native/host');
  const env = { ...process.env, JAVA_HOME: find('jdk')?.at ?? process.env.JAVA_HOME ?? '' };
  const steps = [['-S', path.join(root, 'native-agent'), '-B', to, '-DCMAKE_BUILD_TYPE=Release']];
  if (existsSync(path.join(to, 'CMakeCache.txt'))) steps.pop(); // --build configures again by itself when it must
  steps.push(['--build', to, '--target', ...targets, '--parallel', String(availableParallelism())]);
  for (const args of steps) {
    const { code, error, text } = await run('cmake', args, { env, limitMs });
    if (code !== 0) return `cmake ${args.join(' ')}: ${error ?? `exit code ${code}`}\n${text}`;
  }
  return undefined;
}

/** Presets for other machines than this one, each with what the machine needs for it. */
const others = {
  'linux-arm64': 'qemu',
  'android-arm64': 'clang',
  'android-x86_64': 'clang',
  'android-armv7': 'clang',
};

/** For other machines, as far as this one has the compilers, but for those in `without`. Returns what failed, else nothing. */
export async function buildOtherAgents(without = []) {
  const cwd = path.join(root, 'native-agent');
  const presets = Object.keys(others).filter(
    (preset) => preset !== `linux-${process.arch}` && !without.includes(preset),
  );
  for (const preset of presets.filter((preset) => find(others[preset]))) {
    const targets = preset.startsWith('linux-') ? linuxTargets : ['btrace-agent'];
    const parallel = ['--parallel', String(availableParallelism())];
    for (const args of [
      ['--preset', preset],
      ['--build', '--preset', preset, '--target', ...targets, ...parallel],
    ]) {
      const { code, error, text } = await run('cmake', args, { cwd, limitMs });
      if (code !== 0) return `cmake ${args.join(' ')}: ${error ?? `exit code ${code}`}\n${text}`;
    }
  }
  return undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { all } = words(import.meta.url, { flags: ['all'] });
  await setupOrStop(['compiler', 'jdk']);
  const failed = (await buildAgent()) ?? (all ? await buildOtherAgents() : undefined);
  if (failed) {
    console.error(failed);
    process.exit(1);
  }
}
