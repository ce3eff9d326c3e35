// What the reporter noted of a process that runs tests, a line of JSON each, added up.

/**
 * `isOver`: it came to its end. Otherwise `running` is the test or hook that had begun, and `left` are the tests that had not ended.
 * A test or failure has its `title`, the `files` to load to run it again, and its `group`, when it runs only with that describe.
 */
export function readJournal(text) {
  const all = {
    passed: 0,
    skipped: [],
    failures: [],
    groups: [],
    left: [],
    running: undefined,
    isOver: false,
  };
  let waiting = new Map();
  const ended = (id) => {
    const { title } = waiting.get(id) ?? {};
    waiting.delete(id);
    all.running = undefined;
    return title;
  };
  // The last line may be torn, where the process was ended.
  for (const line of text.split('\n').slice(0, -1)) {
    const noted = JSON.parse(line);
    if (noted.tests) {
      // A suite of several windows has a list for each.
      all.left.push(...waiting.values());
      waiting = new Map(noted.tests.entries());
      all.isOver = false;
    } else if (noted.begins) all.running = noted.begins;
    else if (noted.group) all.groups.push(noted.group);
    else if (noted.failed) {
      ended(noted.id);
      all.failures.push(noted.failed);
    } else if (noted.passed !== undefined) {
      ended(noted.passed);
      all.passed++;
    } else if (noted.skipped !== undefined) all.skipped.push(ended(noted.skipped));
    else if (noted.over) {
      // What is left now was below a hook that failed.
      waiting.clear();
      all.isOver = true;
    }
  }
  all.left.push(...waiting.values());
  return all;
}
