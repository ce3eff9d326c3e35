import { ProcessTree, TreeProcess, TreeThread } from './perfetto-fields.js';
import { ProtobufReader } from './protobuf-reader.js';

/** Who is told. */
export interface NamedByTree {
  nameThread(tid: number, name: string, pid: number): void;
  nameProcess(pid: number, name: string): void;
}

const tree = new ProtobufReader();
const inner = new ProtobufReader();

/** Which process each thread belongs to, and their names. */
export function readProcessTree(bytes: Uint8Array, from: number, to: number, kernel: NamedByTree): void {
  tree.open(bytes, from, to);
  while (tree.next()) {
    if (tree.wireType !== 2) continue;
    inner.open(bytes, tree.from, tree.to);
    let id = 0;
    let process = 0;
    let name = '';
    if (tree.field === ProcessTree.threads) {
      while (inner.next()) {
        if (inner.field === TreeThread.tid) id = inner.low;
        else if (inner.field === TreeThread.tgid) process = inner.low;
        else if (inner.field === TreeThread.name && inner.wireType === 2) name = inner.text();
      }
      if (id > 0) kernel.nameThread(id, name, process);
    } else if (tree.field === ProcessTree.processes) {
      while (inner.next()) {
        if (inner.field === TreeProcess.pid) id = inner.low;
        else if (inner.field === TreeProcess.cmdline && inner.wireType === 2 && name === '')
          name = inner.text();
      }
      if (id > 0) {
        kernel.nameProcess(id, name);
        kernel.nameThread(id, '', id);
      }
    }
  }
}
