import { eachMember, eachNumber, shortKey, type JsonReader } from './json-reader.js';

const idKey = shortKey('id');
const urlKey = shortKey('url');

/** A function as V8's profiles describe it. */
export interface V8Frame {
  name: string;
  url: string;
  /** From 1; the file counts from 0. */
  line: number;
}

/** A node of the tree of calls in a profile of V8. */
export interface V8Node {
  /** NaN where the file does not say it. */
  id: number;
  /** In traces each node names its parent; in files of their own, nodes name their children. */
  parent: number;
  readonly frame: V8Frame;
}

/** Reads the object that `reader` stands before. Undefined: it does not hold together, or its end is not there yet. */
export function readV8Node(reader: JsonReader, onChild?: (id: number) => void): V8Node | undefined {
  const node: V8Node = { id: NaN, parent: NaN, frame: { name: '', url: '', line: 0 } };
  const isWhole = eachMember(reader, (key) => {
    if (key === idKey) {
      if (!reader.number()) return false;
      node.id = reader.value;
      return true;
    }
    if (reader.is('parent')) {
      if (!reader.number()) return false;
      node.parent = reader.value;
      return true;
    }
    if (reader.is('callFrame') && reader.peek() === 0x7b) return readFrame(reader, node.frame);
    if (onChild !== undefined && reader.is('children') && reader.peek() === 0x5b)
      return eachNumber(reader, onChild);
    return reader.skip();
  });
  return isWhole ? node : undefined;
}

function readFrame(reader: JsonReader, frame: V8Frame): boolean {
  return eachMember(reader, (key) => {
    if (reader.is('functionName') && reader.peek() === 0x22) {
      if (!reader.string()) return false;
      frame.name = reader.text();
      return true;
    }
    if (key === urlKey && reader.peek() === 0x22) {
      if (!reader.string()) return false;
      frame.url = reader.text();
      return true;
    }
    if (!reader.is('lineNumber')) return reader.skip();
    if (!reader.number()) return false;
    frame.line = reader.value + 1;
    return true;
  });
}
