// Measures the capture path inside a real JVM, beside the walk that it contains. Prints "NAME VALUE UNIT" lines;
// test/bench/agent.ts knows the targets. Ratios are medians over interleaved batches: absolute times do not travel
// between machines.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/clock.h"
#include "core/capture.h"
#include "core/drain.h"
#include "rt/hotspot/hotspot.h"

using namespace btrace;
using hotspot::g_hotspot;

namespace {

Session* g_session;
ThreadRecord* g_record;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void print(const char* name, double value, const char* unit) {
  printf("%s %.4g %s\n", name, value, unit);
  fflush(stdout);
}

template <class Body>
double ns_each(u32 times, Body body) {
  i64 begin = now_ns();
  for (u32 i = 0; i < times; i++) body(i);
  return static_cast<double>(now_ns() - begin) / times;
}

Config config_for_bench() {
  Config config;
  config.sync_interval_ns = 0;
  config.budget_ppm = 0;
  config.memory_bytes = 64 * kMiB;
  return config;
}

void record_once(u32 number, bool counters) {
  Capture capture;
  if (!capture.begin(g_record, SampleKind::Allocation, true)) abort();
  if (counters) hotspot::read_counters(capture.row(), *g_record);
  capture.row().object = number + 1;  // no merging: every capture is written
  i32 frames = hotspot::walk_thread(nullptr, capture.frames(), WalkBuffer::kFrames, capture.row().flags);
  capture.commit(static_cast<u32>(frames));
}

void JNICALL bench_capture(JNIEnv*, jclass, jint depth, jboolean quick) {
  constexpr u32 kBatch = 100;
  static jvmtiFrameInfo frames[4096];
  std::vector<double> bare, plain, full;
  for (int round = 0; round < (quick ? 60 : 300); round++) {
    bare.push_back(ns_each(kBatch, [](u32) {
      jint count = 0;
      g_hotspot.jvm.ti->GetStackTrace(nullptr, 0, 4096, frames, &count);
    }));
    plain.push_back(ns_each(kBatch, [](u32 i) { record_once(i, false); }));
    full.push_back(ns_each(kBatch, [](u32 i) { record_once(i, true); }));
    flush_pending(*g_session, *g_record, 0);
    g_record->held.shard.drop(g_session->pool);
  }
  std::vector<double> plain_ratio, full_ratio;
  for (size_t i = 0; i < bare.size(); i++) {
    plain_ratio.push_back(plain[i] / bare[i]);
    full_ratio.push_back(full[i] / bare[i]);
  }
  char name[64];
  snprintf(name, sizeof name, "walk-depth-%d", depth);
  print(name, median(bare), "ns");
  snprintf(name, sizeof name, "record-depth-%d", depth);
  print(name, median(plain_ratio), "x");
  snprintf(name, sizeof name, "record-counters-depth-%d", depth);
  print(name, median(full_ratio), "x");
}

// ---------------------------------------------------------------- without a JVM's help

// Stacks like those of a busy thread at 1 ms: some 40 deep, two frames leave and two come from one to the next, and of
// a million about half bring a node that was never seen.
struct Stacks {
  u32 state = 12345;
  u32 depth = 40;
  Frame frames[64] = {};
  u32 random() { return state = state * 1664525u + 1013904223u, state >> 8; }
  u32 few() { return 1 + static_cast<u32>(__builtin_ctz(random() | 1u << 6)); }
  Frame* next() {
    u32 keep = depth - few();
    if (random() % 128 == 0) keep = 10 + random() % 20;
    if (keep > 55 || keep < 10) keep = 40;
    if (keep >= depth) keep = depth - 1;
    depth = keep + few();
    for (u32 level = keep; level < depth; level++) {
      u32 choice = static_cast<u32>(__builtin_ctz(random() | 1u << 20));
      u64 parent = level ? frames[level - 1].code : 0;
      frames[level] = {1 + (parent * 31 + choice * 7919 + 17) % 20000, i64{choice % 3 * 5}};
    }
    // A running method is met anywhere in it, a waiting caller at its few call sites.
    frames[depth - 1].position = random() % 32;
    return frames;
  }
};

void bench_stack_table(bool quick) {
  u32 total = quick ? 200000 : 1000000;
  StackTable table{};
  if (!table.init(1 << 19)) return;
  LastStack last{};
  Stacks stacks;
  i64 spent = 0;
  u64 frames = 0;
  // Made in blocks outside the clock, so that their making is not measured.
  constexpr u32 kBlock = 256;
  static Frame block[kBlock][64];
  static u32 depths[kBlock];
  for (u32 done = 0; done < total; done += kBlock) {
    for (u32 i = 0; i < kBlock; i++) {
      Frame* root_first = stacks.next();
      depths[i] = stacks.depth;
      for (u32 level = 0; level < stacks.depth; level++) block[i][stacks.depth - 1 - level] = root_first[level];
      frames += stacks.depth;
    }
    // CPU time: on a busy machine the wall clock tells of others.
    i64 begin = own_cpu_ns();
    for (u32 i = 0; i < kBlock; i++) table.insert(block[i], depths[i], last);
    spent += own_cpu_ns() - begin;
  }
  print("stack-table-insert", static_cast<double>(spent) / total, "ns");
  print("stack-table-depth", static_cast<double>(frames) / total, "frames");
  print("stack-table-nodes", table.used(), "nodes");
  table.release();
}

void bench_gate(bool quick) {
  Capture first;
  if (!first.begin(g_record, SampleKind::Allocation, false)) abort();
  first.frames()[0] = {1, 0};
  first.commit(1);
  g_record->held.due_tick.store_relaxed(~0ull);
  u32 open = 0;
  std::vector<double> costs;
  for (int round = 0; round < (quick ? 20 : 100); round++)
    costs.push_back(ns_each(100000, [&](u32) {
      Capture capture;
      if (capture.begin(g_threads.current_record(), SampleKind::Allocation, false)) open++;
    }));
  if (open) abort();
  g_record->held.due_tick.store_relaxed(0);
  print("gate-closed", median(costs), "ns");
}

// A minute of one busy thread at 1 ms, with all counters: what a sample costs on the wire and in the drain.
void bench_drain(bool quick) {
  u32 total = quick ? 60000 : 600000;
  Drain drain;
  if (!drain.init(*g_session, g_hotspot)) abort();
  Bytes out;
  Stacks stacks;
  u64 bytes = 0;
  i64 spent = 0;
  Row row{};
  row.counters = kCounterCpu | kCounterAllocatedBytes | kCounterFaults | kCounterSwitches;
  Frame leaf_first[64];
  // The same few methods again and again, so that names do not count: they come once in a recording.
  static jvmtiFrameInfo known[64];
  jint methods = 0;
  g_hotspot.jvm.ti->GetStackTrace(nullptr, 0, 64, known, &methods);
  auto drain_all = [&] {
    flush_pending(*g_session, *g_record, 0);
    i64 begin = own_cpu_ns();
    while (drain.cut_samples(out)) {
    }
    spent += own_cpu_ns() - begin;
    bytes += out.size();
    out.clear();
  };
  for (u32 i = 0; i < total; i++) {
    Frame* root_first = stacks.next();
    for (u32 level = 0; level < stacks.depth; level++)
      leaf_first[stacks.depth - 1 - level] = {
          reinterpret_cast<u64>(known[root_first[level].code % static_cast<u64>(methods)].method),
          root_first[level].position % 4};
    Capture capture;
    if (!capture.begin(g_record, SampleKind::Allocation, true)) abort();
    row.time_ns += 900000 + stacks.random() % 200000;
    row.cpu_ns = row.time_ns - i * 1000 - stacks.random() % 1000;
    row.allocated_bytes += stacks.random() % 65536;
    row.voluntary_switches += stacks.random() % 50 == 0;
    row.involuntary_switches += stacks.random() % 100 == 0;
    row.kind = SampleKind::Allocation;
    capture.row() = row;
    std::copy(leaf_first, leaf_first + stacks.depth, capture.frames());
    capture.commit(stacks.depth);
    if (i % 5000 == 4999) {
      drain_all();
      drain.turn_stacks(true);
    }
  }
  drain_all();
  print("bytes-a-sample", static_cast<double>(bytes) / total, "bytes");
  print("drain-throughput", total / (static_cast<double>(spent) / 1e9) / 1e6, "Msamples/s");
  out.release();
  drain.release();
}

void JNICALL bench_load(JNIEnv* env, jclass, jboolean quick) {
  JavaVM* vm = nullptr;
  env->GetJavaVM(&vm);
  if (!g_hotspot.jvm.open(vm)) abort();
  g_hotspot.jvm.explore(env);
  g_session = open_session(config_for_bench());
  if (!g_session) abort();
  activate_session(*g_session);
  jthread self = nullptr;
  g_hotspot.jvm.ti->GetCurrentThread(&self);
  g_record = g_threads.current_record();
  hotspot::meet_thread(env, self, *g_record);
  bench_gate(quick);
  bench_stack_table(quick);
  bench_drain(quick);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  void* got = nullptr;
  if (vm->GetEnv(&got, JNI_VERSION_1_6) != JNI_OK) return -1;
  auto* env = static_cast<JNIEnv*>(got);
  jclass bench = env->FindClass("Bench");
  char load[] = "load", load_signature[] = "(Z)V", capture[] = "capture", capture_signature[] = "(IZ)V";
  JNINativeMethod methods[] = {{load, load_signature, reinterpret_cast<void*>(bench_load)},
                               {capture, capture_signature, reinterpret_cast<void*>(bench_capture)}};
  return env->RegisterNatives(bench, methods, 2) == JNI_OK ? JNI_VERSION_1_6 : -1;
}
