/**
 * Fails where a test makes its verdict hang on time: a busy machine stretches all of it. `test/rigs/until.ts` has what may stand there:
 * `until` waits for a condition, `anyMoment` lets time pass where nothing is judged by it, `lasts` says how long a test works by itself.
 *
 * Refused are sleeps, the clocks of the wall in tests, comparisons of `Date.now()`, and limits of their own: `this.timeout(…)` and
 * `timeout: 5000`. Rigs may end what they started, and a stand-in may take its time. CPU time is no time of the wall.
 */
const comparisons = new Set(['<', '<=', '>', '>=']);

const nameOf = (node) =>
  node.type === 'Identifier' ? node.name : node.type === 'MemberExpression' ? node.property.name : undefined;

/** Called, and not put in place of the clock: `performance.now`, `process.hrtime` and `process.hrtime.bigint`. */
function isClock({ callee }) {
  if (callee.type !== 'MemberExpression') return false;
  const { object, property } = callee;
  return (
    (object.name === 'performance' && property.name === 'now') ||
    (object.name === 'process' && property.name === 'hrtime') ||
    (nameOf(object) === 'hrtime' && property.name === 'bigint')
  );
}

const isDateNow = ({ callee }) =>
  callee.type === 'MemberExpression' && callee.object.name === 'Date' && callee.property.name === 'now';

/** Whether it is a side of a comparison, with arithmetic in between. */
function isCompared(node) {
  let at = node.parent;
  for (; at?.type === 'BinaryExpression'; at = at.parent) if (comparisons.has(at.operator)) return true;
  return at?.type === 'CallExpression' && nameOf(at.callee) === 'abs';
}

/** `setTimeout(done)` gives the turn to others, and takes no time. */
const isSleep = ({ callee, arguments: given }) =>
  callee.type === 'Identifier' && callee.name === 'setTimeout' && given.length > 1;

export const testTime = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      sleep:
        'Sleeps: wait for a condition by until (rigs/until.ts), or for anyMoment where nothing is judged by it',
      clock:
        'Reads the clock of the wall: judge by identity, order, counts or CPU time, or wait by until (rigs/until.ts)',
      limit:
        'Has a limit of its own: the suite has one; lasts (rigs/until.ts) is for what works so long by itself',
    },
  },
  create(context) {
    return {
      ImportDeclaration(node) {
        if (node.source.value !== 'node:timers/promises') return;
        for (const one of node.specifiers)
          if (one.imported?.name === 'setTimeout') context.report({ node: one, messageId: 'sleep' });
      },
      CallExpression(node) {
        if (isSleep(node) || nameOf(node.callee) === 'waitForTimeout')
          context.report({ node, messageId: 'sleep' });
        if (isClock(node) || (isDateNow(node) && isCompared(node)))
          context.report({ node, messageId: 'clock' });
        const isLimit =
          node.callee.type === 'MemberExpression' &&
          node.callee.object.type === 'ThisExpression' &&
          node.callee.property.name === 'timeout';
        if (isLimit) context.report({ node, messageId: 'limit' });
      },
      Property(node) {
        const isLimit = node.key.name === 'timeout' && node.value.type === 'Literal';
        if (isLimit && typeof node.value.value === 'number') context.report({ node, messageId: 'limit' });
      },
    };
  },
};
