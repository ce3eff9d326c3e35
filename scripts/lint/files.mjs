// How the sources may make and open files, held by lint. A folder may belong to others, who put links and pipes at any name in it
// (docs/SECURITY.md): files are made with the flag "wx", which follows nothing, and where other users' folders are read, by
// src/targets/shared-folder.ts and readRegular(), which wait for nothing.
import path from 'node:path';

/** Rooms whose code makes files. */
const makers = ['targets', 'cli', 'extension'].map((room) => path.join(path.sep, 'src', room, path.sep));
/** Where it reads what other users may have put there. */
const readers = [path.join(path.sep, 'src', 'targets', 'local', path.sep)];
const exempt = path.join(path.sep, 'src', 'targets', 'shared-folder.ts');

const writes = new Set(['writeFile', 'writeFileSync', 'appendFile', 'appendFileSync', 'createWriteStream']);
const copies = new Set(['copyFile', 'copyFileSync']);
const opens = new Set(['open', 'openSync']);
const reads = new Set(['readFile', 'readFileSync', 'createReadStream']);

/** Names that a file imports from Node's modules of files: local name → exported name. */
function importedFrom(node, into) {
  if (!/^(node:)?fs(\/promises)?$/.test(node.source.value)) return;
  for (const one of node.specifiers)
    if (one.type === 'ImportSpecifier') into.set(one.local.name, one.imported.name);
}

const isNew = (flag) => typeof flag === 'string' && flag.includes('x');

function flagOf(options) {
  const property = options?.properties?.find(({ key }) => key?.name === 'flag');
  return property?.value.value;
}

/** The beginning of a path that stands in the source. */
function beginning(node) {
  if (node?.type === 'Literal') return String(node.value);
  return node?.type === 'TemplateLiteral' ? node.quasis[0].value.raw : '';
}

function complaint(name, [file, second, third], inReaders) {
  if (writes.has(name) && !isNew(flagOf(third)))
    return `${name} follows links and empties what is there: give the flag "wx"`;
  if (copies.has(name) && third === undefined)
    return `${name} follows links and replaces what is there: give COPYFILE_EXCL`;
  if (opens.has(name) && second?.type === 'Literal' && /[wa]/.test(second.value) && !isNew(second.value))
    return `${name} with "${second.value}" follows links: give the flag "wx"`;
  const waits = (opens.has(name) && (second === undefined || second.value === 'r')) || reads.has(name);
  if (inReaders && waits && !/^\/(proc|etc)\//.test(beginning(file)))
    return `${name} waits for ever at a pipe: use SharedFolder or readRegular()`;
  return undefined;
}

export const sharedFolders = {
  meta: { type: 'problem', schema: [], messages: { wrong: '{{why}}' } },
  create(context) {
    const { filename } = context;
    const isIn = (places) => places.some((place) => filename.includes(place));
    if (!isIn(makers) || filename.endsWith(exempt)) return {};
    const imported = new Map();
    return {
      ImportDeclaration: (node) => importedFrom(node, imported),
      CallExpression(node) {
        const name = imported.get(node.callee.name);
        const why = name === undefined ? undefined : complaint(name, node.arguments, isIn(readers));
        if (why !== undefined) context.report({ node, messageId: 'wrong', data: { why } });
      },
    };
  },
};
