import protobuf from 'protobufjs';

/** pprof's profiles as others write them, made through a schema of the test's own. */
const profile = protobuf
  .parse(
    `syntax = "proto3";
  message Profile {
    repeated ValueType sample_type = 1; repeated Sample sample = 2; repeated Mapping mapping = 3;
    repeated Location location = 4; repeated Function function = 5; repeated string string_table = 6;
    int64 time_nanos = 9; int64 duration_nanos = 10; ValueType period_type = 11; int64 period = 12;
    int64 default_sample_type = 14;
  }
  message ValueType { int64 type = 1; int64 unit = 2; }
  message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; repeated Label label = 3; }
  message Label { int64 key = 1; int64 str = 2; int64 num = 3; }
  message Mapping { uint64 id = 1; uint64 memory_start = 2; uint64 memory_limit = 3; uint64 file_offset = 4;
    int64 filename = 5; int64 build_id = 6; }
  message Location { uint64 id = 1; uint64 mapping_id = 2; uint64 address = 3; repeated Line line = 4; }
  message Line { uint64 function_id = 1; int64 line = 2; }
  message Function { uint64 id = 1; int64 name = 2; int64 system_name = 3; int64 filename = 4; int64 start_line = 5; }`,
    { keepCase: true },
  )
  .root.lookupType('Profile');

export type ProfileMessage = Record<string, unknown>;

export function encodedProfile(message: ProfileMessage): Uint8Array {
  const problem = profile.verify(message);
  if (problem !== null) throw new Error(problem);
  return profile.encode(profile.fromObject(message)).finish();
}

export function decodedProfile(bytes: Uint8Array): ProfileMessage {
  return profile.toObject(profile.decode(bytes), { longs: Number });
}

const texts = [
  ...['', 'samples', 'count', 'cpu', 'nanoseconds', '/opt/shop/server', 'main.main', '/src/main.go'],
  ...['shop.(*Cart).Add', '/src/cart.go', 'shop.price', 'handle', '/src/a.go', '/src/b.go', 'space', 'bytes'],
];
const at = (text: string): number => texts.indexOf(text);
const line = (id: number): ProfileMessage => ({ function_id: id, line: 12 });

/**
 * A program's CPU time: `shop.price` is inlined into `Add`, two functions are called `handle`, and one place has no function.
 */
export const cpuMessage: ProfileMessage = {
  sample_type: [
    { type: at('samples'), unit: at('count') },
    { type: at('cpu'), unit: at('nanoseconds') },
  ],
  sample: [
    { location_id: [2, 1], value: [3, 30_000_000] },
    { location_id: [3, 1], value: [1, 10_000_000], label: [{ key: at('space'), num: 7 }] },
    { location_id: [4, 1], value: [2, 20_000_000] },
    { location_id: [2, 1], value: [1, 10_000_000] },
    { location_id: [5, 1], value: [1, 10_000_000] },
  ],
  mapping: [{ id: 1, memory_start: 0x400000, memory_limit: 0x500000, filename: at('/opt/shop/server') }],
  location: [
    { id: 1, mapping_id: 1, address: 0x401000, line: [line(1)] },
    { id: 2, mapping_id: 1, address: 0x402000, line: [line(3), line(2)] },
    { id: 3, mapping_id: 1, address: 0x403000, line: [line(4)] },
    { id: 4, mapping_id: 1, address: 0x404000, line: [line(5)] },
    { id: 5, mapping_id: 1, address: 0x405abc },
  ],
  function: [
    { id: 1, name: at('main.main'), filename: at('/src/main.go'), start_line: 10 },
    { id: 2, name: at('shop.(*Cart).Add'), filename: at('/src/cart.go'), start_line: 20 },
    { id: 3, name: at('shop.price'), filename: at('/src/cart.go'), start_line: 40 },
    { id: 4, name: at('handle'), filename: at('/src/a.go'), start_line: 1 },
    { id: 5, name: at('handle'), filename: at('/src/b.go'), start_line: 2 },
  ],
  string_table: texts,
  time_nanos: 1_700_000_000_000_000_000,
  duration_nanos: 1_000_000_000,
  period_type: { type: at('cpu'), unit: at('nanoseconds') },
  period: 10_000_000,
};

export const cpuPprof = (): Uint8Array => encodedProfile(cpuMessage);

/** Memory by stack: the file says which of its values is meant, and it is not the last. */
export const heapPprof = (): Uint8Array =>
  encodedProfile({
    ...cpuMessage,
    sample_type: [
      { type: at('space'), unit: at('bytes') },
      { type: at('samples'), unit: at('count') },
    ],
    sample: [
      { location_id: [2, 1], value: [4096, 4] },
      { location_id: [3, 1], value: [1024, 1] },
    ],
    default_sample_type: at('space'),
  });
