#include "rt/art/internals.h"

#include "base/libc.h"
#include "base/pages.h"
#include "base/syscall.h"
#include "base/text_builder.h"
#include "os/linux/elf.h"
#include "os/linux/machine.h"
#include "rt/art/handed_symbols.h"
#include "rt/art/module.h"

namespace btrace::art {

namespace {

constexpr size_t kWord = sizeof(void*);
// In Runtime: heap_, then five to seven allocators and the monitors' two, then thread_list_, intern_table_,
// class_linker_ … and a little later java_vm_. The distance from heap_ to thread_list_ has been eight words since
// Android 7.
constexpr u32 kHeapBeforeThreadList = 8;
// From java_vm_ back to thread_list_: 5 words in Android 11, one or two more or less in others.
constexpr u32 kFarthestThreadList = 16;
constexpr size_t kRuntimeScanBytes = 4096;
// ThreadList begins with a bit for each of 65,535 thread ids; its list comes right behind.
constexpr size_t kThreadListBytes = 65536 / 8 + 256;
constexpr u32 kMostThreads = 65536;
// Threads that come and go meanwhile break a list that is read without its lock.
constexpr u32 kLooksAtLists = 20;

bool plausible(const void* pointer) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  return address > 0xffff && address % kWord == 0;
}

// A std::list of libc++ or libstdc++: a ring of nodes with two links and then the value; the list's head is a node
// without one. The links back are checked too, so that memory which is no list is left at once: each step is a system
// call. `changes`: it began as one, with the main thread, which stays, and then broke off.
bool list_holds(u8* head, u8* first, const u8* wanted, bool& changes) {
  u8* node[3];
  bool found = false;
  u8* before = head;
  for (u32 i = 0; i < kMostThreads; i++) {
    if (first == head) return found;
    if (!plausible(first) || !read_memory(first, node, sizeof node) || node[1] != before || !plausible(node[2])) {
      changes |= i > 0;
      return false;
    }
    found |= node[2] == wanted;
    before = first;
    first = node[0];
  }
  return false;
}

bool is_thread_list(u8* candidate, const ArtThread* self, bool& changes) {
  constexpr size_t kWords = kThreadListBytes / kWord;
  u8** words = map_array<u8*>(kWords);
  bool found = false;
  if (words && read_memory(candidate, words, kThreadListBytes))
    for (size_t i = 0; i < kWords && !found; i++)
      found = plausible(words[i]) && list_holds(candidate + i * kWord, words[i], self, changes);
  unmap_array(words, kWords);
  return found;
}

}  // namespace

bool Internals::open(JavaVM* java_vm) {
  LoadedLibrary libart;
  if (!libart.find("libart.so")) return false;
  vm = java_vm;
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

void Internals::explore(JNIEnv* env) {
  if (explored_) return;
  explored_ = true;
  runtime = reinterpret_cast<u8**>(vm)[1];
  // Two ways to the same place must agree.
  if (has(Need::RuntimeInstance) && *as<u8*>(Need::RuntimeInstance) != runtime) runtime = nullptr;
  const ArtThread* self = thread_of(env);
  if (!runtime || !plausible(self)) return;
  find_thread_ids(self, sys::gettid());
  for (u32 look = 0; look < kLooksAtLists && find_lists(self); look++) sys::sleep_ns(kNsPerMs);
}

void Internals::find_thread_ids(const ArtThread* self, u32 own_tid) {
  u32 words[32];
  if (!read_memory(self, words, sizeof words)) return;
  // ART's own ids are small and never 0; they lie right before the operating system's.
  for (u32 i = 1; i < 32; i++)
    if (words[i] == own_tid && words[i - 1] && words[i - 1] < kMostThreads) {
      thread_tid = i * 4;
      return;
    }
}

bool Internals::find_lists(const ArtThread* self) {
  u8* words[kRuntimeScanBytes / kWord];
  bool changes = false;
  if (!read_memory(runtime, words, sizeof words)) return false;
  for (u32 at = kFarthestThreadList + kHeapBeforeThreadList; at < kRuntimeScanBytes / kWord; at++) {
    if (words[at] != reinterpret_cast<u8*>(vm)) continue;
    for (u32 back = 1; back <= kFarthestThreadList; back++) {
      u8* candidate = words[at - back];
      if (!plausible(candidate) || !is_thread_list(candidate, self, changes)) continue;
      thread_list = candidate;
      u8* before = words[at - back - kHeapBeforeThreadList];
      u8 probe[64];
      if (plausible(before) && read_memory(before, probe, sizeof probe)) heap = before;
      return false;
    }
  }
  return changes;
}

}  // namespace btrace::art
