/** How versions of Go lay out the table of a program's functions: the first word says which one it is. */
import type { Cursor } from './dwarf/section.js';

/** One function at an address. */
export interface GoFrame {
  readonly name: string;
  /** Where the function begins, in the file; 0 for an inlined call. */
  readonly start: number;
  readonly isInlined: boolean;
  readonly file: string;
  /** 0: not known. */
  readonly line: number;
}

/** Where the parts of the table begin, counted from the table's begin. */
export interface GoParts {
  /** Of functions. */
  readonly count: number;
  /** Where the code begins; 0: not told. */
  readonly textStart: number;
  readonly names: number;
  /** For each unit the files that it has, as places in `files`. */
  readonly units: number;
  readonly files: number;
  /** Tables of files, lines and inlined calls. */
  readonly numbers: number;
  readonly functions: number;
}

export interface GoLayout {
  readonly headBytes: number;
  /** `cursor`: behind the word's eight bytes. */
  head(cursor: Cursor): GoParts;
  /** A row has where a function begins, and where it is described; the description's own parts follow it. */
  readonly rowBytes: number;
  /** Functions begin at offsets from the code's begin, and not at addresses. */
  readonly isRelative: boolean;
  readonly functionBytes: number;
  readonly startLineBytes: number;
  /** Of a reference to what belongs to a function, as its tree of inlined calls. */
  readonly dataBytes: number;
  /** The word of the program's description (`moduledata`) that references count from; −1: they are addresses. */
  readonly functionDataWord: number;
  /** Of a tree: the size of an entry, and where in it are the function's name and the place of the call. */
  readonly inlined: { readonly entryBytes: number; readonly name: number; readonly parent: number };
}

/** The word of a program's description (`moduledata`) that says where its code begins. */
export const textWord = 22;
/** Which of the tables of a function says in which inlined call an address is, and which of its references is the tree of these. */
export const inlineIndexTable = 2;
export const inlineTreeReference = 3;

const oldTree = { entryBytes: 20, name: 12, parent: 16 };
const newTree = { entryBytes: 16, name: 4, parent: 8 };

function parts(cursor: Cursor, hasTextStart: boolean): GoParts {
  const count = cursor.u64();
  cursor.skip(8); // how many files
  const textStart = hasTextStart ? cursor.u64() : 0;
  const [names, units, files, numbers, functions] = [0, 0, 0, 0, 0].map(() => cursor.u64()) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return { count, textStart, names, units, files, numbers, functions };
}

const go116: GoLayout = {
  headBytes: 8 + 7 * 8,
  head: (cursor) => parts(cursor, false),
  rowBytes: 16,
  isRelative: false,
  functionBytes: 44,
  startLineBytes: 0,
  dataBytes: 8,
  functionDataWord: -1,
  inlined: oldTree,
};
const go118: GoLayout = {
  ...go116,
  headBytes: 8 + 8 * 8,
  head: (cursor) => parts(cursor, true),
  rowBytes: 8,
  isRelative: true,
  functionBytes: 40,
  dataBytes: 4,
  functionDataWord: 38,
};
const go120: GoLayout = {
  ...go118,
  functionBytes: 44,
  startLineBytes: 4,
  functionDataWord: 40,
  inlined: newTree,
};

export const goLayouts: ReadonlyMap<number, GoLayout> = new Map([
  [0xfffffffa, go116],
  [0xfffffff0, go118],
  [0xfffffff1, go120],
]);
