// Functions of a library that has no file, by the tables that it has in memory: of images that are made up here, whole
// and damaged.
#include <cstring>
#include <random>

#include "harness.h"
#include "made_up_image.h"
#include "os/image_functions.h"

using namespace btrace;

TEST("image functions: have the names of the symbol table and of the exports, and only their own addresses") {
  SKIP_WHERE_NOTHING_IS_READ();
  MadeUp made = usual();
  const Image image = made.load();
  const std::vector<u32> offsets = {0, 0x10, 0xfff, 0x1000, 0x10ff, 0x1110, 0x1200, 0x1fff, 0x2fff, 0x3000, 0x3fff};
  // That at 0x1100 is private: the export before it is not its name.
  CHECK_EQUAL(shown(names_at(image, offsets)), "4096=first 4352= 4608=-[Shop open] 8192=last ");
  CHECK_EQUAL(shown(names_at(image, {0x3000})), "");
}

TEST("image functions: are told by the older table of exports, too") {
  SKIP_WHERE_NOTHING_IS_READ();
  MadeUp made = usual();
  made.has_old_exports = true;
  CHECK_EQUAL(shown(names_at(made.load(), {0x2001})), "8192=last ");
}

TEST("image functions: have no names where their bounds are not told") {
  SKIP_WHERE_NOTHING_IS_READ();
  MadeUp made = usual();
  made.has_starts = false;
  CHECK_EQUAL(shown(names_at(made.load(), {0x1000, 0x2000})), "");
}

TEST("image functions: symbols of data, of debugging and of other places name none") {
  SKIP_WHERE_NOTHING_IS_READ();
  MadeUp made;
  made.begins = {0x1000, 0x1100, 0x1200};
  made.symbols = {{0x1000, "_absolute", 0x03}, {0x1100, "_debugging", 0x24}, {0x1200, "_"}, {0x1200, "_\x01\x02"}};
  CHECK_EQUAL(shown(names_at(made.load(), {0x1000, 0x1100, 0x1200})), "4096= 4352= 4608=\x01\x02 ");
}

TEST("image functions: re-exports name none, and a trie that leads back to itself or to nowhere ends") {
  SKIP_WHERE_NOTHING_IS_READ();
  const u8 kElsewhere = 8;
  const std::vector<std::string> tries = {
      std::string("\0\1a\0\0", 5),                              // its only edge leads to the root
      std::string("\0\2\0\0\0\0", 6),                           // two edges without letters that do
      std::string("\0\1a\0\x7f", 5),                            // out of it
      std::string("\0\1aaaa", 6),                               // a name without an end
      std::string("\0\xff", 2),                                 // edges without an end
      std::string(64, '\x80'),                                  // a number without an end
      std::string("\x7f\0", 2),                                 // more told than there is
      std::string("\0\1_x\0\5\4", 7) + std::string({static_cast<char>(kElsewhere), '\0', '\x20', '\0', '\0'}),
  };
  for (const std::string& trie : tries) {
    MadeUp made;
    made.begins = {0x1000, 0x2000};
    made.trie = trie;
    CHECK_EQUAL(shown(names_at(made.load(), {0x1000, 0x2000})), "4096= 8192= ");
  }
}

TEST("image functions: bounds that are torn or lie outside the code give none") {
  SKIP_WHERE_NOTHING_IS_READ();
  for (const std::string& starts :
       {std::string(32, '\x80'), std::string(1, '\0'), std::string("\xff\xff\xff\xff\x7f", 5),
        std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10)}) {
    MadeUp made = usual();
    made.starts = starts;
    CHECK_EQUAL(shown(names_at(made.load(), {0x1000, 0x2000})), "");
  }
}

TEST("image functions: names that are too long are none") {
  SKIP_WHERE_NOTHING_IS_READ();
  MadeUp made;
  made.begins = {0x1000, 0x1100, 0x1200, 0x1300};
  const std::string most(FoundFunctions::kMostName, 'x'), more = most + "x";
  made.symbols = {{0x1000, most}, {0x1100, more}};
  made.exports = {{0x1200, more}, {0x1300, "_" + more}};
  const Names names = names_at(made.load(), {0x1000, 0x1100, 0x1200, 0x1300});
  CHECK_EQUAL(names.at(0x1000), most);
  CHECK_EQUAL(names.at(0x1100), "");
  CHECK_EQUAL(names.at(0x1200), "");
  // Without its underscore what was kept of it is no longer than another may be.
  CHECK_EQUAL(names.at(0x1300), "");
}

TEST("image functions: a damaged image gives names or none, and no fault") {
  SKIP_WHERE_NOTHING_IS_READ();
  std::mt19937 random(7);
  const std::vector<u32> offsets = {0, 0x1000, 0x1101, 0x1200, 0x2000, 0x3fff};
  for (int turn = 0; turn < 400; turn++) {
    MadeUp made = usual();
    Image image = made.load();
    for (int change = 0; change < 4; change++) {
      // In the load commands or in the tables.
      const size_t at = random() % 2 ? random() % made.command_bytes : 0x8000 + random() % 0x400;
      made.memory[at] = static_cast<char>(random());
    }
    for (const auto& [begin, name] : names_at(image, offsets)) CHECK(begin < MadeUp::kTextBytes);
  }
  Image gone = usual().load();
  gone.header = 4096;
  CHECK_EQUAL(shown(names_at(gone, offsets)), "");
}
