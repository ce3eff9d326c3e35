// The machine's package manager: installs by name where that is allowed without asking (apt as root), else says what to type.
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { run } from '../process.mjs';

function osRelease() {
  try {
    return Object.fromEntries(
      readFileSync('/etc/os-release', 'utf8')
        .split('\n')
        .map((line) => line.match(/^(\w+)="?([^"]*)"?$/))
        .filter(Boolean)
        .map(([, key, value]) => [key, value]),
    );
  } catch {
    return {};
  }
}

/** 'apt', 'dnf', 'brew', 'winget', or undefined where we know no package names. */
export function packageManager() {
  if (process.platform === 'darwin') return 'brew';
  if (process.platform === 'win32') return 'winget';
  const { ID = '', ID_LIKE = '' } = osRelease();
  const family = `${ID} ${ID_LIKE}`.split(' ');
  if (family.includes('debian') || family.includes('ubuntu')) return 'apt';
  if (family.includes('fedora') || family.includes('rhel')) return 'dnf';
  return undefined;
}

const commands = {
  apt: 'sudo apt-get install',
  dnf: 'sudo dnf install',
  brew: 'brew install',
  winget: 'winget install',
};

/** What a person types to install `packages` ({apt, dnf, brew, winget}: names, or a whole sentence). */
export function adviceFor(packages) {
  const manager = packageManager();
  const names = manager && packages[manager];
  if (!names)
    return packages.else ?? `install it by your system's means (Debian calls it: ${packages.apt?.join(' ')})`;
  return typeof names === 'string' ? names : `${commands[manager]} ${names.join(' ')}`;
}

export const mayInstall = () =>
  packageManager() === 'apt' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

async function apt(args) {
  return await run('apt-get', ['-q', '-y', '-o', 'DPkg::Lock::Timeout=300', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    limitMs: 15 * 60_000,
  });
}

async function hasCandidate(name) {
  const { code, text } = await run('apt-cache', ['policy', name]);
  return code === 0 && /Candidate: (?!\(none\))/.test(text);
}

let updated = false;

/** Installs by apt. A name may be a list of alternatives: the first that the distribution has is taken. Returns why it failed, if so. */
export async function installPackages(packages, say) {
  const chosen = async () =>
    await Promise.all(
      packages.apt.map(async (name) => {
        if (!Array.isArray(name)) return name;
        for (const one of name) if (await hasCandidate(one)) return one;
        return name[0];
      }),
    );
  for (;;) {
    const names = await chosen();
    say(`apt-get install ${names.join(' ')}`);
    const { code, text, error } = await apt(['install', '--no-install-recommends', ...names]);
    if (code === 0) return undefined;
    if (updated) return error ?? text.trim().split('\n').slice(-5).join('\n');
    updated = true; // the lists may be absent (a bare container) or older than the mirror
    say('apt-get update');
    const update = await apt(['update']);
    if (update.code !== 0)
      return `apt-get update: ${update.error ?? update.text.trim().split('\n').slice(-5).join('\n')}`;
  }
}
