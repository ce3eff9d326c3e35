/** What a lag watch wrote, held against the messages that its program says it handled (test/rigs/art/apps/sample/Hang.java). */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { decodeRecording } from '../../src/trace/assemble/decode.js';
import { readLagRecord } from '../../src/trace/lags/lag-record.js';
import { firstOwnFrame } from '../../src/trace/lags/passed-over.js';

/** A message that takes longer is a lag. */
export const lagLimitNs = 400e6;
/** The loop's message begins a little before the program reads the clock. Within so much of the limit either is right. */
const unclearNs = 5e6;

export interface JudgedLags {
  readonly messages: number;
  /** Messages that are lags, and those of which it cannot be said. */
  readonly planted: number;
  readonly unclear: number;
  /** Lags without a file, by what the program said of them. */
  readonly missed: readonly string[];
  /** Files of what is no lag. */
  readonly invented: readonly string[];
  /** Lags of which it is clear which stack was the costliest, though the machine was busy with other things. */
  readonly clear: number;
  /** Those whose costliest stack is another than the planted one: "planted: found". */
  readonly wrongStacks: readonly string[];
  /** As the watch counted them. */
  readonly counted: number;
}

interface Message {
  readonly method: string;
  readonly begin: number;
  readonly costlyBegin: number;
  readonly costlyEnd: number;
  readonly end: number;
}

const told = /^truth message method=(\S+) begin=(\d+) costlyBegin=(\d+) costlyEnd=(\d+) end=(\d+)/gm;

/** The watch keeps 20 stacks, one each 10 ms. */
const keptNs = 200e6;
/** So much longer than the other parts. */
const clearly = 1.5;

/** Whether most of the time from `from` to `to` went into the planted part, by what the program measured. */
function isCostly({ begin, costlyBegin, costlyEnd, end }: Message, from: number, to: number): boolean {
  const within = (partBegin: number, partEnd: number): number =>
    Math.max(Math.min(partEnd, to) - Math.max(partBegin, from), 0);
  const others = Math.max(within(begin, costlyBegin), within(costlyEnd, end));
  return within(costlyBegin, costlyEnd) > clearly * others;
}

interface Found {
  readonly cause: string;
  readonly isClear: boolean;
}

export function judgeLags(output: string, folder: string): JudgedLags {
  const messages = Array.from(
    output.matchAll(told),
    ([, method = '', begin, costlyBegin, costlyEnd, end]): Message => ({
      method,
      begin: Number(begin),
      costlyBegin: Number(costlyBegin),
      costlyEnd: Number(costlyEnd),
      end: Number(end),
    }),
  );
  const invented: string[] = [];
  const causes = new Map<Message, Found>();
  for (const name of readdirSync(folder)
    .filter((one) => /^lag-.*\.btrace$/.test(one))
    .sort()) {
    const bytes = readFileSync(path.join(folder, name));
    const lag = readLagRecord(name, bytes);
    if (lag === undefined) throw new Error(`${name} is no lag file`);
    const origin = Number(decodeRecording(bytes).trace().info.startMonotonicNs);
    const begin = origin + lag.beginNs;
    const message = messages.find((one) => begin < one.end && begin > one.begin - lagLimitNs);
    if (message === undefined || message.end - message.begin < lagLimitNs - unclearNs) {
      invented.push(`${name}: ${message === undefined ? 'no message' : JSON.stringify(message)}`);
      continue;
    }
    // A lag whose stack changes has several files: the first is the one that a person meets.
    if (causes.has(message)) continue;
    const names = lag.frames.map(({ className, method }) => `${className}.${method}`);
    const seenTo = Math.min(origin + lag.detectedNs, message.end);
    const isClear = isCostly(message, message.begin, seenTo) && isCostly(message, seenTo - keptNs, seenTo);
    causes.set(message, { cause: names[firstOwnFrame(names)] ?? '', isClear });
  }
  const lengthOf = ({ begin, end }: Message): number => end - begin;
  const planted = messages.filter((one) => lengthOf(one) > lagLimitNs + unclearNs);
  const clear = planted.filter((one) => causes.get(one)?.isClear);
  return {
    messages: messages.length,
    planted: planted.length,
    unclear: messages.filter((one) => Math.abs(lengthOf(one) - lagLimitNs) <= unclearNs).length,
    missed: planted.filter((one) => !causes.has(one)).map((one) => JSON.stringify(one)),
    invented,
    clear: clear.length,
    wrongStacks: clear
      .filter((one) => causes.get(one)?.cause !== one.method)
      .map((one) => `${one.method}: ${causes.get(one)?.cause ?? ''}`),
    counted: Number(/^truth watched lags=(\d+)/m.exec(output)?.[1]),
  };
}
