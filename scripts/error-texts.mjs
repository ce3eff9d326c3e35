// Texts that are made in English and known again by it: errors of targets and of the command line, and the command line's help. With
// {0}, {1} … where a figure or a name stands.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from './setup.mjs';

/** Which arguments of an error a person reads. */
const errors = { TargetError: [1, 3], CliError: [1, 3], UsageError: [0, 1] };
const help = /^(?:summary|description|help|operands)$/;

/**
 * Of `new TargetError(kind, text, nextStep, { remedy })` and the errors of the command line: the texts and the remedy's title, each
 * way that they can be. What is put together elsewhere is left out.
 */
export function errorTexts() {
  const texts = new Set();
  for (const folder of ['src/targets', 'src/cli'])
    for (const file of sourcesIn(folder)) {
      const titlesIn = (remedy) => {
        for (const { name: key, initializer } of ts.isObjectLiteralExpression(remedy)
          ? remedy.properties
          : [])
          if (key?.getText() === 'title') for (const way of ways(initializer)) texts.add(way);
      };
      visit(file, (node) => {
        if (ts.isNewExpression(node) && Object.hasOwn(errors, node.expression.getText()))
          for (const text of node.arguments.slice(...errors[node.expression.getText()]))
            for (const way of ways(text)) if (hasWords(way)) texts.add(way);
        if (ts.isCallExpression(node) && node.expression.getText() === 'errorPart')
          for (const way of ways(node.arguments[0])) texts.add(way);
        if (ts.isPropertyAssignment(node) && node.name.getText() === 'remedy') titlesIn(node.initializer);
      });
    }
  return [...texts].sort();
}

/** What commands and options of the command line say of themselves. */
export function helpTexts() {
  const texts = new Set();
  for (const file of sourcesIn('src/cli'))
    visit(file, (node) => {
      if (!ts.isPropertyAssignment(node) || !help.test(node.name.getText())) return;
      const { initializer } = node;
      const all = ts.isArrayLiteralExpression(initializer) ? initializer.elements : [initializer];
      for (const text of all) for (const way of ways(text)) if (hasWords(way)) texts.add(way);
    });
  return [...texts].sort();
}

/** The first argument of each `l10n.t(…)`; undefined for one that is no literal, which nobody can translate. */
export function saidTexts(folder) {
  const texts = [];
  for (const file of sourcesIn(folder))
    visit(file, (node) => {
      if (!ts.isCallExpression(node) || node.expression.getText() !== 'l10n.t') return;
      const [first] = node.arguments;
      texts.push(first && ts.isStringLiteralLike(first) ? first.text : undefined);
    });
  return texts;
}

const parsed = new Map();

function sourcesIn(folder) {
  const at = path.join(root, folder);
  const files = parsed.get(folder) ?? parse(at);
  parsed.set(folder, files);
  return files;
}

function parse(at) {
  return readdirSync(at, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) =>
      ts.createSourceFile(name, readFileSync(path.join(at, name), 'utf8'), ts.ScriptTarget.ES2022, true),
    );
}

function visit(node, see) {
  see(node);
  ts.forEachChild(node, (child) => visit(child, see));
}

/** Not of values alone, as "{0}: {1}" is, or of the name of one, as "FILE" is. */
const hasWords = (text) => /[a-z]{2}/.test(text);

function ways(text) {
  if (ts.isParenthesizedExpression(text)) return ways(text.expression);
  if (ts.isConditionalExpression(text)) return [...ways(text.whenTrue), ...ways(text.whenFalse)];
  if (ts.isStringLiteralLike(text)) return [text.text];
  // One text in several lines.
  if (ts.isBinaryExpression(text) && text.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [ways(text.left), ways(text.right)];
    return left.length === 1 && right.length === 1 ? [left[0] + right[0]] : [];
  }
  if (!ts.isTemplateExpression(text)) return [];
  const { head, templateSpans } = text;
  return [head.text + templateSpans.map(({ literal }, at) => `{${at}}${literal.text}`).join('')];
}
