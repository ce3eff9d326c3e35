#include "os/darwin/function_tables.h"

#include "base/varint.h"

namespace btrace::macho {

void add_functions(const u8* starts, size_t bytes, u32 code_end, const u32* offsets, u32 count, FoundFunctions& found) {
  const u8* at = starts;
  const u8* const end = starts + bytes;
  u32 begin = 0;
  bool is_first = true;
  for (u32 next = 0; next < count;) {
    u64 step = 0;
    // It may be filled up with zeros, or end where the last entry does.
    if (at != end && !get_varint(at, end, step)) return;
    const bool is_last = !step || step >= code_end - begin;
    const u32 following = is_last ? code_end : begin + static_cast<u32>(step);
    if (!is_first && offsets[next] < following) found.add(begin, following);
    while (next < count && offsets[next] < following) next++;
    if (is_last) return;
    begin = following;
    is_first = false;
  }
}

void set_linked_name(FoundFunctions& found, FoundFunctions::Function& function, const char* name, size_t bytes) {
  constexpr char kTakenOut[] = "<redacted>";
  if (bytes > FoundFunctions::kMostName) return;  // it may be cut
  if (bytes == sizeof kTakenOut - 1 && !memcmp(name, kTakenOut, bytes)) return;
  const bool is_of_c = bytes && name[0] == '_';
  found.set_name(function, name + is_of_c, bytes - is_of_c);
}

namespace {

constexpr u64 kKinds = 3, kElsewhere = 8;  // of an export's flags

// Names share their beginnings: each node is reached by the parts of a name on the way to it.
class ExportsTrie {
 public:
  ExportsTrie(const u8* trie, size_t bytes, FoundFunctions& found) : trie_(trie), bytes_(bytes), found_(found) {}

  void visit_all() {
    // Each node is reached by one way: no edge is read twice.
    size_t left = bytes_;
    if (!enter(0, 0)) return;
    while (depth_ && !found_.all_named()) {
      Level& level = levels_[depth_ - 1];
      if (!level.edges) {
        depth_--;
        continue;
      }
      level.edges--;
      u32 name = level.name;
      u64 node = 0;
      const size_t edge = level.next;
      if (!read_edge(level.next, name, node) || level.next - edge > left) return;
      left -= level.next - edge;
      if (!enter(node, name)) return;
    }
  }

 private:
  static constexpr u32 kDeepest = 256;
  struct Level {
    size_t next;  // edge
    u32 edges, name;
  };

  // Adds the edge's part to the name of `name` bytes.
  bool read_edge(size_t& at, u32& name, u64& node) {
    for (;; at++) {
      if (at == bytes_) return false;
      if (!trie_[at]) break;
      // One that is too long keeps its place, and is no function's name.
      if (name <= FoundFunctions::kMostName) name_[name++] = static_cast<char>(trie_[at]);
    }
    const u8* place = trie_ + at + 1;
    if (!get_varint(place, trie_ + bytes_, node)) return false;
    at = static_cast<size_t>(place - trie_);
    return true;
  }

  bool enter(u64 node, u32 name) {
    if (node >= bytes_ || depth_ == kDeepest) return false;
    const u8* at = trie_ + node;
    const u8* const end = trie_ + bytes_;
    u64 told = 0;
    if (!get_varint(at, end, told) || told >= static_cast<u64>(end - at)) return false;
    const u8* const edges = at + told;
    u64 flags = 0, offset = 0;
    if (told && get_varint(at, edges, flags) && !(flags & (kKinds | kElsewhere)) && get_varint(at, edges, offset))
      if (auto* function = found_.beginning_at(offset)) set_linked_name(found_, *function, name_, name);
    levels_[depth_++] = {static_cast<size_t>(edges + 1 - trie_), *edges, name};
    return true;
  }

  const u8* trie_;
  size_t bytes_;
  FoundFunctions& found_;
  Level levels_[kDeepest];
  u32 depth_ = 0;
  char name_[FoundFunctions::kMostName + 1];
};

}  // namespace

void name_by_exports(const u8* trie, size_t bytes, FoundFunctions& found) {
  ExportsTrie(trie, bytes, found).visit_all();
}

}  // namespace btrace::macho
