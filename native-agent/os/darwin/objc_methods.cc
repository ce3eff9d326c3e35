#include "os/darwin/objc_methods.h"

#include "base/libc.h"
#include "base/pages.h"
#include "os/machine.h"

namespace btrace::macho {

namespace {

// What Objective-C's runtime and compilers lay out (objc4, objc-runtime-new.h).
struct Class {
  u64 isa, superclass, cache[2], data;
};
struct RealizedData {
  u32 flags, unused;
  u64 constant;  // or, with bit 0, where that is
};
struct ConstantData {
  u32 flags, sizes[3];
  u64 layout, name, methods;
};
struct Category {
  u64 name, of, instance_methods, class_methods;
};
struct AbsoluteMethod {
  u64 selector, types, code;
};
struct RelativeMethod {
  i32 selector, types, code;  // each from its own place
};
constexpr u32 kRealized = 0x80000000, kMeta = 1;
constexpr u32 kRelative = 0x80000000, kFromSelectors = 0x40000000, kEntryBytes = 0xfffc;
constexpr u64 kPlace = 0x00007fffffffffff, kAligned = ~u64{7};
constexpr u64 kNarrowPlace = 0x0000000fffffffff;  // of a class that keeps more in the word

constexpr u32 kMostReads = 400'000;
constexpr u32 kMostClasses = 1 << 16, kMostMethods = 1 << 18, kMostOfList = 1 << 16, kMostLists = 1 << 12;

uintptr_t place(u64 value) {
  return value & kPlace & kAligned;
}

template <class Visit>
void each_section(const LoadCommands& commands, const char* name, Visit visit) {
  commands.each([&](const Command& command) {
    if (command.kind != kSegment || command.bytes < sizeof(Segment)) return true;
    const auto& segment = reinterpret_cast<const Segment&>(command);
    const auto* sections = reinterpret_cast<const Section*>(&segment + 1);
    const u64 room = (command.bytes - sizeof segment) / sizeof *sections;
    for (u64 at = 0; at < min_of<u64>(segment.section_count, room); at++)
      if (is_name(sections[at].name, name)) visit(sections[at]);
    return true;
  });
}

}  // namespace

template <class T>
bool ObjcMethods::read_at(uintptr_t at, T& value) const {
  return at && take_read() && read_memory(reinterpret_cast<const void*>(at), &value, sizeof value);
}

// What is behind the page's end may not be there.
size_t ObjcMethods::read_text(uintptr_t at, char* text, size_t most) const {
  constexpr size_t kPage = 4096;
  for (size_t bytes = 0; bytes < most;) {
    const size_t part = min_of(most - bytes, kPage - (at + bytes) % kPage);
    if (!at || !read_memory(reinterpret_cast<const void*>(at + bytes), text + bytes, part)) return 0;
    for (const size_t end = bytes + part; bytes < end; bytes++)
      if (!text[bytes]) return bytes;
  }
  return 0;
}

void ObjcMethods::read(const LoadCommands& commands, const Image& image, uintptr_t selectors) {
  is_read_ = true;
  begin_ = image.begin;
  end_ = image.end;
  slide_ = image.base;
  selectors_ = selectors;
  reads_left_ = kMostReads;
  each_section(commands, "__objc_classlist", [&](const Section& section) { add_classes(section); });
  each_section(commands, "__objc_catlist", [&](const Section& section) { add_categories(section); });
  sort();
}

void ObjcMethods::release() {
  methods_.release();
  owners_.release();
  is_read_ = false;
}

void ObjcMethods::add_classes(const Section& section) {
  const u64 count = min_of<u64>(section.bytes / sizeof(u64), kMostClasses);
  for (u64 at = 0; at < count; at++) {
    u64 listed;
    Class of;
    if (!read_at(section.address + slide_ + at * sizeof listed, listed)) return;
    const uintptr_t address = place(listed);
    if (!read_at(address, of)) continue;
    add({address, false, false});
    // Which of the two it is shows in the class that is there.
    Described described;
    uintptr_t meta = place(of.isa);
    if (!read_class(meta, true, described)) meta = place(of.isa & kNarrowPlace);
    add({meta, false, true});
  }
}

void ObjcMethods::add_categories(const Section& section) {
  const u64 count = min_of<u64>(section.bytes / sizeof(u64), kMostClasses);
  for (u64 at = 0; at < count; at++) {
    u64 listed;
    if (!read_at(section.address + slide_ + at * sizeof listed, listed)) return;
    add({place(listed), true, false});
    add({place(listed), true, true});
  }
}

void ObjcMethods::add(const Owner& owner) {
  Described described;
  if (!describe(owner, described)) return;
  const auto number = static_cast<u32>(owners_.size() / sizeof owner);
  owners_.append(&owner, sizeof owner);
  if (owners_.failed()) return;
  each_list(described.methods, [&](uintptr_t code, uintptr_t, bool) {
    if (code - begin_ >= end_ - begin_ || count() == kMostMethods) return;
    const Method method{static_cast<u32>(code - begin_), number};
    methods_.append(&method, sizeof method);
  });
}

bool ObjcMethods::describe(const Owner& owner, Described& described) const {
  if (!owner.is_category) return read_class(owner.at, owner.is_of_class, described);
  Category category;
  if (!read_at(owner.at, category) || !read_class(place(category.of), false, described)) return false;
  described.methods = (owner.is_of_class ? category.class_methods : category.instance_methods) & kPlace;
  described.category_name = category.name & kPlace;
  return true;
}

bool ObjcMethods::read_class(uintptr_t at, bool is_meta, Described& described) const {
  Class of;
  RealizedData data;
  ConstantData constant;
  if (!read_at(at, of)) return false;
  uintptr_t from = place(of.data);
  if (!read_at(from, data)) return false;
  if (data.flags & kRealized) {
    from = place(data.constant);
    if (data.constant & 1) {
      u64 moved;
      if (!read_at(from, moved)) return false;
      from = place(moved);
    }
  }
  if (!read_at(from, constant) || ((constant.flags & kMeta) != 0) != is_meta) return false;
  described = {constant.methods & kPlace, constant.name & kPlace, 0};
  return true;
}

template <class Visit>
void ObjcMethods::each_list(uintptr_t methods, Visit visit) const {
  if (!(methods & 1)) return each_method(methods, visit);
  // Those of categories that the shared cache has attached already come beside the class's own.
  const uintptr_t lists = methods & kAligned;
  MethodList head;
  if (!read_at(lists, head) || (head.flags & kEntryBytes) != sizeof(u64)) return;
  for (u32 number = 0; number < min_of(head.count, kMostLists); number++) {
    constexpr u32 kImageBits = 16;
    const uintptr_t at = lists + sizeof head + number * sizeof(u64);
    i64 entry;
    if (!read_at(at, entry)) return;
    each_method(place(at + static_cast<u64>(entry >> kImageBits)), visit);
  }
}

template <class Visit>
void ObjcMethods::each_method(uintptr_t list, Visit visit) const {
  constexpr u32 kAtOnce = 64;
  union {
    RelativeMethod relative[kAtOnce];
    AbsoluteMethod absolute[kAtOnce];
  } part;
  MethodList head;
  if (!list || !read_at(list, head) || head.count > kMostOfList) return;
  const bool is_relative = head.flags & kRelative;
  const u32 bytes = head.flags & kEntryBytes;
  if (bytes != (is_relative ? sizeof(RelativeMethod) : sizeof(AbsoluteMethod))) return;
  for (u32 number = 0; number < head.count; number++) {
    const uintptr_t at = list + sizeof head + u64{number} * bytes;
    const u32 of_part = number % kAtOnce;
    if (!of_part) {
      const size_t wanted = min_of(head.count - number, kAtOnce) * bytes;
      if (!take_read() || !read_memory(reinterpret_cast<const void*>(at), &part, wanted)) return;
    }
    if (!is_relative) {
      visit(part.absolute[of_part].code & kPlace, part.absolute[of_part].selector & kPlace, true);
      continue;
    }
    const RelativeMethod& method = part.relative[of_part];
    const uintptr_t code = at + offsetof(RelativeMethod, code) + static_cast<u64>(i64{method.code});
    const auto selector = static_cast<u64>(i64{method.selector});
    if (head.flags & kFromSelectors)
      visit(code, selectors_ ? selectors_ + selector : 0, true);
    else
      visit(code, at + selector, false);
  }
}

// A shell sort needs no memory and no recursion.
void ObjcMethods::sort() {
  auto* all = reinterpret_cast<Method*>(methods_.data());
  const u32 count = this->count();
  for (u32 gap = count / 2; gap; gap = gap == 2 ? 1 : static_cast<u32>(u64{gap} * 5 / 11))
    for (u32 i = gap; i < count; i++) {
      const Method one = all[i];
      u32 at = i;
      for (; at >= gap && all[at - gap].begin > one.begin; at -= gap) all[at] = all[at - gap];
      all[at] = one;
    }
}

void ObjcMethods::name(FoundFunctions& found) const {
  for (u32 number = 0; number < found.count(); number++) {
    FoundFunctions::Function& function = found.at(number);
    if (function.name_bytes) continue;
    u32 low = 0, high = count();
    while (low < high) {
      const u32 middle = low + (high - low) / 2;
      if (methods()[middle].begin < function.begin)
        low = middle + 1;
      else
        high = middle;
    }
    if (low < count() && methods()[low].begin == function.begin)
      name(found, function, reinterpret_cast<const Owner*>(owners_.data())[methods()[low].owner]);
  }
}

void ObjcMethods::name(FoundFunctions& found, FoundFunctions::Function& function, const Owner& owner) const {
  constexpr size_t kMostPart = FoundFunctions::kMostName / 3;
  Described described;
  reads_left_ = kMostOfList;
  if (!describe(owner, described)) return;
  char text[FoundFunctions::kMostName];
  size_t bytes = 0;
  text[bytes++] = owner.is_of_class ? '+' : '-';
  text[bytes++] = '[';
  const size_t class_bytes = read_text(described.class_name, text + bytes, kMostPart);
  if (!class_bytes) return;
  bytes += class_bytes;
  if (owner.is_category) {
    text[bytes++] = '(';
    const size_t category_bytes = read_text(described.category_name, text + bytes, kMostPart);
    if (!category_bytes) return;
    bytes += category_bytes;
    text[bytes++] = ')';
  }
  text[bytes++] = ' ';
  each_list(described.methods, [&](uintptr_t code, uintptr_t selector, bool is_text) {
    if (code != begin_ + function.begin || function.name_bytes) return;
    u64 referred;
    if (!is_text) selector = read_at(selector, referred) ? referred & kPlace : 0;
    const size_t selector_bytes = read_text(selector, text + bytes, kMostPart - 8);
    if (!selector_bytes) return;
    text[bytes + selector_bytes] = ']';
    found.set_name(function, text, bytes + selector_bytes + 1);
  });
}

// The runtime itself refers to the first of them, which has a name that nobody writes by chance. It may stand
// elsewhere, too: the reference tells which it is.
uintptr_t selectors_of_cache(const void* header, uintptr_t slide) {
  constexpr char kFirst[] = "\xf0\x9f\xa4\xaf";
  constexpr u64 kMostReferences = 4096;
  auto* room = static_cast<u8*>(map_pages(LoadCommands::kBytes));
  uintptr_t found = 0;
  LoadCommands commands;
  if (room && commands.read(header, room))
    each_section(commands, "__objc_selrefs", [&](const Section& section) {
      for (u64 at = 0; at < min_of<u64>(section.bytes / sizeof(u64), kMostReferences) && !found; at++) {
        u64 selector;
        char text[sizeof kFirst];
        const uintptr_t from = section.address + slide + at * sizeof selector;
        if (!read_memory(reinterpret_cast<const void*>(from), &selector, sizeof selector)) return;
        selector &= kPlace;
        if (!read_memory(reinterpret_cast<const void*>(selector), text, sizeof text)) continue;
        if (!memcmp(text, kFirst, sizeof text)) found = selector;
      }
    });
  if (room) unmap_pages(room, LoadCommands::kBytes);
  return found;
}

}  // namespace btrace::macho
