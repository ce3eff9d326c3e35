#include "rt/art/places.h"

#include "base/clock.h"
#include "base/libc.h"
#include "base/pages.h"
#include "os/machine.h"

namespace btrace::art {

namespace {

constexpr size_t kWord = sizeof(void*);
// In Runtime: heap_, then allocators and the monitors' two (seven words to Android 13, eight from 14 on), then
// thread_list_, intern_table_, class_linker_ … and a little later java_vm_.
constexpr u32 kFarthestHeap = 24;
// From java_vm_ back to thread_list_: 5 words in Android 11, one or two more or less in others.
constexpr u32 kFarthestThreadList = 16;
constexpr size_t kRuntimeScanBytes = 4096;
// ThreadList begins with a bit for each of 65,535 thread ids; its list comes right behind.
constexpr u32 kMostThreads = 65536;
constexpr size_t kIdWords = kMostThreads / 8 / kWord;
constexpr size_t kThreadListBytes = kMostThreads / 8 + 256;

bool plausible(const void* pointer) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  return address > 0xffff && address % kWord == 0;
}

// ---------------------------------------------------------------- the thread list

// A std::list of libc++ or libstdc++: a ring of nodes with two links and then the value; the list's head is a node
// without one. The links back are checked too, so that memory which is no list is left at once: each step is a system
// call. Calls `each(value)`. `changes`: it began as one, with the main thread, which stays, and then broke off.
template <class Each>
bool each_in_list(u8* head, u8* first, bool& changes, Each each) {
  u8* node[3];
  u8* before = head;
  for (u32 i = 0; i < kMostThreads; i++) {
    if (first == head) return true;
    if (!plausible(first) || !read_memory(first, node, sizeof node) || node[1] != before || !plausible(node[2])) {
      changes |= i > 0;
      return false;
    }
    each(node[2]);
    before = first;
    first = node[0];
  }
  return false;
}

struct ThreadIds {
  u32 art, kernel;
};

// The words of a place that may be a ThreadList.
class ThreadListWords {
 public:
  explicit ThreadListWords(u8* at) : at_(at), words_(map_array<uintptr_t>(kWords)) {
    if (words_ && !read_memory(at, words_, kThreadListBytes)) forget();
  }
  ~ThreadListWords() { forget(); }
  ThreadListWords(const ThreadListWords&) = delete;
  ThreadListWords& operator=(const ThreadListWords&) = delete;

  // The list that `self` is in. Calls `each` for all of it.
  template <class Each>
  bool find_list(const u8* self, bool& changes, Each each) const {
    for (size_t i = 0; words_ && i < kWords; i++) {
      bool holds_self = false;
      auto* first = reinterpret_cast<u8*>(words_[i]);
      if (!plausible(first)) continue;
      auto look = [&](const u8* thread) { holds_self |= thread == self; };
      if (!each_in_list(at_ + i * kWord, first, changes, look) || !holds_self) continue;
      return each_in_list(at_ + i * kWord, first, changes, each);
    }
    return false;
  }
  // ART gives the ids from 1 on, the first that is free.
  bool has_given(u32 art_id) const {
    const u32 bit = art_id - 1;
    constexpr u32 kBits = kWord * 8;
    return words_ && art_id && bit / kBits < kIdWords && words_[bit / kBits] >> bit % kBits & 1;
  }

 private:
  static constexpr size_t kWords = kThreadListBytes / kWord;
  void forget() {
    unmap_array(words_, words_ ? kWords : 0);
    words_ = nullptr;
  }

  u8* at_;
  uintptr_t* words_;
};

// ART's own ids are small and never 0; they lie right before the operating system's. 0: not found.
u32 place_of_tid(const Anchors& anchors) {
  u32 words[32];
  if (!read_memory(anchors.self, words, sizeof words)) return 0;
  for (u32 i = 1; i < 32; i++)
    if (words[i] == anchors.tid && words[i - 1] && words[i - 1] < kMostThreads) return i * sizeof(u32);
  return 0;
}

ThreadIds ids_of(const u8* thread, u32 thread_tid) {
  ThreadIds ids{};
  return read_memory(thread + thread_tid - sizeof(u32), &ids, sizeof ids) ? ids : ThreadIds{};
}

// Fact 1: it holds the calling thread, in a ring that is whole in both directions. Fact 2: among the ids that it has
// given out is the one in the calling thread. Of that place in Thread fact 1 is the calling thread's tid, and fact 2
// that each other one there has a living thread's, and an id that was given out.
bool see_thread_list(const Anchors& anchors, u8* candidate, u32 thread_tid, Places& places, bool& changes) {
  const ThreadListWords words(candidate);
  u32 others = 0, strange = 0;
  const u8* main_thread = nullptr;
  auto look = [&](const u8* thread) {
    const ThreadIds ids = thread_tid ? ids_of(thread, thread_tid) : ThreadIds{};
    if (!ids.kernel || !words.has_given(ids.art) || thread_cpu_ns(ids.kernel) < 0)
      strange++;
    else if (thread != anchors.self)
      others++;
    if (ids.kernel == anchors.pid && thread != anchors.self) main_thread = thread;
  };
  if (!words.find_list(anchors.self, changes, look)) return false;
  if (!thread_tid) {
    places.thread_list.doubt = places.tid_doubt;
    return true;
  }
  if (!words.has_given(ids_of(anchors.self, thread_tid).art)) {
    places.thread_list.doubt = "what looks like the thread list has not given out this thread's id";
    return true;
  }
  places.thread_list = {candidate, nullptr};
  if (strange || !others) {
    // One may have been about to end.
    changes = true;
    places.tid_doubt = "not all threads have their ids where this one has them";
    return true;
  }
  places.thread_tid = thread_tid;
  places.main_thread = main_thread;
  places.tid_doubt = nullptr;
  changes = false;  // what broke off before it was not the list
  return true;
}

// ---------------------------------------------------------------- the heap

// An object whose class has virtual functions, of libart.
bool has_vtable(const void* object, const Image& libart) {
  const void* table;
  const void* function;
  return plausible(object) && read_memory(object, &table, sizeof table) && plausible(table) && libart.holds(table) &&
         read_memory(table, &function, sizeof function) && libart.holds(function);
}

// A std::vector: where it begins, ends, and where its memory ends.
constexpr u32 kMostElements = 64;
u32 vector_size(u8* const* words) {
  if (!plausible(words[0]) || words[0] > words[1] || words[1] > words[2] || !plausible(words[1])) return 0;
  const size_t count = static_cast<size_t>(words[1] - words[0]) / kWord;
  return count <= kMostElements ? static_cast<u32>(count) : 0;
}

constexpr u32 kObjectWords = 16;  // of one that is looked into

// Where a space begins, ends, and may end: a Space has them among its first words.
bool space_holds(const u8* space, uintptr_t object) {
  constexpr uintptr_t kPageMask = 4095;
  uintptr_t words[kObjectWords];
  if (!read_memory(space, words, sizeof words)) return false;
  for (u32 i = 1; i + 2 < kObjectWords; i++)
    if (words[i] && !(words[i] & kPageMask) && words[i] <= object && object < words[i + 1] &&
        words[i + 1] <= words[i + 2])
      return true;
  return false;
}

// Fact 1: it begins with the list of its spaces, all of them objects of libart's, and in one of them lies an object
// that is known to be there.
bool has_spaces(u8* const* heap, const Anchors& anchors) {
  constexpr u32 kFirstWords = 8;
  for (u32 at = 0; at < kFirstWords; at++) {
    const u32 count = vector_size(heap + at);
    u8* spaces[kMostElements];
    if (!count || !read_memory(heap[at], spaces, count * kWord)) continue;
    bool all = true, holds = false;
    for (u32 i = 0; i < count && all; i++) {
      all = has_vtable(spaces[i], anchors.libart);
      holds |= all && space_holds(spaces[i], anchors.live_object);
    }
    if (all && holds) return true;
  }
  return false;
}

bool leads_to(const u8* object, const u8* heap, const Image& libart) {
  const u8* words[kObjectWords];
  if (!has_vtable(object, libart) || !read_memory(object, words, sizeof words)) return false;
  for (const u8* word : words)
    if (word == heap) return true;
  return false;
}

constexpr size_t kHeapWords = 2048 / kWord;

// Fact 2: an object of libart's that it has, a collector, knows it.
bool is_known_by_its_own(u8* const* words, const u8* heap, const Image& libart) {
  for (size_t at = 0; at < kHeapWords; at++) {
    if (leads_to(words[at], heap, libart)) return true;
    const u32 count = at + 2 < kHeapWords ? vector_size(words + at) : 0;
    u8* elements[kMostElements];
    if (!count || !read_memory(words[at], elements, count * kWord)) continue;
    for (u32 i = 0; i < count; i++)
      if (leads_to(elements[i], heap, libart)) return true;
  }
  return false;
}

// Somewhere before the thread list, and one alone.
Found find_heap(const Anchors& anchors, u8* const* thread_list) {
  if (!anchors.live_object) return {nullptr, "no Java object is known that would lie in it"};
  Found found{nullptr, "nothing before the thread list has spaces of libart's with a known object in one of them"};
  for (u32 back = 1; back <= kFarthestHeap; back++) {
    u8* candidate = *(thread_list - back);
    u8* words[kHeapWords];
    if (!plausible(candidate) || !read_memory(candidate, words, sizeof words) || !has_spaces(words, anchors)) continue;
    if (!is_known_by_its_own(words, candidate, anchors.libart)) {
      if (!found.at) found.doubt = "what looks like the heap is not known by its own collectors";
      continue;
    }
    if (found.at && found.at != candidate) return {nullptr, "more than one place looks like the heap"};
    found = {candidate, nullptr};
  }
  return found;
}

}  // namespace

bool find_places(const Anchors& anchors, Places& places) {
  places = {};
  u8* words[kRuntimeScanBytes / kWord];
  bool changes = false;
  if (!read_memory(anchors.runtime, words, sizeof words)) {
    places.thread_list.doubt = places.heap.doubt = places.tid_doubt = "the runtime could not be read";
    return false;
  }
  const u32 thread_tid = place_of_tid(anchors);
  places.tid_doubt =
      thread_tid ? "there is no thread list to compare it with" : "this thread's id is not where any version has it";
  places.thread_list.doubt = "the runtime has no list that this thread is in";
  places.heap.doubt = "there is no thread list to look for it beside";
  for (u32 at = kFarthestThreadList + kFarthestHeap; at < kRuntimeScanBytes / kWord; at++) {
    if (words[at] != anchors.vm) continue;
    for (u32 back = 1; back <= kFarthestThreadList; back++) {
      u8* candidate = words[at - back];
      if (!plausible(candidate) || !see_thread_list(anchors, candidate, thread_tid, places, changes)) continue;
      if (places.thread_list.at) places.heap = find_heap(anchors, words + at - back);
      return changes;
    }
  }
  return changes;
}

}  // namespace btrace::art
