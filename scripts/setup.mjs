// Says what the machine lacks and installs it where that is allowed. Node built-ins only: this runs on a fresh clone.
//   node scripts/setup.mjs [PART …]     sets up the named parts (default: what `npm run demo` and `npm test` need)
//   node scripts/setup.mjs --list       says what is there and what is missing, installs nothing
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { withLock } from './setup/lock.mjs';
import { adviceFor, installPackages, mayInstall } from './setup/packages.mjs';
import { cache, parts, root } from './setup/parts.mjs';
import { words } from './words.mjs';

export { cache, root };

function part(name) {
  if (!Object.hasOwn(parts, name)) {
    throw new Error(`There is no part called ${name}. Parts: ${Object.keys(parts).join(', ')}.`);
  }
  return parts[name];
}

/** Where a part is, or nothing when the machine lacks it. Installs nothing. */
export function find(name) {
  return part(name).find();
}

/** What a person does to get a part on this machine. */
export function advice(name) {
  const { packages, advice: words } = part(name);
  return packages ? adviceFor(packages) : words;
}

async function install(name, say) {
  const { packages, install: own } = part(name);
  if (own) return await own(say);
  if (!mayInstall()) return 'it must be installed by you';
  return await installPackages(packages, say);
}

/**
 * Sets up the named parts. Returns what was found, and what is missing with the reason and the next step:
 * the caller decides whether that stops it.
 */
export async function setup(names, say = (line) => console.log(`setup: ${line}`)) {
  const found = {};
  const missing = {};
  for (const name of names) {
    found[name] = find(name);
    if (found[name]) continue;
    // Looked at again under the lock: the run we waited for may have installed it.
    await withLock(
      path.join(cache, 'setup.lock'),
      async () => {
        found[name] = find(name);
        if (found[name]) return;
        const began = performance.now();
        say(`${name} is missing (${part(name).lacks?.() ?? part(name).why})`);
        const failed = await install(name, say);
        found[name] = failed ? undefined : find(name);
        if (found[name]) say(`${name} is ready after ${((performance.now() - began) / 1000).toFixed(1)} s`);
        else missing[name] = failed ?? 'it was installed but is not found';
      },
      ({ pid }) => say(`another setup is running (process ${pid}); waiting for it`),
    );
  }
  return { found, missing };
}

/** One paragraph a missing part: what it is for, why it is not there, what to do. */
export function explain(missing) {
  return Object.entries(missing)
    .map(([name, why]) => `Missing: ${name} – ${part(name).why}.\n  ${why}\n  To get it: ${advice(name)}`)
    .join('\n');
}

/** Sets up, and ends the process with the explanation when something is still missing. */
export async function setupOrStop(names) {
  const { found, missing } = await setup(names);
  if (Object.keys(missing).length > 0) {
    console.error(explain(missing));
    process.exit(1);
  }
  return found;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20) {
    console.error(`Node ${process.versions.node} is too old: this project needs Node 20 or newer.`);
    process.exit(1);
  }
  const { list, names } = words(import.meta.url, { flags: ['list'], names: Object.keys(parts) });
  if (list) {
    for (const name of Object.keys(parts)) {
      const at = find(name);
      console.log(
        `${at ? 'there  ' : 'MISSING'}  ${name.padEnd(9)} ${at ? at.at : `${part(name).why}; to get it: ${advice(name)}`}`,
      );
    }
  } else {
    await setupOrStop(names.length > 0 ? names : ['npm', 'compiler', 'jdk', 'chromium', 'vscode']);
    console.log('setup: everything is there');
  }
}
