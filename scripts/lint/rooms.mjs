// The direction of imports between the rooms of src/, held by lint. ARCHITECTURE.md draws the same table.
import path from 'node:path';
import { builtinModules } from 'node:module';

/** What each room may import besides itself: other rooms or folders of theirs, and which kinds of outside modules. */
export const rooms = {
  trace: { rooms: [], node: false, vscode: false },
  symbols: { rooms: ['trace'], node: true, vscode: false },
  query: { rooms: ['trace', 'symbols'], node: true, vscode: false },
  targets: { rooms: ['trace', 'symbols'], node: true, vscode: false },
  tools: { rooms: ['trace', 'symbols', 'query', 'targets'], node: true, vscode: false },
  cli: { rooms: ['trace', 'symbols', 'query', 'targets', 'tools'], node: true, vscode: false },
  protocol: { rooms: [], node: false, vscode: false },
  extension: {
    rooms: ['trace', 'symbols', 'query', 'targets', 'tools', 'protocol'],
    node: true,
    vscode: true,
  },
  webview: { rooms: ['trace', 'symbols/r8', 'protocol'], node: false, vscode: false },
};

const nodeModules = new Set(builtinModules);

function roomOf(file) {
  const parts = file.split(path.sep);
  const at = parts.lastIndexOf('src');
  const room = at < 0 ? undefined : parts[at + 1];
  return room !== undefined && Object.hasOwn(rooms, room) ? room : undefined;
}

/** Whether a file lies in a room, or in a folder of one: "symbols/r8". */
function isWithin(file, place) {
  return file.includes(path.join(path.sep, 'src', place, path.sep));
}

/** Says why `specifier` may not be imported by `file`, or nothing when it may. */
export function refuse(file, specifier) {
  const room = roomOf(file);
  if (room === undefined) return undefined;
  const may = rooms[room];
  if (specifier.startsWith('.')) {
    const imported = path.resolve(path.dirname(file), specifier);
    const target = roomOf(imported);
    if (target === undefined) return `src/${room} may not import from outside src: ${specifier}`;
    if (target === room || may.rooms.some((one) => isWithin(imported, one))) return undefined;
    return `src/${room} may not import src/${target}`;
  }
  if (specifier === 'vscode') return may.vscode ? undefined : `src/${room} may not import vscode`;
  if (specifier.startsWith('node:') || nodeModules.has(specifier)) {
    return may.node ? undefined : `src/${room} may not import Node's ${specifier}`;
  }
  return undefined;
}

export const roomDirection = {
  meta: { type: 'problem', schema: [], messages: { wrong: '{{why}}' } },
  create(context) {
    const check = (node) => {
      const source = node?.source;
      if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
      const why = refuse(context.filename, source.value);
      if (why !== undefined) context.report({ node: source, messageId: 'wrong', data: { why } });
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};
