// npm, and what it installs for us.
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { run } from '../process.mjs';

/** Runs npm under `node` (another Node's packages must be installed by that Node). */
export async function npm(args, { cwd, node = process.execPath } = {}) {
  const beside = path.join(path.dirname(process.execPath), '..', 'lib/node_modules/npm/bin/npm-cli.js');
  const script = [process.env.npm_execpath, beside].find((file) => file?.endsWith('.js') && existsSync(file));
  const env = {
    ...process.env,
    npm_config_update_notifier: 'false',
    npm_config_fund: 'false',
    npm_config_audit: 'false',
  };
  env.PATH = `${path.dirname(node)}${path.delimiter}${env.PATH}`;
  const limitMs = 15 * 60_000;
  const done = script
    ? await run(node, [script, ...args], { cwd, env, limitMs })
    : await run('npm', args, { cwd, env, limitMs });
  return done.code === 0 ? undefined : (done.error ?? done.text.trim().split('\n').slice(-12).join('\n'));
}

/** Why node_modules is not what package-lock.json asks for, or nothing. Costs a few ms: two JSON files are read. */
export function npmPackagesLack(root) {
  const installed = path.join(root, 'node_modules/.package-lock.json');
  if (!existsSync(installed)) return 'node_modules is not there';
  const wanted = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
  const have = JSON.parse(readFileSync(installed, 'utf8')).packages;
  for (const [name, { version, optional, devOptional, peer, link }] of Object.entries(wanted)) {
    if (name === '' || optional || devOptional || peer || link) continue;
    if (have[name]?.version !== version) return `${name} ${version} is not installed`;
  }
  return undefined;
}

export async function installNpmPackages(root) {
  const modules = path.join(root, 'node_modules');
  if (existsSync(modules) && lstatSync(modules).isSymbolicLink()) {
    return 'node_modules is a link to another checkout: run npm ci there';
  }
  // No package of ours needs its install script; without them the install is faster and runs nobody's code.
  return await npm(['ci', '--ignore-scripts'], { cwd: root });
}
