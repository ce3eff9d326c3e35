// A thread that was interrupted can walk only through methods that have an id, and the JVM makes one when somebody
// first asks for it. An other-thread walk does, but it comes later: of a system call that works for long, which takes no
// interrupt before its end, it would meet what follows, each time. So all are made beforehand, class by class.
#include "base/clock.h"
#include "rt/hotspot/hotspot.h"

namespace btrace::hotspot {

namespace {

// A pass may cost this share of the CPU time that the program used since the one before; of what the first one costs
// nobody knows more than that it is some ms.
constexpr i64 kCpuPerPass = 100;
constexpr i64 kUsualCostNs = 5 * kNsPerMs;

Atomic<u32> g_loads;
u32 g_loads_done;
i64 g_cpu_before_ns;  // the program's, at the last pass
i64 g_cost_ns;
bool g_wanted;

}  // namespace

void class_was_loaded() {
  g_loads.add_relaxed(1);
}

void begin_method_ids(const Session& session) {
  g_wanted = g_hotspot.can_walk_here() && session.config.wants(SampleKind::CpuTimer);
  g_loads_done = g_loads.load_relaxed() - 1;
  g_cpu_before_ns = 0;
  g_cost_ns = kUsualCostNs;
  make_method_ids();
}

void make_method_ids() {
  const u32 loads = g_loads.load_relaxed();
  const i64 cpu = clock_ns(kClockProcessCpu);
  if (!g_wanted || loads == g_loads_done || cpu - g_cpu_before_ns < g_cost_ns * kCpuPerPass) return;
  const i64 begin = own_cpu_ns();
  g_loads_done = loads;
  const Jvm& jvm = g_hotspot.jvm;
  JNIEnv* env = jvm.env();
  jint count = 0;
  jclass* classes = nullptr;
  if (!env || jvm.ti->GetLoadedClasses(&count, &classes) != JVMTI_ERROR_NONE) return;
  env->EnsureLocalCapacity(count);  // with -Xcheck:jni the JVM complains of more than a few
  for (jint i = 0; i < count; i++) {
    jint methods = 0;
    jmethodID* ids = nullptr;
    if (jvm.ti->GetClassMethods(classes[i], &methods, &ids) == JVMTI_ERROR_NONE) jvm.free(ids);
    env->DeleteLocalRef(classes[i]);
  }
  jvm.free(classes);
  g_cost_ns = own_cpu_ns() - begin;
  g_cpu_before_ns = cpu;
}

}  // namespace btrace::hotspot
