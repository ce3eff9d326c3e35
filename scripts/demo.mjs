// npm run demo: sets up what it needs, builds, records a sample Java program for five seconds through the real agent,
// prints where its time went, and writes demo.btrace, demo.pftrace and demo.html. Node built-ins only: this runs on a fresh clone.
//   npm run demo -- SECONDS           for another length
//   npm run demo -- SECONDS FOLDER    writes them there
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { buildAgent } from './build-agent.mjs';
import { run } from './process.mjs';
import { root, setupOrStop } from './setup.mjs';
import { words } from './words.mjs';

const [length = '5', folder = ''] = words(import.meta.url, { names: true }).names;
const seconds = Number(length);
const output = (name) => path.join(folder, name);
const [recording, forPerfetto, pageFile] = ['demo.btrace', 'demo.pftrace', 'demo.html'].map(output);
if (!(seconds > 0)) {
  console.error('How many seconds? For example: npm run demo -- 10');
  process.exit(2);
}

function fail(what, why) {
  console.error(`demo: ${what} failed.\n${why}`);
  process.exit(1);
}

async function step(what, command, args) {
  console.log(`demo: ${what}`);
  const { code, error, text } = await run(command, args, { cwd: root, limitMs: 5 * 60_000 });
  if (code !== 0) fail(what, `${error ?? `exit code ${code}`}\n${text}`);
}

const btrace = (args, output = 'show') =>
  run(process.execPath, [path.join(root, 'dist/btrace.cjs'), ...args], { cwd: root, output });

/** Starts the sample program and returns when it is open. */
async function openShop(java, classes) {
  const shop = spawn(
    java,
    [
      '-XX:+IgnoreUnrecognizedVMOptions',
      '-XX:+EnableDynamicAgentLoading',
      '-cp',
      classes,
      'com.example.shop.Shop',
    ],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  await new Promise((resolve, reject) => {
    shop.once('error', reject);
    shop.once('exit', (code) => reject(new Error(`it ended with code ${code}`)));
    shop.stdout.once('data', resolve);
  }).catch((error) => fail('starting the sample program', error.message));
  return shop;
}

const { jdk } = await setupOrStop(['npm', 'compiler', 'jdk']);
await step('bundling', process.execPath, [path.join(root, 'scripts/build.mjs')]);
console.log('demo: building the agent');
const failed = await buildAgent();
if (failed) fail('building the agent', failed);

const classes = path.join(root, 'build/demo');
mkdirSync(classes, { recursive: true });
const sources = ['Basket', 'Checkout', 'PriceList', 'Search', 'Shop'].map((name) =>
  path.join(root, 'media/sample/com/example/shop', `${name}.java`),
);
const options = ['-g', '-encoding', 'UTF-8', '-d', classes];
await step('compiling the sample program', path.join(jdk.at, 'bin/javac'), [...options, ...sources]);

const shop = await openShop(path.join(jdk.at, 'bin/java'), classes);
const end = () => shop.kill();
process.once('exit', end);
console.log(`demo: recording com.example.shop.Shop (process ${shop.pid}) for ${seconds} s`);
const recorded = await btrace(
  [
    'record',
    '--pid',
    String(shop.pid),
    '--duration',
    `${seconds}s`,
    '--output',
    recording,
    '--force',
    '--quiet',
  ],
  'keep',
);
shop.stdin.end(); // it closes by itself
if (recorded.code !== 0) fail('recording', recorded.error ?? recorded.text);

console.log();
const reported = await btrace(['report', recording, '--top', '12']);
if (reported.code !== 0) fail('the report', reported.error ?? `exit code ${reported.code}`);
const converted = await btrace(['convert', recording, '-o', forPerfetto, '--force', '--quiet'], 'keep');
if (converted.code !== 0) fail(`writing ${forPerfetto}`, converted.error ?? converted.text);
const page = await run(
  process.execPath,
  ['--import', 'tsx', path.join(root, 'scripts/page-file.ts'), recording, pageFile],
  { cwd: root },
);
if (page.code !== 0) fail(`writing ${pageFile}`, page.error ?? page.text);
console.log(`
${pageFile}     open it in a browser: the flame chart and the tables
${recording}   open it in VS Code with the BTrace extension, or: npx btrace report ${recording} --per-thread
${forPerfetto}  open it in Perfetto's viewer`);
