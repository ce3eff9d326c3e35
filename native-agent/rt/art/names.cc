// Names by JNI and the dex file: of ART's own structures only where a DexFile keeps its bytes is used, and that is
// verified. On the agent's own threads, which have no Java frame: hidden fields are open to them.
#include "base/libc.h"
#include "base/pages.h"
#include "os/linux/machine.h"
#include "rt/art/art.h"
#include "rt/art/class_key.h"
#include "rt/art/jni_lookup.h"
#include "rt/art/points.h"
#include "rt/art/runnable.h"

namespace btrace::art {

namespace {

constexpr size_t kSignatureRoom = 2048;
constexpr u32 kMaxLines = 65536;
constexpr u32 kAccNative = 0x100;

// java.lang.reflect.Executable's.
struct ExecutableFields {
  jclass executable;  // a global reference
  jfieldID access_flags, declaring_class, dex_method_index;
  bool looked;

  bool find(JNIEnv* env) {
    if (!looked) {
      looked = true;
      jclass local = find_class(env, "java/lang/reflect/Executable");
      executable = local ? static_cast<jclass>(env->NewGlobalRef(local)) : nullptr;
      access_flags = find_field(env, local, "accessFlags", "I");
      declaring_class = find_field(env, local, "declaringClass", "Ljava/lang/Class;");
      dex_method_index = find_field(env, local, "dexMethodIndex", "I");
    }
    return executable && access_flags && declaring_class && dex_method_index;
  }
};
ExecutableFields g_executable;

u32 add_class(u64 key, const ClassName& name, NameSink& sink) {
  if (u32 known = sink.class_id(key)) return known;
  return sink.add_class(key, name.text, name.in_dex ? name.dex.source_file(name.class_def) : nullptr);
}

bool unresolved(NameSink& sink) {
  sink.set_method(0, "[unloaded]", nullptr, MethodKind::Unresolved, nullptr, 0);
  return false;
}

bool name_java_method(JNIEnv* env, u64 code, NameSink& sink) {
  LocalFrame frame(env, 16);
  // The declaring class comes first in an ArtMethod; none: its class was unloaded.
  u32 declaring_reference = 0;
  if (!frame || !g_executable.find(env) || !find_class_fields(env) ||
      !read_memory(reinterpret_cast<void*>(code), &declaring_reference, sizeof declaring_reference) ||
      !declaring_reference)
    return unresolved(sink);
  // A method's address is taken for its id by every version. The class is not looked at, but CheckJNI, which Android
  // switches on in debuggable apps, ends the app if there is none.
  jobject reflected = env->ToReflectedMethod(g_executable.executable, reinterpret_cast<jmethodID>(code), JNI_FALSE);
  if (!clear_exception(env) || !reflected) return unresolved(sink);
  const auto index = static_cast<u32>(env->GetIntField(reflected, g_executable.dex_method_index));
  const bool native = static_cast<u32>(env->GetIntField(reflected, g_executable.access_flags)) & kAccNative;
  const u64 key = class_key(env, env->GetObjectField(reflected, g_executable.declaring_class));
  ClassName owner;
  DexFile::Method method;
  if (!key || !name_of_class(key, owner) || !owner.in_dex || !owner.dex.method(index, method)) return unresolved(sink);
  const u32 class_id = add_class(key, owner, sink);
  char signature[kSignatureRoom];
  const bool has_signature = owner.dex.signature(method.proto_index, signature, sizeof signature);
  LineEntry* lines = native ? nullptr : map_array<LineEntry>(kMaxLines);
  const u32 count = lines ? owner.dex.lines(owner.class_def, index, lines, kMaxLines) : 0;
  sink.set_method(class_id, method.name, has_signature ? signature : nullptr,
                  native ? MethodKind::ManagedNative : MethodKind::Managed, lines, count);
  unmap_array(lines, kMaxLines);
  return true;
}

}  // namespace

bool Art::name_method(u64 code, NameSink& sink) {
  if (code < kStubs) {
    const char* name = code == kStubCollection ? "[garbage collection]" : "[inside the runtime]";
    sink.set_method(0, name, nullptr, MethodKind::Stub, nullptr, 0);
    return true;
  }
  JNIEnv* env = internals.env();
  bool named = false;
  auto name = [&](ArtThread*) { named = name_java_method(env, code, sink); };
  // After the hooks have gone it takes the slow way.
  return run_as_runnable(env, name) ? named : name_java_method(env, code, sink);
}

bool Art::name_class(u64 key, NameSink& sink) {
  ClassName name;
  if (name_of_class(key, name)) return add_class(key, name, sink) != 0;
  sink.add_class(key, "[unloaded]", nullptr);
  return false;
}

}  // namespace btrace::art
