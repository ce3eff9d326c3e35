// Lanes of suites side by side, and what they print.
import process from 'node:process';

/**
 * Writes whole lines of one suite, each behind the suite's name: lines of two suites may alternate. `end` writes a line
 * that was begun.
 */
export function prefixed(name, write = (text) => process.stdout.write(text)) {
  let begun = '';
  const behind = (text) => text.replace(/^(?=.*\S)/gm, `${name.padEnd(11)} │ `);
  return {
    write(text) {
      const all = begun + text;
      const end = all.lastIndexOf('\n') + 1;
      begun = all.slice(end);
      if (end > 0) write(behind(all.slice(0, end)));
    },
    end() {
      if (begun !== '') write(behind(`${begun}\n`));
      begun = '';
    },
  };
}

/**
 * Runs the items of every lane one after the other, the lanes side by side. A lane that has nothing left takes the last item of
 * the lane that has most, so that all end together. `run(item, lane)` must not reject.
 */
export async function runLanes(lanes, run) {
  const queues = Object.entries(lanes).map(([name, items]) => ({ name, items: [...items] }));
  const longest = () => queues.reduce((one, other) => (other.items.length > one.items.length ? other : one));
  const next = (own) => own.items.shift() ?? longest().items.pop();
  await Promise.all(
    queues.map(async (own) => {
      for (let item; (item = next(own)) !== undefined;) await run(item, own.name);
    }),
  );
}

/** The items in so many shares of about the same size: each goes on where the one before it ended, so that neighbours part. */
export function shares(items, count) {
  const all = Array.from({ length: Math.max(1, Math.min(count, items.length)) }, () => []);
  for (const [at, item] of items.entries()) all[at % all.length].push(item);
  return all;
}
