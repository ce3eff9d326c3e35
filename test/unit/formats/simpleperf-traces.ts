import protobuf from 'protobufjs';

/** simpleperf's report-sample files as it writes them, made through a schema of the test's own. */
const recordType = protobuf
  .parse(
    `syntax = "proto3";
  message Record { oneof record_data { Sample sample = 1; Lost lost = 2; File file = 3; Thread thread = 4; Meta meta_info = 5; } }
  message Sample { uint64 time = 1; int32 thread_id = 2; repeated Entry callchain = 3; uint64 event_count = 4; uint32 event_type_id = 5; }
  message Entry { uint64 vaddr_in_file = 1; uint32 file_id = 2; int32 symbol_id = 3; uint32 execution_type = 4; }
  message Lost { uint64 sample_count = 1; uint64 lost_count = 2; }
  message File { uint32 id = 1; string path = 2; repeated string symbol = 3; repeated string mangled_symbol = 4; }
  message Thread { uint32 thread_id = 1; uint32 process_id = 2; string thread_name = 3; }
  message Meta { repeated string event_type = 1; string app_package_name = 2; }`,
    { keepCase: true },
  )
  .root.lookupType('Record');

export type SimpleperfRecord = Record<string, unknown>;

export function simpleperfFile(records: readonly SimpleperfRecord[]): Buffer {
  const pieces = records.flatMap((record) => {
    const problem = recordType.verify(record);
    if (problem !== null) throw new Error(problem);
    const bytes = recordType.encode(recordType.fromObject(record)).finish();
    return [Buffer.from(Uint32Array.of(bytes.length).buffer), Buffer.from(bytes)];
  });
  return Buffer.concat([Buffer.from('SIMPLEPERF\x01\x00', 'latin1'), ...pieces, Buffer.alloc(4)]);
}

export const simpleperfSample = (
  ms: number,
  thread_id: number,
  symbols: readonly number[],
  event = 0,
): SimpleperfRecord => ({
  sample: {
    time: 5_000_000_000 + ms * 1_000_000,
    thread_id,
    // The innermost frame first; −1 is a place without a symbol.
    callchain: symbols.map((symbol_id) => ({ vaddr_in_file: 0xabc, file_id: 1, symbol_id })),
    event_count: 1_000_000,
    event_type_id: event,
  },
});

export const simpleperfNames: readonly SimpleperfRecord[] = [
  { lost: { sample_count: 7, lost_count: 1 } },
  { file: { id: 1, path: '/data/app/lib/libshop.so', symbol: ['main', 'shop::price(int)', 'read'] } },
  { thread: { thread_id: 1200, process_id: 1200, thread_name: 'com.example.shop' } },
  { thread: { thread_id: 1201, process_id: 1200, thread_name: 'worker' } },
  { meta_info: { event_type: ['cpu-cycles', 'page-faults'], app_package_name: 'com.example.shop' } },
];

/** Two threads, of one of which a frame has no name; names stand behind the samples, and there is a second event. */
export const shopSimpleperf = (): Buffer =>
  simpleperfFile([
    simpleperfSample(0, 1200, [1, 0]),
    simpleperfSample(1, 1200, [1, 0]),
    simpleperfSample(1, 1201, [2, 0]),
    simpleperfSample(2, 1200, [-1, 1, 0]),
    simpleperfSample(2, 1200, [0], 1),
    simpleperfSample(2, 1201, [2, 0]),
    simpleperfSample(9, 1200, [0]),
    ...simpleperfNames,
  ]);
