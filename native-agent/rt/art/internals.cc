#include "rt/art/internals.h"

#include "base/libc.h"
#include "base/syscall.h"
#include "base/text_builder.h"
#include "os/linux/elf.h"
#include "os/machine.h"
#include "rt/art/art.h"
#include "rt/art/handed_symbols.h"
#include "rt/art/jni_lookup.h"
#include "rt/art/module.h"
#include "rt/art/reads.h"

namespace btrace::art {

namespace {

// Threads that come and go meanwhile break a list that is read without its lock.
constexpr u32 kLooksAtLists = 20;
constexpr size_t kRuntimeBytes = 4096;

bool runtime_has(const u8* runtime, const void* wanted) {
  const void* words[kRuntimeBytes / sizeof(void*)];
  if (!read_memory(runtime, words, sizeof words)) return false;
  for (const void* word : words)
    if (word == wanted) return true;
  return false;
}

// Any object: the class of a method that is loaded, which an ArtMethod begins with.
u32 known_object(JNIEnv* env) {
  LocalFrame frame(env, 8);
  if (!frame) return 0;
  jclass object = find_class(env, "java/lang/Object");
  jmethodID notify = find_method(env, object, "notify", "()V");
  const ArtMethod* method = notify ? art_method(env, object, notify) : nullptr;
  u32 reference = 0;
  return method && read_managed_patiently(method, &reference, sizeof reference) ? reference : 0;
}

}  // namespace

bool Internals::open(JavaVM* java_vm) {
  LoadedLibrary libart;
  if (!libart.find("libart.so")) return false;
  vm = java_vm;
  image = libart.image();
  // What is hidden may be in the file's full table, as ART was shipped up to Android 14.
  Library file;
  const bool has_file = file.open("libart.so");
  resolve_signatures(
      [&](const char* symbol) {
        void* exported = libart.symbol(symbol);
        return exported || !has_file ? exported : file.symbol(symbol);
      },
      resolved);
  if (has_file) file.close();
  // Or packed, which is unpacked on the desktop.
  HandedSymbols handed;
  handed.read_beside_agent(libart);
  for (u32 need = 0; need < kNeeds; need++) hidden_[need] |= !resolved[need].address;
  resolve_signatures([&](const char* symbol) { return handed.symbol(symbol); }, resolved);
  describe(libart, handed.problem());
  return true;
}

void Internals::describe(const LoadedLibrary& libart, const char* problem) {
  TextBuilder text(library);
  text.add("build id ");
  const BuildId id = libart.build_id();
  if (id.size)
    text.hex(id.bytes, id.size);
  else
    text.add("none");
  Module module;
  if (read_module(libart.path(), module)) text.add("; ").add(module.name).add(" ").number(module.version);
  auto list = [&](const char* before, bool found) {
    for (u32 need = 0; need < kNeeds; need++) {
      if (!hidden_[need] || found != (resolved[need].address != nullptr)) continue;
      text.add(before).add(newest_symbol(static_cast<Need>(need)));
      before = ", ";
    }
  };
  list("; from .gnu_debugdata: ", true);
  if (problem[0]) text.add("; .gnu_debugdata is not used: ").add(problem);
  list("; not in it: ", false);
}

// Three facts: JavaVMExt's second word, the runtime's own variable where it can be seen, and that the runtime knows this
// JavaVM; the last and one of the others must hold, and none may contradict.
const char* Internals::doubt_runtime() const {
  const u8* of_vm = nullptr;
  if (!read_memory(reinterpret_cast<u8**>(vm) + 1, &of_vm, sizeof of_vm)) return "the JavaVM could not be read";
  if (of_vm != runtime) return "the JavaVM and ART's own variable do not name the same runtime";
  if (!runtime_has(runtime, vm)) return "what the JavaVM names as its runtime does not know it";
  // A function of libart's returns it, and the runtime has it as a word of its own.
  if (has(Need::RuntimeCallbacks) && !runtime_has(runtime, callbacks()))
    return "what ART gives as its callbacks is not the runtime's";
  return nullptr;
}

const char* Internals::find_runtime() {
  runtime = has(Need::RuntimeInstance) ? *as<u8*>(Need::RuntimeInstance) : reinterpret_cast<u8**>(vm)[1];
  runtime_doubt = runtime ? doubt_runtime() : "there is none";
  if (runtime_doubt) runtime = nullptr;
  return runtime_doubt;
}

void Internals::explore(JNIEnv* env) {
  if (explored_) return;
  explored_ = true;
  if (find_runtime()) return;
  for (u32 look = 0; look < kLooksAtLists; look++) {
    const Anchors anchors{runtime, vm, thread_of(env), sys::gettid(), sys::getpid(), image, known_object(env)};
    if (!find_places(anchors, places)) return;
    sys::sleep_ns(kNsPerMs);
  }
  // Threads came and went all the time: the next recording looks again.
  explored_ = false;
}

}  // namespace btrace::art
