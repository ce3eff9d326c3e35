// Starts scripts one after the other in this process: node --import tsx call-scripts.mjs '[["scripts/test.mjs", "--help"], …]'
// Prints what each answered: [{status, stdout, stderr}]. Each must end at its words: one that goes on would do its work here.
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const ended = Symbol('ended');
const answers = [];
let answer;
const exit = process.exit.bind(process);
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text) => ((answer.stdout += text), true);
process.stderr.write = (text) => ((answer.stderr += text), true);
console.error = (text) => (answer.stderr += `${text}\n`);
process.exit = (status) => {
  answer.status ??= status ?? 0; // the first one counts: what follows it would not have run
  throw ended;
};

for (const [at, [script, word]] of JSON.parse(process.argv[2]).entries()) {
  answer = { stdout: '', stderr: '', status: undefined };
  answers.push(answer);
  const file = path.resolve(script);
  process.argv = [process.argv[0], file, word];
  // The script itself is loaded anew, its imports once.
  await import(`${pathToFileURL(file).href}?${at}`).catch((error) => {
    if (error !== ended) answer.stderr += String(error?.stack ?? error);
  });
}
write(JSON.stringify(answers), () => exit(0));
