#include "os/imports.h"

#include "base/atomic.h"
#include "base/libc.h"
#include "base/pages.h"
#include "os/linux/import_tables.h"
#include "os/linux/pointer_exchange.h"

namespace btrace {

namespace {

using elf::kCallPointer;
using elf::kReadable;
using elf::lies_in;
using elf::LoadedObject;
using elf::read_tables;
using elf::Relocation;
using elf::Tables;
using elf::Word;

bool names(const LoadedObject& object, const Tables& tables, const Relocation& relocation, const char* name) {
  const elf::Symbol* symbol = elf::imported_symbol(object, tables, relocation);
  const char* found = symbol ? elf::name_of(tables, *symbol) : nullptr;
  return found && strcmp(found, name) == 0;
}

}  // namespace

u64 loaded_images() {
  u64 images = 0;
  libc::each_object<LoadedObject>(
      [](const LoadedObject* object, size_t, void* sum) {
        u64& so_far = *static_cast<u64*>(sum);
        so_far = so_far * 31 + static_cast<u64>(object->base) + 1;
        return 0;
      },
      &images);
  return images;
}

bool Imports::init() {
  return pointers_ || (pointers_ = map_array<Pointer>(kPointers));
}

void Imports::release() {
  unmap_array(pointers_, kPointers);
  count_ = 0;
}

bool Imports::remember(void** place, void* before, void* replacement) {
  // Of a library that was unloaded: another one lies there now.
  u32 at = 0;
  while (at < count_ && pointers_[at].place != place) at++;
  if (at == kPointers) return false;
  if (at == count_) count_++;
  pointers_[at] = {place, before, replacement};
  return true;
}

namespace {

struct StubSearch {
  const char* name;
  Word address;
  bool is_stub;
};

// The symbol of a function that is imported has an address only where a stub stands for it.
int visit_to_find_stub(const LoadedObject* object, size_t, void* data) {
  auto& search = *static_cast<StubSearch*>(data);
  Tables tables;
  if (!lies_in(*object, search.address, 1, elf::kExecutable) || !read_tables(*object, tables)) return 0;
  const Tables::Part parts[] = {tables.calls, tables.others};
  for (const Tables::Part& part : parts)
    for (size_t i = 0; i < part.count && !search.is_stub; i++)
      search.is_stub = names(*object, tables, part.at[i], search.name) &&
                       tables.symbols[part.at[i].symbol()].value + object->base == search.address;
  return 1;
}

bool is_stub(const char* name, const void* function) {
  StubSearch search{name, reinterpret_cast<Word>(function), false};
  libc::each_object<LoadedObject>(visit_to_find_stub, &search);
  return search.is_stub;
}

}  // namespace

void* imported_function(const char* name) {
  void* found = libc::symbol(name);
  if (!found || !is_stub(name, found)) return found;
  // Whoever comes after this library in the linker's order: the program comes before it.
  found = libc::next_symbol(name);
  return found && !is_stub(name, found) ? found : nullptr;
}

struct Imports::Search {
  Imports* imports;
  const char* library;
  const char* except;
  const Import* import;
  Count count;
};

// The loader unloads no library while it calls this.
int Imports::visit(const LoadedObject* object, size_t bytes, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (search.library ? !object->path || !elf::is_named(object->path, search.library)
                     : lies_in(*object, reinterpret_cast<Word>(&Imports::visit), 1, 0))
    return 0;
  if (search.except && object->path && elf::is_named(object->path, search.except)) return 0;
  const Import& import = *search.import;
  Tables tables;
  if (!read_tables(*object, tables)) return 0;
  const Tables::Part parts[] = {tables.calls, tables.others};
  for (const Tables::Part& part : parts) {
    for (size_t i = 0; i < part.count; i++) {
      const Relocation& relocation = part.at[i];
      if (!names(*object, tables, relocation, import.name)) continue;
      auto place = reinterpret_cast<void**>(object->base + relocation.place);
      if (!lies_in(*object, reinterpret_cast<Word>(place), sizeof *place, kReadable)) continue;
      void* const now = reinterpret_cast<Atomic<void*>*>(place)->load_acquire();
      if (now == import.replacement) {
        search.count.bound++;
        continue;
      }
      const bool is_unbound =
          relocation.type() == kCallPointer && lies_in(*object, reinterpret_cast<Word>(now), 1, elf::kExecutable);
      // Remembered first: nothing is written that could not be put back.
      const bool bound = (now == import.original || is_unbound) &&
                         search.imports->remember(place, now, import.replacement) &&
                         exchange(*object, bytes, place, now, import.replacement);
      bound ? search.count.bound++ : search.count.refused++;
    }
  }
  return 0;
}

Imports::Count Imports::bind(const char* library, const Import& import, const char* except) {
  Search search{this, library, except, &import, {}};
  if (pointers_ && import.original && import.replacement) libc::each_object<LoadedObject>(visit, &search);
  return search.count;
}

namespace {

// Where code lies that a pointer may lead to.
struct CodeRanges {
  static constexpr u32 kMost = 4096;
  struct Range {
    Word begin, end;
  };
  Range* ranges;
  u32 count;

  bool holds(Word address) const {
    for (u32 at = 0; at < count; at++)
      if (address >= ranges[at].begin && address < ranges[at].end) return true;
    return false;
  }
};

int visit_code(const LoadedObject* object, size_t, void* data) {
  auto& code = *static_cast<CodeRanges*>(data);
  for (u16 i = 0; i < object->header_count && code.count < CodeRanges::kMost; i++) {
    const elf::ProgramHeader& header = object->headers[i];
    if (header.type != elf::kLoadedSegment || !(header.flags & elf::kExecutable)) continue;
    const Word begin = object->base + header.address;
    code.ranges[code.count++] = {begin, begin + header.size};
  }
  return 0;
}

bool is_function(const elf::Symbol* symbol) {
  return symbol && (symbol->info & elf::kSymbolTypeBits) == elf::kFunctionSymbol;
}

}  // namespace

struct Imports::CallSearch {
  Imports* imports;
  Redirection redirection;
  void* data;
  const char* except;
  CodeRanges code;
  Calls calls;
};

int Imports::visit_calls(const LoadedObject* object, size_t bytes, void* data) {
  auto& search = *static_cast<CallSearch*>(data);
  if (lies_in(*object, reinterpret_cast<Word>(&Imports::visit_calls), 1, 0)) return 0;
  if (search.except && object->path && elf::is_named(object->path, search.except)) return 0;
  Tables tables;
  if (!read_tables(*object, tables)) return 0;
  for (size_t i = 0; i < tables.others.count; i++)
    search.calls.by_address += tables.others.at[i].type() == elf::kDataPointer &&
                               is_function(elf::imported_symbol(*object, tables, tables.others.at[i]));
  for (size_t i = 0; i < tables.calls.count; i++) {
    const Relocation& relocation = tables.calls.at[i];
    const elf::Symbol* symbol =
        relocation.type() == kCallPointer ? elf::imported_symbol(*object, tables, relocation) : nullptr;
    const char* name = is_function(symbol) ? elf::name_of(tables, *symbol) : nullptr;
    auto place = reinterpret_cast<void**>(object->base + relocation.place);
    if (!name || !lies_in(*object, reinterpret_cast<Word>(place), sizeof *place, kReadable)) continue;
    void* const now = reinterpret_cast<Atomic<void*>*>(place)->load_acquire();
    if (!now) continue;  // a weak one that nobody has
    void* const to = search.code.holds(reinterpret_cast<Word>(now))
                         ? search.redirection(search.data, {place, name, now})
                         : nullptr;
    // Remembered first: nothing is written that could not be put back.
    const bool bound = to && (to == now || (search.imports->remember(place, now, to) &&
                                            exchange(*object, bytes, place, now, to)));
    bound ? search.calls.bound++ : search.calls.refused++;
  }
  return 0;
}

Imports::Calls Imports::bind_calls(Redirection redirection, void* data, const char* except) {
  CallSearch search{this, redirection, data, except, {map_array<CodeRanges::Range>(CodeRanges::kMost), 0}, {}};
  if (pointers_ && search.code.ranges) {
    libc::each_object<LoadedObject>(visit_code, &search.code);
    libc::each_object<LoadedObject>(visit_calls, &search);
  }
  unmap_array(search.code.ranges, CodeRanges::kMost);
  return search.calls;
}

struct Imports::Undo {
  Imports* imports;
  u32 left;
};

int Imports::visit_to_undo(const LoadedObject* object, size_t bytes, void* data) {
  auto& undo = *static_cast<Undo*>(data);
  for (u32 i = 0; i < undo.imports->count_; i++) {
    const Pointer& pointer = undo.imports->pointers_[i];
    if (!lies_in(*object, reinterpret_cast<Word>(pointer.place), sizeof pointer.place, kReadable)) continue;
    void* const now = reinterpret_cast<Atomic<void*>*>(pointer.place)->load_acquire();
    if (now == pointer.replacement && !exchange(*object, bytes, pointer.place, now, pointer.before)) undo.left++;
  }
  return 0;
}

u32 Imports::undo() {
  Undo undo{this, 0};
  if (count_) libc::each_object<LoadedObject>(visit_to_undo, &undo);
  count_ = 0;
  return undo.left;
}

}  // namespace btrace
