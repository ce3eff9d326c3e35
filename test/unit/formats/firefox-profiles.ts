/** A profile as the Firefox Profiler's newer versions save it: tables are shared, times are differences. */
export function sharedProfile(): Buffer {
  const strings = ['main', 'com.example.Shop.price', 'Shop.java', 'read', '/src/read.c'];
  return Buffer.from(
    JSON.stringify({
      meta: {
        ...{
          version: 31,
          preprocessedProfileVersion: 57,
          interval: 1,
          startTime: 1_700_000_000_000,
          product: 'Shop',
        },
        sampleUnits: { time: 'ms', eventDelay: 'ms', threadCPUDelta: 'µs' },
        categories: [{ name: 'Other', color: 'grey', subcategories: ['Other'] }],
      },
      libs: [],
      threads: [
        {
          ...{ name: 'GeckoMain', processName: 'Shop', pid: '1200', tid: '1200', isMainThread: true },
          samples: {
            ...{ length: 5, stack: [1, 1, null, 2, 9], timeDeltas: [10, 1, 1, 1, 0.5] },
            ...{ weight: null, weightType: 'samples', threadCPUDelta: [null, 900, 500, 0, 100] },
          },
          markers: {
            length: 1,
            name: [0],
            startTime: [1],
            endTime: [2],
            phase: [1],
            category: [0],
            data: [null],
          },
        },
        {
          ...{ name: 'worker', pid: '1200', tid: 1201, isMainThread: false },
          samples: { length: 2, stack: [0, 2], timeDeltas: [11, 7], weight: null, weightType: 'samples' },
        },
      ],
      shared: {
        stringArray: strings,
        stackTable: { length: 3, prefix: [null, 0, 1], frame: [0, 1, 2] },
        frameTable: { length: 3, func: [0, 1, 2], line: [12, 41, null] },
        funcTable: { length: 3, name: [0, 1, 3], source: [0, 0, 1], lineNumber: [10, 40, null] },
        sources: { length: 2, filename: [2, 4] },
      },
    }),
  );
}

/** A profile as Firefox itself writes it: tables have rows, frames have places, and another process stands within it. */
export function rawProfile(): Buffer {
  const tables = {
    stackTable: {
      schema: { prefix: 0, frame: 1 },
      data: [[null, 0], [0, 1], [1, 2], [5]],
    },
    frameTable: {
      schema: {
        location: 0,
        relevantForJS: 1,
        innerWindowID: 2,
        implementation: 3,
        line: 4,
        column: 5,
        category: 6,
      },
      data: [
        [0, false, 0],
        [1, true, 7, null, null, null, 3],
        [2, false, 0, null, 9],
      ],
    },
    stringTable: ['(root)', 'price (https://shop.example/cart.js:41:5)', 'read() (in libshop.so)'],
  };
  const thread = (name: string, tid: number, data: readonly unknown[]): object => ({
    ...{ name, registerTime: 0, unregisterTime: null, tid, pid: tid - (tid % 100), processType: 'default' },
    samples: { schema: { stack: 0, time: 1, eventDelay: 2, threadCPUDelta: 3 }, data },
    markers: {
      schema: { name: 0, startTime: 1, endTime: 2, phase: 3, category: 4, data: 5 },
      data: [[0, 1, 2, 1, 0]],
    },
    ...tables,
  });
  const meta = { version: 27, startTime: 1_700_000_000_000, interval: 1, product: 'Firefox', processType: 0 };
  return Buffer.from(
    JSON.stringify({
      meta: { ...meta, sampleUnits: { time: 'ms', eventDelay: 'ms', threadCPUDelta: 'ns' } },
      libs: [{ name: 'libshop.so', start: 4096, end: 8192 }],
      pages: [],
      threads: [
        thread('GeckoMain', 1200, [
          [1, 10],
          [1, 11, 0.5, 900_000],
          [null, 12],
          [2, 13, 0, 500_000],
          [9, 14],
        ]),
        thread('DOM Worker', 1201, [
          [0, 11],
          [2, 18],
        ]),
      ],
      pausedRanges: [],
      processes: [
        {
          processes: [],
          meta: { ...meta, startTime: 1_700_000_000_020, processType: 2 },
          libs: [],
          threads: [
            thread('GeckoMain', 1300, [
              [1, 1],
              [2, 2],
            ]),
          ],
          pausedRanges: [],
        },
      ],
    }),
  );
}
