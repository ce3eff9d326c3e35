#pragma once
// Puts a short text together in room that is there, with a 0 behind. What does not fit is left out.
#include "base/types.h"

namespace btrace {

class TextBuilder {
 public:
  template <size_t kRoom>
  explicit TextBuilder(char (&room)[kRoom]) : at_(room), last_(room + kRoom - 1) {
    *at_ = 0;
  }
  TextBuilder& add(const char* text) {
    while (*text) put(*text++);
    return *this;
  }
  TextBuilder& number(u32 value) {
    char digits[10];
    u32 count = 0;
    do digits[count++] = static_cast<char>('0' + value % 10);
    while (value /= 10);
    while (count) put(digits[--count]);
    return *this;
  }
  TextBuilder& hex(const u8* bytes, size_t size) {
    constexpr char kDigits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
      put(kDigits[bytes[i] >> 4]);
      put(kDigits[bytes[i] & 15]);
    }
    return *this;
  }

 private:
  void put(char character) {
    if (at_ == last_) return;
    *at_++ = character;
    *at_ = 0;
  }

  char* at_;
  char* last_;
};

}  // namespace btrace
