// Methods of Objective-C, by what an image tells its runtime: of images that are made up here, whole and damaged.
#include <cstring>
#include <random>

#include "harness.h"
#include "made_up_image.h"
#include "os/darwin/objc_methods.h"

using namespace btrace;

namespace {

// What an image tells Objective-C's runtime, at its places in memory.
class Objc {
 public:
  Objc(MadeUp& made, const Image& image) : made_(made), image_(image) {}

  u64 code(u32 offset) const { return image_.begin + offset; }
  u64 words(const std::vector<u64>& values) { return put(values.data(), values.size() * sizeof(u64)); }
  u64 text(const char* value) { return put(value, strlen(value) + 1); }
  void list_class(u64 at) { set(8 * listed_classes_++, at); }
  void list_category(u64 at) { set(0x100 + 8 * listed_categories_++, at); }
  void refer(u64 selector) { set(0x200 + 8 * references_++, selector); }

  static constexpr u32 kRelative = 0x80000000, kFromSelectors = 0x40000000;
  // `selectors`: the places of references, or of texts if `base` is what these count from.
  u64 relative(const std::vector<std::pair<u64, u64>>& selectors_and_code, u64 base = 0) {
    const u64 list = image_.begin + next_;
    std::vector<i32> all{static_cast<i32>(kRelative | (base ? kFromSelectors : 0) | 12 | 3),
                         static_cast<i32>(selectors_and_code.size())};
    for (const auto& [selector, code] : selectors_and_code) {
      const u64 at = list + all.size() * sizeof(i32);
      all.insert(all.end(), {static_cast<i32>(selector - (base ? base : at)), 0, static_cast<i32>(code - at - 8)});
    }
    return put(all.data(), all.size() * sizeof(i32));
  }
  u64 absolute(const std::vector<std::pair<u64, u64>>& selectors_and_code) {
    std::vector<u64> all{24 | selectors_and_code.size() << 32};
    for (const auto& [selector, code] : selectors_and_code) all.insert(all.end(), {selector, 0, code});
    return words(all);
  }
  u64 constant(const char* name, u64 methods, bool is_meta = false) {
    return words({is_meta, 0, 0, text(name), methods});
  }
  u64 of_data(u64 data, u64 isa = 0) { return words({isa, 0, 0, 0, data}); }

 private:
  u64 put(const void* from, size_t bytes) {
    const u64 at = next_;
    memcpy(made_.memory.data() + at, from, bytes);
    next_ = (next_ + bytes + 7) / 8 * 8;
    return image_.begin + at;
  }
  void set(u64 at, u64 value) { memcpy(made_.memory.data() + MadeUp::kObjcAt + at, &value, sizeof value); }

  MadeUp& made_;
  const Image image_;
  u64 next_ = MadeUp::kObjcAt + 0x400, listed_classes_ = 0, listed_categories_ = 0, references_ = 0;
};

constexpr u64 kRealized = 0x80000000, kSwift = 2, kSigned = u64{0x1234} << 48;

// Classes in each form that they have on the way from the linker to the runtime. Returns where shared selectors begin.
uintptr_t put_classes(MadeUp& made, const Image& image) {
  Objc objc(made, image);
  const u64 first = objc.text("\xf0\x9f\xa4\xaf"), open = objc.text("open"), add = objc.text("add:to:");
  objc.refer(open);
  objc.refer(first);
  // As the linker left it, with a metaclass.
  const u64 of_class = objc.relative({{objc.words({add}), objc.code(0x1100)}});
  const u64 meta = objc.of_data(objc.constant("Shop", of_class, true));
  const u64 own = objc.relative({{objc.words({open}), objc.code(0x1000)}});
  objc.list_class(objc.of_data(objc.constant("Shop", own) | kSwift, meta | 1));
  // In use, and with selectors that are shared.
  const u64 shared = objc.relative({{open, objc.code(0x1200)}, {add, objc.code(0x1300)}}, first);
  objc.list_class(objc.of_data(objc.words({kRealized, objc.constant("Cart", shared) | kSigned})));
  // In use, and changed; with lists of categories that were attached already.
  const u64 inner = objc.absolute({{open | kSigned, objc.code(0x1400) | kSigned}});
  const u64 lists = objc.words({8 | u64{1} << 32, 0});
  const u64 entry = (inner - lists - 8) << 16 | 5;
  memcpy(made.memory.data() + (lists - image.begin) + 8, &entry, sizeof entry);
  const u64 changed = objc.words({objc.constant("Till", lists | 1)});
  const u64 till = objc.of_data(objc.words({kRealized, changed | 1}));
  objc.list_class(till);
  const u64 more = objc.absolute({{add, objc.code(0x1500)}}), for_class = objc.absolute({{add, objc.code(0x1600)}});
  objc.list_category(objc.words({objc.text("Cash"), till, more, for_class}));
  return first;
}

MadeUp with_classes() {
  MadeUp made;
  made.begins = {0x1000, 0x1100, 0x1200, 0x1300, 0x1400, 0x1500, 0x1600, 0x1700};
  made.classes = 3;
  made.categories = 1;
  made.references = 2;
  return made;
}

}  // namespace

TEST("methods of Objective-C: have the names of their classes, categories and selectors") {
  SKIP_WHERE_NOTHING_IS_READ();
  MadeUp made = with_classes();
  const Image image = made.load();
  const uintptr_t first = put_classes(made, image);
  CHECK_EQUAL(macho::selectors_of_cache(reinterpret_cast<const void*>(image.header), image.base), first);
  const std::vector<u32> offsets = {0x1010, 0x1110, 0x1210, 0x1310, 0x1410, 0x1510, 0x1610, 0x1710};
  CHECK_EQUAL(shown(names_at(image, offsets, first)),
              "4096=-[Shop open] 4352=+[Shop add:to:] 4608=-[Cart open] 4864=-[Cart add:to:] 5120=-[Till open] "
              "5376=-[Till(Cash) add:to:] 5632=+[Till(Cash) add:to:] 5888= ");
  // Where it is not known from where selectors are counted, these have no names.
  CHECK_EQUAL(shown(names_at(image, {0x1010, 0x1210, 0x1410})), "4096=-[Shop open] 4608= 5120=-[Till open] ");
}

TEST("methods of Objective-C: damaged classes give names or none, and no fault") {
  SKIP_WHERE_NOTHING_IS_READ();
  std::mt19937 random(11);
  for (int turn = 0; turn < 400; turn++) {
    MadeUp made = with_classes();
    const Image image = made.load();
    const uintptr_t first = put_classes(made, image);
    for (int change = 0; change < 4; change++) {
      const size_t part = random() % 4 ? 0x400 + random() % 0x300 : random() % 0x220;
      made.memory[MadeUp::kObjcAt + part] = static_cast<char>(random());
    }
    names_at(image, {0x1010, 0x1110, 0x1210, 0x1310, 0x1410, 0x1510, 0x1610}, first);
    macho::selectors_of_cache(reinterpret_cast<const void*>(image.header), image.base);
  }
}
