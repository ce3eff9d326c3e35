// Packages of another Debian release than this machine's, unpacked into a folder and never installed. apt-get gets lists, state
// and cache of its own, so that the machine's stay as they are; the mirror is the one that the machine's own sources name.
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run } from '../process.mjs';

const folder = '/etc/apt';

/** What the machine's own sources say of Debian's archive, for another release, in the form of one of apt's files. Nothing: they say nothing of it. */
function sourcesFor(suite) {
  const newer = path.join(folder, 'sources.list.d/debian.sources');
  if (existsSync(newer)) {
    const [first] = readFileSync(newer, 'utf8').split(/\n\s*\n/);
    return {
      name: `${suite}.sources`,
      text: `${first.trim().replace(/^Suites:.*$/m, `Suites: ${suite}`)}\n`,
    };
  }
  const older = path.join(folder, 'sources.list');
  const lines = existsSync(older) ? readFileSync(older, 'utf8').split('\n') : [];
  const [, before] =
    lines.map((line) => /^(deb\s+(?:\[[^\]]*\]\s+)?\S+\/debian\/?)\s/.exec(line)).find(Boolean) ?? [];
  return before && { name: `${suite}.list`, text: `${before} ${suite} main\n` };
}

/** Unpacks `packages` of the release `suite` into `to`, which is complete or not there. Returns why it failed, or nothing. */
export async function unpackDebian({ suite, packages, to }, say) {
  const sources = sourcesFor(suite);
  if (!sources) return "this machine's apt names no mirror of Debian";
  const made = `${to}.new`;
  rmSync(made, { recursive: true, force: true });
  const home = path.join(made, 'apt');
  for (const folder of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(path.join(home, folder), { recursive: true });
  const list = path.join(home, sources.name);
  writeFileSync(list, sources.text);
  const options = [
    ['Dir::Etc::SourceList', list],
    ['Dir::Etc::SourceParts', '/dev/null'],
    ['Dir::State::Lists', path.join(home, 'lists')],
    ['Dir::State::Status', '/dev/null'], // what is installed here does not matter
    ['Dir::Cache', path.join(home, 'cache')],
    // As root apt downloads as a user of its own, who cannot enter a private checkout.
    ['APT::Sandbox::User', 'root'],
  ].flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const attempt = async (command, args, cwd = home) => {
    const { code, error, text } = await run(command, args, { cwd, limitMs: 10 * 60_000 });
    return code === 0 ? undefined : `${command}: ${error ?? text.trim().split('\n').slice(-5).join('\n')}`;
  };
  say(`${packages.join(' ')} of Debian's ${suite}, unpacked and not installed`);
  const failed =
    (await attempt('apt-get', [...options, '-q', 'update'])) ??
    (await attempt('apt-get', [...options, '-q', 'download', ...packages]));
  if (failed) return failed;
  for (const archive of readdirSync(home).filter((name) => name.endsWith('.deb'))) {
    const broken = await attempt('dpkg-deb', ['-x', path.join(home, archive), made]);
    if (broken) return broken;
  }
  rmSync(home, { recursive: true });
  rmSync(to, { recursive: true, force: true });
  renameSync(made, to);
  return undefined;
}
