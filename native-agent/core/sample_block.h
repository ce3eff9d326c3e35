#pragma once
// Rows and nodes into the messages of proto/recording.proto.
#include "base/bytes.h"
#include "core/held_table.h"
#include "core/row.h"
#include "core/stack_table.h"

namespace btrace {

// One SampleBlock as field 1 of a Samples message. `type_id(key)` numbers what Row::type holds.
template <class TypeId>
void put_sample_block(Bytes& out, u32 thread, const Row* rows, u32 count, TypeId type_id);

// A OffCarrierWaits message.
struct OffCarrierWaitRow {
  i64 begin_ns;
  i64 duration_ns;
  u64 left_out_ns;
  u32 left_out;
  u32 thread;
  u32 id;
  u32 stack;
  u16 flags;
};
void put_held_memory(Bytes& out, const HeldAllocation* rows, u32 count);
void put_off_carrier_waits(Bytes& out, const OffCarrierWaitRow* rows, u32 count);

// A Nodes message. `ids` ascend; `frame_of(id)` and the rest give the columns.
struct NodeRow {
  u32 id;
  u32 parent;
  i64 frame;
  i64 position;  // + 1; 0: none
  u32 image;     // 0: the frame is a method's
};
void put_nodes(Bytes& out, const NodeRow* nodes, u32 count);

}  // namespace btrace

#include "core/columns.h"

namespace btrace {

template <class TypeId>
void put_sample_block(Bytes& out, u32 thread, const Row* rows, u32 count, TypeId type_id) {
  Nested block(out, 1);
  const Row& first = rows[0];
  put_field(out, 1, thread);
  put_field(out, 2, count);
  put_signed_field(out, 3, first.time_ns);
  put_field(out, 4, static_cast<u64>(first.cpu_ns));
  put_field(out, 5, first.allocations);
  put_field(out, 6, first.allocated_bytes);
  put_field(out, 7, first.major_faults);
  put_field(out, 8, first.voluntary_switches);
  put_field(out, 9, first.involuntary_switches);
  put_field(out, 10, first.stack);
  put_field(out, 11, first.loop_message);
  put_fixed32_field(out, 12, first.counters);

  constexpr Coding kPlain = Coding::Plain, kSparse = Coding::Sparse;
  put_delta_column(out, 16, count, kPlain, first.time_ns, [&](u32 row) { return rows[row].time_ns; });
  put_column(out, 17, count, kSparse, [&](u32 row) { return rows[row].duration_ns; });
  if (first.counters & kCounterCpu)
    put_delta_column(out, 18, count, kPlain, first.cpu_ns - first.time_ns,
                     [&](u32 row) { return rows[row].cpu_ns - rows[row].time_ns; });
  put_column(out, 19, count, kSparse, [&](u32 row) { return rows[row].cpu_duration_ns; });
  put_delta_column(out, 20, count, kPlain, first.stack, [&](u32 row) { return i64{rows[row].stack}; });
  put_delta_column(out, 21, count, kSparse, 0, [&](u32 row) { return static_cast<i64>(rows[row].kind); });
  put_column(out, 22, count, kSparse, [&](u32 row) { return i64{rows[row].stands_for() - 1}; });
  put_delta_column(out, 23, count, kSparse, first.loop_message, [&](u32 row) { return i64{rows[row].loop_message}; });
  put_delta_column(out, 24, count, kSparse, first.allocations, [&](u32 row) { return i64{rows[row].allocations}; });
  put_delta_column(out, 25, count, kSparse, static_cast<i64>(first.allocated_bytes),
                   [&](u32 row) { return static_cast<i64>(rows[row].allocated_bytes); });
  put_delta_column(out, 26, count, kSparse, first.major_faults, [&](u32 row) { return i64{rows[row].major_faults}; });
  put_delta_column(out, 27, count, kSparse, first.voluntary_switches,
                   [&](u32 row) { return i64{rows[row].voluntary_switches}; });
  put_delta_column(out, 28, count, kSparse, first.involuntary_switches,
                   [&](u32 row) { return i64{rows[row].involuntary_switches}; });
  put_column(out, 32, count, kSparse, [&](u32 row) { return rows[row].type ? i64{type_id(rows[row].type)} : 0; });
  put_column(out, 33, count, kSparse, [&](u32 row) { return static_cast<i64>(rows[row].object); });
  put_column(out, 34, count, kSparse, [&](u32 row) { return i64{rows[row].peer}; });
  put_column(out, 35, count, kSparse, [&](u32 row) { return i64{rows[row].flags}; });
  put_column(out, 36, count, kSparse, [&](u32 row) { return i64{rows[row].text}; });
}

}  // namespace btrace
