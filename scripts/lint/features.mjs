// The rules for docs/FEATURES.md: each row has one status and, where something is there, a test and one way to see it; and
// each command on the page can be run. Only words are looked at: no command is started.

/** @typedef {import('./features.d.mts').Known} Known */

/** Files that no command on the page names as its output: `npm run demo` and scripts/build-in-app.mjs make them. */
const builtFiles = [
  'demo.btrace',
  'demo.html',
  'demo.pftrace',
  'build/demo',
  'build/native/host/libbtrace-agent.so',
  'dist/btrace.cjs',
  'build/in-app/btrace.jar',
];

/** What the word after it is made by. */
const outputOption = /^(?:>|-[a-z]*o|-d|--output|--html|--truth)$/;
/** Folders of what is built: there in one checkout and not in another. */
const builtFolder = /^(?:build|dist|artefacts)\//;
const pathWord = /^[\w.@-]+(?:\/[\w.*{},@-]+)+$|^[\w-]+\.(?:btrace|html|pftrace|md|json|nanoscope|systrace)$/;
/** What a code span begins with that is a command and not a name. */
const commandSpan = /^(?:npm (?:run|test)|btrace|node|java|timeout|sleep|\(sleep)\s/;

/** The rows of the tables: "| F1 | what | from | status | test |". */
export function rowsOf(page) {
  return page
    .split('\n')
    .filter((line) => /^\| F\d/.test(line))
    .map((line) => {
      const cells = line.slice(2, -2).split(' | ');
      const [number = '', , , status = '', test = ''] = cells;
      return { number: Number(number.slice(1)), cells: cells.length, status, test };
    });
}

/** The list below the tables: "- **F1** `command`: what is seen", on one line or several. */
export function waysOf(page) {
  const items = [...page.matchAll(/^- \*\*F(\d+)\*\* (.*(?:\n {2}\S.*)*)/gm)];
  return items.map(([, number, text]) => ({ number: Number(number), text: text.replaceAll(/\n +/g, ' ') }));
}

/** A line of a shell as its simple commands, each a list of words, without what is assigned, redirected to a number or a
 * comment. ">" stands before the file that is written. */
export function simpleCommands(line) {
  const commands = [[]];
  const token = /"([^"]*)"|'([^']*)'|(#.*)|(\|\||&&|[|;&()])|([^\s"'|;&()]+)|(\s+)/gy;
  let word;
  const endWord = () => {
    if (word !== undefined && !/^\d*[<>]+[^<>]|^[A-Za-z_]+=/.test(word)) commands.at(-1).push(word);
    word = undefined;
  };
  for (const [, double, single, comment, operator, plain, space] of line.matchAll(token)) {
    if (comment !== undefined && word === undefined) break;
    const text = double ?? single ?? plain ?? comment;
    if (text !== undefined) word = (word ?? '') + text;
    if (space !== undefined || operator !== undefined) endWord();
    if (operator !== undefined) commands.push([]);
  }
  endWord();
  return commands.filter((words) => words.length > 0);
}

function npmComplaints([, verb = '', ...args], { scripts, titlesOf }) {
  const script = verb === 'run' ? args.shift() : verb;
  if (!scripts.includes(script)) return [`package.json has no script "${script}"`];
  if (verb !== 'test') return [];
  const said = [];
  const suites = [];
  let pattern;
  for (let at = args[0] === '--' ? 1 : 0; at < args.length; at++)
    if (args[at] === '--grep') pattern = args[++at] ?? '';
    else if (args[at].startsWith('-')) said.push(`npm test has no option ${args[at]}`);
    else suites.push(args[at]);
  for (const suite of suites) {
    const titles = titlesOf(suite);
    if (titles === undefined) said.push(`there is no suite "${suite}"`);
    else if (pattern !== undefined && !titles.some((title) => new RegExp(pattern).test(title)))
      said.push(`no test of the suite ${suite} matches "${pattern}"`);
  }
  return said;
}

const isBuilt = (word) => builtFolder.test(word) || builtFiles.includes(word);

/** Whoever names a file that is not there and that nothing made before. */
function fileComplaints(words, { isFile }, made) {
  words.forEach((word, at) => {
    const [program] = words;
    if (program === 'mkdir' || outputOption.test(words[at - 1] ?? '')) made.add(word);
    if (words[1] === 'measure' && words[at - 1] === '-o')
      for (const set of ['before', 'after']) made.add(`${word}/${set}`);
    // A test's program writes the file that it is given.
    if (/^(?:OwnRecording|RingUntilKilled)$/.test(words[at - 2] ?? '')) made.add(word);
  });
  return words
    .flatMap((word) => word.replaceAll('$PWD/', '').split(':'))
    .filter((word) => pathWord.test(word) && !made.has(word) && (isBuilt(word) || !isFile(word)))
    .map((word) => `there is no ${word}, and nothing above makes it`);
}

function commandComplaints(line, known, made) {
  return simpleCommands(line).flatMap((words) => {
    const said = fileComplaints(words, known, made);
    const args = words.includes('>') ? words.slice(0, words.indexOf('>')) : words;
    if (args[0] === 'npm') said.push(...npmComplaints(args, known));
    if (args[0] === 'btrace') {
      const wrong = known.parse(args.slice(1));
      if (wrong !== undefined) said.push(wrong);
    }
    return said.map((what) => `${what}: ${line}`);
  });
}

/** A bullet has one command, or one act that begins at a file or in VS Code, and then what is seen. */
function wayComplaints({ number, text }) {
  const way = /^(?:`[^`]+`|(?:Open|Read) `[^`]+`[^:]*|\*BTrace: [^*]+\*[^:]*): \S/.exec(text);
  if (way === null) return [`F${number}: begins with no command and no act, or does not say what is seen`];
  const others = [...text.slice(way[0].length).matchAll(/`([^`]+)`/g)].filter(([, span]) =>
    commandSpan.test(span),
  );
  return others.length > 0 ? [`F${number}: has more than one way`] : [];
}

function rowComplaints(rows, ways, { isFile }) {
  const said = [];
  rows.forEach(({ number, cells, status, test }, at) => {
    if (number !== at + 1) said.push(`F${number} stands where F${at + 1} should`);
    if (cells !== 5) said.push(`F${number}: has ${cells} cells, not five`);
    if (!/^(?:full|partly: \S.+|not yet)$/.test(status)) said.push(`F${number}: has no status "${status}"`);
    const count = ways.filter((way) => way.number === number).length;
    const wanted = status === 'not yet' ? 0 : 1;
    if (count !== wanted) said.push(`F${number}: is ${status} and has ${count} ways to see it`);
    if (status === 'not yet' ? test !== '–' : !isFile(test) && !isFile(`${test}.test.ts`))
      said.push(`F${number}: has no test "${test}"`);
  });
  for (const { number } of ways)
    if (!rows.some((row) => row.number === number)) said.push(`F${number}: has a way and no row`);
  return said;
}

function countComplaints(rows, page) {
  const count = (status) => rows.filter((row) => row.status.startsWith(status)).length;
  const right = `${rows.length} rows: ${count('full')} full, ${count('partly')} partly, ${count('not yet')} not yet`;
  return page.includes(right) ? [] : [`the page does not say "${right}"`];
}

/** What is wrong with the page, in words. @param {string} page @param {Known} known */
export function complaints(page, known) {
  const rows = rowsOf(page);
  const ways = waysOf(page);
  const made = new Set(builtFiles);
  const spans = [...page.matchAll(/^```sh\n([\s\S]*?)^```|`([^`\n]+(?:\n {2}[^`\n]+)*)`/gm)];
  const lines = spans.flatMap(([, block, span]) => {
    if (block !== undefined) return block.split('\n');
    const text = span.replaceAll(/\n +/g, ' ');
    return commandSpan.test(text) || pathWord.test(text) ? [text] : [];
  });
  const titles = [...page.matchAll(/\*(BTrace: [^*]+)\*/g)].map(([, title]) => title.replaceAll(/\s+/g, ' '));
  return [
    ...countComplaints(rows, page),
    ...rowComplaints(rows, ways, known),
    ...ways.flatMap(wayComplaints),
    ...lines.flatMap((line) => commandComplaints(line, known, made)),
    ...titles
      .filter((title) => !known.palette.includes(title))
      .map((title) => `VS Code has no command "${title}"`),
  ];
}
