#include "base/text_builder.h"

#include "harness.h"

using namespace btrace;

TEST("text builder: texts, numbers and bytes, as far as there is room") {
  char text[24];
  const u8 bytes[] = {0x00, 0x9a, 0xff};
  TextBuilder(text).add("a-").number(0).number(4294967295).hex(bytes, sizeof bytes);
  CHECK_EQUAL(std::string(text), std::string("a-04294967295009aff"));
  char little[4];
  TextBuilder(little).number(1234567).add("x");
  CHECK_EQUAL(std::string(little), std::string("123"));
  TextBuilder empty(little);
  CHECK_EQUAL(std::string(little), std::string());
}
