// The titles of tests, found without running them: what `npm test -- SUITE --grep` would match.
import ts from 'typescript';

/** Stands for the parts of a title that only the running test knows. */
const unknown = '…';

function textOf(node) {
  if (node === undefined) return unknown;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => unknown + literal.text).join('');
  if (ts.isBinaryExpression(node)) return textOf(node.left) + textOf(node.right);
  return unknown;
}

/** The name of the called function: `it` of it(…) and it.skip(…). */
function calledName({ expression }) {
  const called = ts.isPropertyAccessExpression(expression) ? expression.expression : expression;
  return ts.isIdentifier(called) ? called.text : '';
}

/** The full titles in a file of Mocha's tests: those of its `describe` and `it`, with spaces between. */
export function mochaTitles(source) {
  const found = [];
  const walk = (node, above) => {
    let titles = above;
    if (ts.isCallExpression(node)) {
      const name = calledName(node);
      if (name === 'describe' || name === 'it') titles = [...above, textOf(node.arguments[0])];
      if (name === 'it') found.push(titles.join(' '));
    }
    ts.forEachChild(node, (child) => walk(child, titles));
  };
  walk(ts.createSourceFile('test.ts', source, ts.ScriptTarget.Latest), []);
  return found;
}

/** The titles in a file of the agent's own tests, which the suite `native` runs. */
export function agentTitles(source) {
  return [...source.matchAll(/^TEST\("((?:[^"\\]|\\.)*)"/gm)].map(([, name]) => `agent ${name}`);
}
