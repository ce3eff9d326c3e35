// Measures the capture path in the real Android Runtime, beside the walk that it contains. Loaded by the rig's app
// sample.Bench; prints "NAME VALUE UNIT" lines, test/bench/art.ts knows the targets. Ratios are medians over
// interleaved batches: absolute times do not travel between machines.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/clock.h"
#include "core/capture.h"
#include "rt/art/art.h"
#include "rt/art/points.h"
#include "rt/art/runnable.h"
#include "rt/art/thread_state.h"

using namespace btrace;
using namespace btrace::art;

namespace {

Session* g_session;
u32 g_depth;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

void print(const char* name, double value, const char* unit) {
  printf("measured %s %.4g %s\n", name, value, unit);
  fflush(stdout);
}

// ---------------------------------------------------------------- walks

// What anybody must do who wants a stack with its positions, and nothing else.
struct BareVisitor {
  const void* table;
  u8 room[2048];
  Frame frames[64];
  u32 count;
};

bool visit(BareVisitor* visitor) {
  const Internals& art = g_art.internals;
  auto* method = art.as<ArtMethod*(const void*)>(Need::GetMethod)(visitor);
  if (!method || visitor->count == 64) return true;
  const u32 pc = art.as<u32(const void*, bool)>(Need::GetDexPc)(visitor, false);
  visitor->frames[visitor->count++] = {reinterpret_cast<u64>(method), static_cast<i64>(pc)};
  return true;
}

const void* const kVisitorTable[] = {entry(no_destructor), entry(no_destructor), entry(visit)};

u32 walk_bare(ArtThread* self) {
  const Internals& art = g_art.internals;
  BareVisitor visitor;
  visitor.count = 0;
  art.as<void(void*, ArtThread*, void*, u32, bool)>(Need::VisitorConstructor)(&visitor, self, nullptr, 0, false);
  visitor.table = kVisitorTable;
  art.as<void(void*, bool)>(Need::WalkStack)(&visitor, false);
  return visitor.count;
}

void record_once(ArtThread* self, ThreadRecord* record, u32 number) {
  Capture capture;
  if (!capture.begin(record, SampleKind::Allocation, true)) abort();
  capture.row().object = number + 1;  // no merging: every capture is written
  const i32 count = walk_stack(self, self, capture.frames(), WalkBuffer::kFrames, capture.row().flags);
  if (count < 0) abort();
  capture.commit(static_cast<u32>(count));
}

template <class Body>
double ns_each(u32 times, Body body) {
  const i64 begin = now_ns();
  for (u32 i = 0; i < times; i++) body(i);
  return static_cast<double>(now_ns() - begin) / times;
}

void drop_samples(ThreadRecord& record) {
  flush_pending(*g_session, record, 0);
  record.held.shard.drop(g_session->pool);
}

void walks(JNIEnv* env, int turns) {
  constexpr u32 kBatch = 100;
  ArtThread* self = Internals::thread_of(env);
  ThreadRecord* record = my_record(self);
  std::vector<double> bare, ratio, with_counters;
  for (int turn = 0; turn < turns; turn++) {
    const double walk = ns_each(kBatch, [&](u32) { walk_bare(self); });
    const double plain = ns_each(kBatch, [&](u32 i) { record_once(self, record, i); });
    const double full =
        ns_each(kBatch, [&](u32 i) { capture_here(self, record, SampleKind::Allocation, {i + 1, 0, 0}, true); });
    bare.push_back(walk);
    ratio.push_back(plain / walk);
    with_counters.push_back(full / walk);
    drop_samples(*record);
  }
  print("walk-depth", g_depth, "frames");
  print("walk", median(bare), "ns");
  print("record", median(ratio), "x");
  print("record-counters", median(with_counters), "x");
}

// ---------------------------------------------------------------- allocations

void nothing(void*, ArtThread*, void*, size_t) {}
bool no(void*) {
  return false;
}
// As the agent's own: right for all versions.
const void* const kEmptyTable[] = {entry(no_destructor), entry(no_destructor), entry(nothing), entry(no),
                                   entry(nothing)};
VirtualObject g_empty = {kEmptyTable};

enum Listening : int { kNobody, kEmpty, kAgent };
std::vector<double> g_ns_each[3];

void listen(int whom) {
  const Internals& art = g_art.internals;
  static int current = kNobody;
  if (current == kAgent) remove_heap_listeners(*g_session);
  if (current == kEmpty) art.as<void(u8*)>(Need::RemoveAllocationListener)(art.places.heap.at);
  current = whom;
  if (whom == kEmpty) art.as<void(u8*, void*)>(Need::SetAllocationListener)(art.places.heap.at, &g_empty);
  if (whom != kAgent) return;
  // The first allocation is captured; none of the next hour is.
  g_session->config.sync_interval_ns = 3600 * kNsPerSecond;
  add_heap_listeners(*g_session);
}

}  // namespace

extern "C" {

JNIEXPORT void Java_sample_Bench_prepare(JNIEnv* env, jclass) {
  JavaVM* vm = nullptr;
  env->GetJavaVM(&vm);
  Config config;
  config.sync_interval_ns = 0;
  config.budget_ppm = 0;
  config.memory_bytes = 64 * kMiB;
  config.kinds = 1u << static_cast<u32>(SampleKind::Allocation);
  g_session = open_session(config);
  if (!g_session || !g_art.internals.open(vm)) abort();
  activate_session(*g_session);
  g_art.internals.explore(env);
  make_thread_states();
  meet_threads(env);
  const char* why = stand_in_for_notify(*g_session, env);
  if (!why) why = learn_to_walk(env);
  if (why) fprintf(stderr, "art_bench: %s\n", why), abort();
}

JNIEXPORT jint Java_sample_Bench_depth(JNIEnv* env, jclass) {
  return static_cast<jint>(g_depth = walk_bare(Internals::thread_of(env)));
}

JNIEXPORT void Java_sample_Bench_walks(JNIEnv* env, jclass, jint turns) {
  walks(env, turns);
}

JNIEXPORT void Java_sample_Bench_listen(JNIEnv*, jclass, jint whom) {
  listen(whom);
}

JNIEXPORT void Java_sample_Bench_report(JNIEnv*, jclass, jint whom, jlong nanos, jint objects) {
  if (whom >= 0) {
    g_ns_each[whom].push_back(static_cast<double>(nanos) / objects);
    return;
  }
  std::vector<double> over_empty;
  for (size_t i = 0; i < g_ns_each[kAgent].size(); i++)
    over_empty.push_back(g_ns_each[kAgent][i] - g_ns_each[kEmpty][i]);
  print("allocation", median(g_ns_each[kNobody]), "ns");
  print("allocation-empty-listener", median(g_ns_each[kEmpty]), "ns");
  print("allocation-gate-closed", median(over_empty), "ns");
}
}
