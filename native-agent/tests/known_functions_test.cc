// What is kept of functions that were looked up, and how often they are.
#include <cstring>

#include "core/known_functions.h"
#include "harness.h"
#include "made_up_image.h"

using namespace btrace;

namespace {

int g_look_ups;

void find_counted(const Image& image, const uintptr_t* addresses, u32 count, FoundFunctions& found) {
  g_look_ups++;
  macho::find_functions(image, addresses, count, nullptr, 0, found);
}

}  // namespace

TEST("known functions: are looked up once, and each address is told once with its function") {
  SKIP_WHERE_NOTHING_IS_READ();
  MadeUp made[2] = {usual(), usual()};
  const Image images[2] = {made[0].load(), made[1].load()};
  KnownFunctions functions;
  CHECK(functions.init(find_counted));
  g_look_ups = 0;
  const auto told = [&] {
    std::string text;
    functions.look_up([&](u32 number) -> const Image& { return images[number]; }, [&](const KnownFunctions::Met& one) {
      text += std::to_string(one.image) + ":" + std::string(one.name, one.name_bytes);
      for (u32 at = 0; at < one.count; at++) text += "+" + std::to_string(one.addresses[at] - one.begin);
      text += " ";
    });
    return text;
  };
  const auto note = [&](u32 image, u32 offset) { CHECK(!functions.note(image, images[image].begin + offset)); };
  note(1, 0x2001);
  note(0, 0x1005);
  note(1, 0x1003);
  note(0, 0x1001);
  note(0, 0x1101);
  CHECK_EQUAL(told(), "0:first+1+5 1:first+3 1:last+1 ");
  CHECK_EQUAL(g_look_ups, 2);
  note(0, 0x1001);
  note(0, 0x1102);
  note(0, 0x1007);
  CHECK_EQUAL(told(), "0:first+7 ");
  CHECK_EQUAL(g_look_ups, 2);
  note(0, 0x1200);
  CHECK_EQUAL(told(), "0:-[Shop open]+0 ");
  CHECK_EQUAL(g_look_ups, 3);
  functions.release();
}
