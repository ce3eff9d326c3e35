// Fields of Java objects, read from native code.
//
// JNI's own GetLongField is not used. HotSpot puts a stub in its place ("fast JNI accessors") that reads through the
// reference without entering the JVM, and only makes sure that no safepoint came in between. That is not enough where
// objects are moved while the program runs: after a safepoint of ZGC's a thread in native code holds references to
// where its objects were, and they are corrected when it next enters the JVM. A stub never does, so it reads what lies
// in the object's old place: the same object for a while, and anything else once the collector has used the page again.
// A class read so was 1, or text, and following it ended the program (test/integration/moving-objects.test.ts shows
// both). What the stub falls back on enters the JVM like any other JNI function, and is right with every collector.
#include "os/linux/elf.h"
#include "rt/hotspot/jvm.h"
#include "rt/hotspot/reads.h"

namespace btrace::hotspot {

namespace {

bool is_on(const VmStructs& structs, const char* name) {
  const void* flag = structs.flag(name);
  bool on = false;
  return flag && read_memory(flag, &on, sizeof on) && on;
}

}  // namespace

void Jvm::explore_fields(JNIEnv* env, const VmStructs& structs) {
  moves_at_safepoints_only = is_on(structs, "UseSerialGC") || is_on(structs, "UseParallelGC") ||
                             is_on(structs, "UseG1GC") || is_on(structs, "UseEpsilonGC");
  Library library;
  if (library.open("libjvm.so")) {
    get_long = reinterpret_cast<decltype(get_long)>(library.symbol("jni_GetLongField"));
    library.close();
  }
  // Without a symbol table there is the stub alone, which is right where nothing moves between safepoints.
  if (!get_long && moves_at_safepoints_only) get_long = env->functions->GetLongField;
}

}  // namespace btrace::hotspot
