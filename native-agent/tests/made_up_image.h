#pragma once
// Images of Darwin's that are made up in memory, and what the agent names in them.
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "harness.h"
#include "os/darwin/function_tables.h"
#include "os/image_functions.h"
#include "reads_memory.h"

namespace btrace {

inline void put_uleb(std::string& out, u64 value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

struct Named {
  u32 offset;
  std::string name;
  u8 type = 0x0f;
};

// One level of edges: each a whole name.
inline std::string trie_of(const std::vector<Named>& names) {
  std::vector<std::string> nodes;
  size_t edges_bytes = 2;
  for (const Named& one : names) {
    std::string told, node;
    put_uleb(told, 0);
    put_uleb(told, one.offset);
    put_uleb(node, told.size());
    nodes.push_back(node + told + '\0');
    edges_bytes += one.name.size() + 1 + 2;
  }
  std::string trie{'\0', static_cast<char>(names.size())};
  size_t at = edges_bytes;
  for (size_t i = 0; i < names.size(); i++) {
    trie += names[i].name + '\0';
    // In two bytes, so that the places are known beforehand.
    trie += static_cast<char>((at & 0x7f) | 0x80);
    trie += static_cast<char>(at >> 7);
    at += nodes[i].size();
  }
  for (const std::string& node : nodes) trie += node;
  return trie;
}

inline std::string starts_of(const std::vector<u32>& begins) {
  std::string starts;
  u32 before = 0;
  for (const u32 begin : begins) {
    put_uleb(starts, begin - before);
    before = begin;
  }
  return starts + '\0';
}

// An image that is linked for one address and lies at another, as in the shared cache. Behind its tables there is room
// for what it tells Objective-C's runtime.
class MadeUp {
 public:
  static constexpr u64 kLinkedAt = 0x180000000, kTextBytes = 0x4000, kCodeEnd = 0x3000, kFileOffset = 0x70000;
  static constexpr u64 kObjcAt = 0xc000, kMemoryBytes = 0xd000;

  std::vector<Named> symbols, exports;
  std::vector<u32> begins;
  std::string trie, starts;  // in place of those that are made
  bool has_starts = true, has_old_exports = false;
  size_t classes = 0, categories = 0, references = 0;

  Image load() {
    std::string linkedit, strings(1, '\0');
    const auto place = [&](const std::string& table) {
      const size_t at = linkedit.size();
      linkedit += table;
      linkedit.resize((linkedit.size() + 7) / 8 * 8);
      return static_cast<u32>(kFileOffset + at);
    };
    std::string symbol_bytes;
    for (const Named& one : symbols) {
      const macho::Symbol symbol{static_cast<u32>(strings.size()), one.type, 1, 0, kLinkedAt + one.offset};
      symbol_bytes.append(reinterpret_cast<const char*>(&symbol), sizeof symbol);
      strings += one.name + '\0';
    }
    if (starts.empty()) starts = starts_of(begins);
    if (trie.empty() && !exports.empty()) trie = trie_of(exports);
    macho::SymbolTable table{{macho::kSymbolTable, sizeof table}, place(symbol_bytes), static_cast<u32>(symbols.size()),
                             place(strings), static_cast<u32>(strings.size())};
    macho::LinkeditData function_starts{
        {macho::kFunctionStarts, sizeof function_starts}, place(starts), static_cast<u32>(starts.size())};
    const u32 exports_at = place(trie);
    macho::LinkeditData trie_place{{macho::kExportsTrie, sizeof trie_place}, exports_at, static_cast<u32>(trie.size())};
    macho::LoaderInfo old{{macho::kOnlyLoaderInfo, sizeof old}, {}, exports_at, static_cast<u32>(trie.size())};

    struct {
      macho::Segment segment;
      macho::Section code;
    } text{};
    text.segment = {{macho::kSegment, sizeof text}, "__TEXT", kLinkedAt, kTextBytes, 0, kTextBytes, 5, 5, 1, 0};
    memcpy(text.code.name, "__text", 7);
    text.code.address = kLinkedAt + 0x1000;
    text.code.bytes = kCodeEnd - 0x1000;
    macho::Segment link{{macho::kSegment, sizeof link}, "__LINKEDIT", kLinkedAt + 0x8000, linkedit.size(),
                        kFileOffset, linkedit.size(), 1, 1, 0, 0};
    struct {
      macho::Segment segment;
      macho::Section classes, categories, references;
    } data{};
    data.segment = {{macho::kSegment, sizeof data}, "__DATA_CONST", kLinkedAt + kObjcAt, 0x1000, 0, 0, 1, 1, 3, 0};
    const auto put_section = [](macho::Section& section, const char* name, u64 at, size_t words) {
      memcpy(section.name, name, strlen(name));
      section.address = kLinkedAt + kObjcAt + at;
      section.bytes = words * sizeof(u64);
    };
    put_section(data.classes, "__objc_classlist", 0, classes);
    put_section(data.categories, "__objc_catlist", 0x100, categories);
    put_section(data.references, "__objc_selrefs", 0x200, references);
    std::string commands;
    u32 count = 0;
    const auto add = [&](const auto& command) {
      commands.append(reinterpret_cast<const char*>(&command), sizeof command);
      count++;
    };
    add(text);
    add(link);
    add(data);
    add(table);
    if (has_starts) add(function_starts);
    has_old_exports ? add(old) : add(trie_place);
    const auto bytes = static_cast<u32>(commands.size());
    const macho::Header header{macho::kMagic, 0, 0, 6, count, bytes, macho::kInSharedCache, 0};
    memory.assign(kMemoryBytes, '\0');
    memcpy(memory.data(), &header, sizeof header);
    memcpy(memory.data() + sizeof header, commands.data(), commands.size());
    memcpy(memory.data() + 0x8000, linkedit.data(), linkedit.size());
    command_bytes = sizeof header + commands.size();
    Image image{};
    image.header = reinterpret_cast<uintptr_t>(memory.data());
    image.base = image.header - kLinkedAt;
    image.begin = image.header;
    image.end = image.begin + kTextBytes;
    return image;
  }

  std::string memory;
  size_t command_bytes = 0;
};

using Names = std::map<u32, std::string>;  // by the begins of functions

// Of functions at these offsets; "" has no name.
inline Names names_at(const Image& image, const std::vector<u32>& offsets, uintptr_t selectors = 0) {
  std::vector<uintptr_t> addresses;
  for (const u32 offset : offsets) addresses.push_back(image.begin + offset);
  FoundFunctions found;
  CHECK(found.init(static_cast<u32>(addresses.size())));
  macho::ObjcMethods methods;
  macho::find_functions(image, addresses.data(), static_cast<u32>(addresses.size()), &methods, selectors, found);
  methods.release();
  Names names;
  u32 end = 0;
  for (u32 at = 0; at < found.count(); at++) {
    const FoundFunctions::Function& one = found.at(at);
    CHECK(one.begin >= end && one.begin < one.end && one.name_bytes <= FoundFunctions::kMostName);
    end = one.end;
    names[one.begin] = std::string(found.name_of(one), one.name_bytes);
  }
  found.release();
  return names;
}

inline std::string shown(const Names& names) {
  std::string text;
  for (const auto& [begin, name] : names) text += std::to_string(begin) + "=" + name + " ";
  return text;
}

#define SKIP_WHERE_NOTHING_IS_READ() \
  if (!reads_memory()) return

// With a function that has no name, and one that two tables name.
inline MadeUp usual() {
  MadeUp image;
  image.begins = {0x1000, 0x1100, 0x1200, 0x2000};
  image.symbols = {{0x1000, "_first"}, {0x1200, "<redacted>"}, {0x1200, "-[Shop open]", 0x0e}, {0x1108, "_inner"}};
  image.exports = {{0x1000, "_other_first"}, {0x2000, "_last"}};
  return image;
}

}  // namespace btrace
