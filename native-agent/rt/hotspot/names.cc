#include "base/libc.h"
#include "rt/hotspot/hotspot.h"

namespace btrace::hotspot {

namespace {
constexpr size_t kNameRoom = 2048;
constexpr u32 kMaxLines = 65536;
// Of nearly all methods. Memory from the kernel and back costs more than the rest of a name.
constexpr u32 kUsualLines = 256;

// Class files may list lines in any order; they are nearly always sorted, so insertion is enough.
void sort_lines(const jvmtiLineNumberEntry* lines, u32 count, LineEntry* sorted) {
  for (u32 i = 0; i < count; i++) {
    LineEntry entry{lines[i].start_location, lines[i].line_number};
    u32 at = i;
    for (; at && sorted[at - 1].position > entry.position; at--) sorted[at] = sorted[at - 1];
    sorted[at] = entry;
  }
}
}  // namespace

u32 HotSpot::name_class_of(jclass java_class, NameSink& sink) {
  JNIEnv* env = jvm.env();
  u64 key = jvm.class_of(env, java_class);
  if (!key) {
    // Without the JVM's own pointer the identity hash tells classes apart well enough.
    jint hash = 0;
    jvm.ti->GetObjectHashCode(java_class, &hash);
    key = kPlacelessClass | static_cast<u32>(hash);
  }
  if (u32 known = sink.class_id(key)) return known;
  char* signature = nullptr;
  char* file = nullptr;
  if (jvm.ti->GetClassSignature(java_class, &signature, nullptr) != JVMTI_ERROR_NONE) return 0;
  if (jvm.ti->GetSourceFileName(java_class, &file) != JVMTI_ERROR_NONE) file = nullptr;
  char name[kNameRoom];
  readable_class_name(signature, name, sizeof name);
  u32 id = sink.add_class(key, name, file);
  jvm.free(signature);
  jvm.free(file);
  return id;
}

bool HotSpot::name_method(u64 code, NameSink& sink) {
  if (code < kStubs) {
    static_assert(kDeepest == 8192);
    static constexpr const char* kNames[] = {
        "[garbage collection]", "[inside the JVM]", "[left its carrier before it was walked]",
        "[callers that are not back on the carrier]", "[callers beyond 8,192 frames]", "[JIT compiler]",
        "[garbage collector]", "[JVM]", "[native thread]"};
    static_assert(sizeof kNames / sizeof kNames[0] == kStubs - 1);
    const char* name = kNames[code - 1];
    sink.set_method(0, name, nullptr, MethodKind::Stub, nullptr, 0);
    return true;
  }
  auto method = reinterpret_cast<jmethodID>(code);
  JNIEnv* env = jvm.env();
  jclass declaring = nullptr;
  char* name = nullptr;
  char* signature = nullptr;
  if (!env || jvm.ti->GetMethodDeclaringClass(method, &declaring) != JVMTI_ERROR_NONE ||
      jvm.ti->GetMethodName(method, &name, &signature, nullptr) != JVMTI_ERROR_NONE) {
    // Its class was unloaded before its name was asked for.
    if (declaring) env->DeleteLocalRef(declaring);
    sink.set_method(0, "[unloaded]", nullptr, MethodKind::Unresolved, nullptr, 0);
    return false;
  }
  u32 class_id = name_class_of(declaring, sink);
  jboolean native = JNI_FALSE;
  jvm.ti->IsMethodNative(method, &native);
  jint line_count = 0;
  jvmtiLineNumberEntry* lines = nullptr;
  if (native || jvm.ti->GetLineNumberTable(method, &line_count, &lines) != JVMTI_ERROR_NONE) line_count = 0;
  u32 count = min_of<u32>(static_cast<u32>(line_count), kMaxLines);
  LineEntry usual[kUsualLines];
  LineEntry* many = count > kUsualLines ? map_array<LineEntry>(count) : nullptr;
  if (count > kUsualLines && !many) count = 0;
  LineEntry* entries = many ? many : usual;
  sort_lines(lines, count, entries);
  sink.set_method(class_id, name, signature, native ? MethodKind::ManagedNative : MethodKind::Managed, entries, count);
  unmap_array(many, count);
  jvm.free(lines);
  jvm.free(name);
  jvm.free(signature);
  env->DeleteLocalRef(declaring);
  return true;
}

bool HotSpot::name_class(u64 key, NameSink& sink) {
  char internal[kNameRoom];
  if (!read_class_name(jvm, key, internal, sizeof internal)) {
    sink.add_class(key, "[unloaded]", nullptr);
    return false;
  }
  char name[kNameRoom];
  char file[256];
  readable_class_name(internal, name, sizeof name);
  sink.add_class(key, name, read_class_file(jvm, key, file, sizeof file) ? file : nullptr);
  return true;
}

}  // namespace btrace::hotspot
