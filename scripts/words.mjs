// What a script was asked for. Node built-ins only: `npm test` and `npm run demo` start on a fresh clone.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** The comment that a script begins with, which tells how it is called. */
function head(script) {
  const [text] = /^(\/\/.*\n)+/.exec(readFileSync(script, 'utf8')) ?? [''];
  return text.replace(/^\/\/ ?/gm, '');
}

/**
 * The words after the script's own name: its flags, `true` where they are given, options that take a value, and the names that are left,
 * any (`true`) or of those that are known. `--help` prints the script's first comment; a word that the script does not know ends it with
 * the same.
 */
export function words(moduleUrl, { flags = [], values = [], names = false } = {}) {
  const script = fileURLToPath(moduleUrl);
  const options = { help: { type: 'boolean', short: 'h' } };
  for (const flag of flags) options[flag] = { type: 'boolean' };
  for (const value of values) options[value] = { type: 'string' };
  const refuse = (why) => {
    console.error(`${why}.\n\n${head(script)}`);
    process.exit(2);
  };
  let asked;
  try {
    asked = parseArgs({ options, allowPositionals: names !== false });
  } catch (error) {
    refuse(error.message.split('. ')[0]);
  }
  if (asked.values.help) {
    process.stdout.write(head(script));
    process.exit(0);
  }
  const unknown = Array.isArray(names) ? asked.positionals.find((name) => !names.includes(name)) : undefined;
  if (unknown !== undefined) refuse(`There is no "${unknown}". Names: ${names.join(', ')}`);
  return { ...asked.values, names: asked.positionals };
}
