/**
 * Fails where a reader of a foreign format makes a number of what the file holds without the gate (src/trace/assemble/number-gate.ts):
 * such a number may be NaN, infinite, or have another meaning than digits have, and what is computed from it may throw or never end.
 *
 * A conversion is a call of `Number`, `BigInt`, `parseInt` or `parseFloat`, a unary plus, `JSON.parse`, or a read of a `DataView` that
 * can give a number of any size. It may stand within a call of one of the gate's functions, or on the list below with its reason.
 */
import path from 'node:path';

const conversions = new Set(['Number', 'BigInt', 'parseInt', 'parseFloat']);
const wideReads = new Set(['getFloat32', 'getFloat64', 'getBigInt64', 'getBigUint64']);

/** Conversions without the gate: the file, the text that they have there, and why they are safe. */
export const allowed = [
  {
    file: 'json-reader.ts',
    text: 'Number(decoder.decode(this.bytes.subarray(from, this.at)))',
    why: 'is the reader of JSON numbers: refuses what is not finite in the next line; columns ask the gate again',
  },
  {
    file: 'json-reader.ts',
    text: 'parseInt(hex, 16)',
    why: 'four hexadecimal digits of an escape, by the expression that found them; a character, no figure',
  },
  {
    file: 'protobuf-reader.ts',
    text: 'floats.getFloat64(0, true)',
    why: 'is the reader of protobuf doubles: columns and counters ask the gate',
  },
  {
    file: 'protobuf-reader.ts',
    text: 'BigInt(this.high)',
    why: 'half of a varint: a whole number below 2^32 by construction',
  },
  {
    file: 'protobuf-reader.ts',
    text: 'BigInt(this.low)',
    why: 'half of a varint: a whole number below 2^32 by construction',
  },
];

/** The names by which a file calls the gate. */
function gateNames(program) {
  return new Set(
    program.body
      .filter(({ type, source }) => type === 'ImportDeclaration' && /\/number-gate\.js$/.test(source.value))
      .flatMap(({ specifiers }) => specifiers.map(({ local }) => local.name)),
  );
}

/** Whether a number goes into a call of the gate before anything but arithmetic is done with it. */
function isGated(node, gates) {
  for (let at = node; ; at = at.parent) {
    const { parent } = at;
    if (parent?.type === 'CallExpression' && parent.callee !== at) return gates.has(parent.callee.name);
    const isArithmetic =
      parent?.type === 'BinaryExpression' ||
      parent?.type === 'UnaryExpression' ||
      parent?.type === 'ConditionalExpression' ||
      parent?.type === 'LogicalExpression';
    if (!isArithmetic) return false;
  }
}

function isConversion({ callee }) {
  if (callee.type === 'Identifier') return conversions.has(callee.name);
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return false;
  const { name } = callee.property;
  if (callee.object.name === 'JSON') return name === 'parse';
  if (callee.object.name === 'Number') return conversions.has(name);
  return wideReads.has(name);
}

export const foreignNumbers = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      raw: 'Makes a number of a foreign file without the gate: use a function of assemble/number-gate.ts',
    },
  },
  create(context) {
    const { sourceCode } = context;
    const name = path.basename(context.filename);
    const gates = gateNames(sourceCode.ast);
    const check = (node) => {
      const text = sourceCode.getText(node);
      if (isGated(node, gates)) return;
      if (allowed.some((entry) => entry.file === name && entry.text === text)) return;
      context.report({ node, messageId: 'raw' });
    };
    return {
      CallExpression(node) {
        if (isConversion(node)) check(node);
      },
      UnaryExpression(node) {
        if (node.operator === '+' && node.argument.type !== 'Literal') check(node);
      },
    };
  },
};
