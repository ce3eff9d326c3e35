#include "rt/art/replacement.h"

#include "os/machine.h"
#include "rt/art/art.h"
#include "rt/art/jni_lookup.h"
#include "rt/art/reads.h"

namespace btrace::art {

namespace {

bool register_native(JNIEnv* env, jclass java_class, const char* method, const char* signature, void* function) {
  // Our natives are never of a JNINativeMethod that is written to; the header wants it so.
  JNINativeMethod native{const_cast<char*>(method), const_cast<char*>(signature), function};
  const bool registered = env->RegisterNatives(java_class, &native, 1) == JNI_OK;
  return clear_exception(env) && registered;
}

bool register_native(JNIEnv* env, const Replacement& replacement, void* function) {
  return register_native(env, replacement.java_class, replacement.method, replacement.signature, function);
}

// No app calls these: for some µs, or where they do not tell what they are for, ours stands in for one, and does
// nothing. Of several classes, for no version has promised any of them.
struct Bystander {
  const char* class_name;
  const char* method;
  const char* signature;
};
constexpr Bystander kBystanders[] = {
    {"dalvik/system/ZygoteHooks", "startZygoteNoThreadCreation", "()V"},
    {"dalvik/system/VMDebug", "printLoadedClasses", "(I)V"},
    {"dalvik/system/VMDebug", "dumpReferenceTables", "()V"},
    {"dalvik/system/VMDebug", "dumpHprofDataDdms", "()V"},
};
void does_nothing() {}

// Where an ArtMethod keeps its native function, in words: the one word that becomes ours by RegisterNatives, and held
// libart's code before. 0: it was not seen.
u32 find_native_entry(JNIEnv* env, const Bystander& bystander) {
  constexpr u32 kMethodWords = 40 / sizeof(void*);  // the largest ArtMethod of any version
  jclass java_class = find_class(env, bystander.class_name);
  jmethodID method = find_static_method(env, java_class, bystander.method, bystander.signature);
  ArtMethod* at = method ? art_method(env, java_class, method) : nullptr;
  void* ours = address(does_nothing);
  void* before[kMethodWords];
  void* after[kMethodWords];
  if (!at || !read_managed_patiently(at, before, sizeof before) ||
      !register_native(env, java_class, bystander.method, bystander.signature, ours) ||
      !read_managed_patiently(at, after, sizeof after))
    return 0;
  u32 word = 0, found = 0;
  for (u32 i = 1; i < kMethodWords; i++) {
    if (after[i] != ours || before[i] == ours) continue;
    word = i;
    found++;
  }
  if (found != 1) return 0;
  // Of libart's own methods the original is libart's code: a word that only happened to change holds something else.
  const bool proven = g_art.internals.image.holds(before[word]);
  register_native(env, java_class, bystander.method, bystander.signature, before[word]);
  return proven ? word : 0;
}

// In bytes, learned once; 0: not known.
u32 native_entry(JNIEnv* env) {
  u32& offset = g_art.internals.method_native_entry;
  for (const Bystander& bystander : kBystanders)
    if (!offset) offset = find_native_entry(env, bystander) * sizeof(void*);
  return offset;
}

// What stands where a method's function is to be looked up at its first call: a thread keeps it among ART's entry
// points. Nothing may stand in for it: it puts what it finds in place of ours, and from Android 12 on it finds ours and
// calls that, for ever.
bool looks_up(const ArtThread* self, const void* function) {
  constexpr size_t kThreadBytes = 4096, kAtOnce = 64;
  const void* words[kAtOnce];
  for (size_t at = 0; at < kThreadBytes && read_memory(self + at, words, sizeof words); at += sizeof words)
    for (const void* word : words)
      if (word == function) return true;
  return false;
}

constexpr const char* kNoSuchMethod = "this Android has no such method";

// The original of one that is replaced for the first time. Returns why it could not be had, or nullptr.
const char* find_original(JNIEnv* env, Replacement& replacement) {
  jclass local = find_class(env, replacement.class_name);
  if (!local) return kNoSuchMethod;
  auto* find = replacement.is_static ? find_static_method : find_method;
  jmethodID method = find(env, local, replacement.method, replacement.signature);
  if (!method) return kNoSuchMethod;
  const u32 entry = native_entry(env);
  ArtMethod* at = entry ? art_method(env, local, method) : nullptr;
  // In all versions: the class, then the access flags.
  constexpr u32 kNative = 0x100;
  u32 head[2];
  void* function = nullptr;
  if (!at || !read_managed_patiently(at, head, sizeof head) ||
      !read_managed_patiently(at + entry, &function, sizeof function) || !function)
    return "the original could not be found";
  if (!(head[1] & kNative)) return "this Android's method is no native one";
  if (looks_up(Internals::thread_of(env), function)) return "the original has not been looked up yet";
  replacement.java_class = static_cast<jclass>(env->NewGlobalRef(local));
  if (!replacement.java_class) return "ART has no room for references";
  replacement.original.store_release(function);
  return nullptr;
}

}  // namespace

// A method id may be an index in debuggable apps: the address comes by reflection.
ArtMethod* art_method(JNIEnv* env, jclass java_class, jmethodID method) {
  jobject reflected = env->ToReflectedMethod(java_class, method, JNI_FALSE);  // ART does not look at the last
  clear_exception(env);
  jfieldID address = find_field(env, find_class(env, "java/lang/reflect/Executable"), "artMethod", "J");
  return reflected && address ? reinterpret_cast<ArtMethod*>(env->GetLongField(reflected, address)) : nullptr;
}

const char* put_in(Session& session, JNIEnv* env, Replacement& replacement) {
  const char* why = replacement.original.load_relaxed() ? nullptr : find_original(env, replacement);
  if (!why && !register_native(env, replacement, replacement.ours)) why = "ART refused it";
  replacement.installed = !why;
  // No Android has all rows of a hook with several: it is in when one of them is, and one that is not there says nothing
  // of why another one is not in.
  const bool says_nothing = session.hook_state(replacement.hook) == HookState::Installed ||
                            (why == kNoSuchMethod && session.hook(replacement.hook));
  if (!why || !says_nothing)
    session.report_hook(replacement.hook, why ? HookState::Missing : HookState::Installed, why);
  return why;
}

void take_out(Session& session, JNIEnv* env, Replacement& replacement) {
  replacement.installed = false;
  bool restored = register_native(env, replacement, replacement.original.load_relaxed());
  session.report_hook(replacement.hook, restored ? HookState::Removed : HookState::Failed,
                      restored ? nullptr : "ART refused to take the original back; ours passes on to it");
}

}  // namespace btrace::art
