// node scripts/release.mjs --tag vVERSION [--repository URL]: checks that this checkout is that release, and makes both of its packages
// with their checksums, in build/. In a workflow of GitHub the names of the files go to its later steps.
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { bundledPackages } from './bundles.mjs';
import { billName, billOfMaterials } from './notices.mjs';
import { makeNpmPackage } from './npm-package.mjs';
import { makePackage, missingAgents, ownManifest } from './package.mjs';
import { root } from './setup.mjs';
import { words } from './words.mjs';

/** As VS Code’s marketplace counts: releases have an even minor version, pre-releases an odd one. */
export const isPreRelease = (version) => Number(version.split('.')[1]) % 2 === 1;

/** Why this is not the release `tag`, a sentence each. */
export function releaseProblems({ tag, version, changelog, missingAgents }) {
  const problems = [];
  if (!/^\d+\.\d+\.\d+$/.test(version))
    problems.push(`package.json has the version ${version}, not three numbers.`);
  if (tag !== `v${version}`) problems.push(`The tag is ${tag}, and package.json has the version ${version}.`);
  const headings = changelog.split('\n').filter((line) => line.startsWith(`## [${version}]`));
  if (!headings.some((line) => /^## \[[\d.]+\] - \d{4}-\d{2}-\d{2}$/.test(line)))
    problems.push(`CHANGELOG.md has no heading "## [${version}] - YYYY-MM-DD".`);
  if (missingAgents.length > 0) problems.push(`These agents are not built: ${missingAgents.join(', ')}.`);
  return problems;
}

/** As `sha256sum` writes and checks them. */
export const checksums = (files) =>
  files
    .map(
      (file) => `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${path.basename(file)}\n`,
    )
    .join('');

function stop(lines) {
  for (const line of lines) console.error(line);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { tag = '', repository } = words(import.meta.url, { values: ['tag', 'repository'] });
  const { version } = ownManifest();
  const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
  const problems = releaseProblems({ tag, version, changelog, missingAgents: missingAgents() });
  if (problems.length > 0) stop(problems);
  const preRelease = isPreRelease(version);
  const vsix = await makePackage((line) => console.log(line), undefined, { repository, preRelease });
  const npm = vsix.failed ? {} : await makeNpmPackage(repository);
  const failed = vsix.failed ?? npm.failed;
  if (failed) stop([failed]);
  writeFileSync(path.join(root, 'build', billName), billOfMaterials(await bundledPackages()));
  const sums = path.join(root, 'build/SHA256SUMS');
  writeFileSync(sums, checksums([vsix.file, npm.file]));
  process.stdout.write(readFileSync(sums, 'utf8'));
  const named = { vsix: vsix.file, npm: npm.file, 'pre-release': preRelease };
  if (process.env.GITHUB_OUTPUT)
    for (const [name, value] of Object.entries(named))
      appendFileSync(
        process.env.GITHUB_OUTPUT,
        `${name}=${typeof value === 'string' ? path.relative(root, value) : value}\n`,
      );
}
