/** The thread that reads symbol tables and debug information for a recording. Ended by terminating it. */
import { parentPort, workerData } from 'node:worker_threads';
import { type NamedProgram, NativeNames } from './native-names.js';
import type { NamesAnswer, NamesRequest } from './native-names-messages.js';

const port = parentPort;
if (port === null) throw new Error('native-names-worker.ts runs in a worker thread.');
const names = new NativeNames(workerData as NamedProgram);
let turn: Promise<unknown> = Promise.resolve();

port.on('message', ({ chunk }: NamesRequest) => {
  turn = turn.then(async () => {
    const answer: NamesAnswer = { names: await names.before(chunk), missing: names.missing };
    port.postMessage(answer);
  });
});
