// Runs one suite's files in this process and notes what becomes of each test in a file: node --import tsx mocha.mjs '{"files":[…], …}'
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import Mocha from 'mocha';
import { reporterFor } from './reporter.mjs';

// The command line speaks the language of who runs the tests: here it is English.
process.env.LC_ALL = 'C.UTF-8';
const { files, journal, timeoutMs, grep, verbose } = JSON.parse(process.argv[2]);
const mocha = new Mocha({ timeout: timeoutMs, forbidOnly: true, color: process.stdout.isTTY });
if (grep) mocha.grep(new RegExp(grep));
mocha.reporter(
  reporterFor({
    verbose,
    grep,
    write: (line) => console.log(line),
    note: (what) => appendFileSync(journal, `${JSON.stringify(what)}\n`),
  }),
);
for (const file of files) mocha.addFile(file);
await mocha.loadFilesAsync();
mocha.run((failures) => {
  process.exitCode = failures > 0 ? 1 : 0;
  // Tests that leave a timer, socket or child open keep the process alive: say so, rather than hang or hide it.
  setTimeout(() => {
    console.error(`  still open 5 s after the last test: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit(3);
  }, 5000).unref();
});
