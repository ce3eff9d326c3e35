#include "core/options.h"

#include "base/libc.h"

namespace btrace {

namespace {

i32 hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool parse_token(const char* text, size_t size, u8* token) {
  if (size != Options::kTokenBytes * 2) return false;
  for (u32 i = 0; i < Options::kTokenBytes; i++) {
    i32 high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    token[i] = static_cast<u8>(high << 4 | low);
  }
  return true;
}

bool copy_text(const char* text, size_t size, char* to, size_t room) {
  if (!size || size >= room) return false;
  memcpy(to, text, size);
  to[size] = 0;
  return true;
}

bool parse_number(const char* text, size_t size, u32& number) {
  constexpr size_t kMostDigits = 6;
  if (!size || size > kMostDigits) return false;
  number = 0;
  for (size_t i = 0; i < size; i++) {
    if (text[i] < '0' || text[i] > '9') return false;
    number = number * 10 + static_cast<u32>(text[i] - '0');
  }
  return true;
}

bool is(const char* text, size_t size, const char* name) {
  return strlen(name) == size && !strncmp(text, name, size);
}

}  // namespace

bool parse_options(const char* text, Options& options) {
  bool has_token = false, has_answer = false;
  while (text && *text) {
    const char* end = text;
    while (*end && *end != ',') end++;
    const char* value = text;
    while (value < end && *value != '=') value++;
    if (value == end) return false;
    size_t name_size = static_cast<size_t>(value - text);
    value++;
    size_t value_size = static_cast<size_t>(end - value);
    if (is(text, name_size, "socket")) {
      if (!copy_text(value, value_size, options.socket, sizeof options.socket)) return false;
    } else if (is(text, name_size, "listen")) {
      if (!copy_text(value, value_size, options.listen, sizeof options.listen)) return false;
    } else if (is(text, name_size, "token")) {
      if (!(has_token = parse_token(value, value_size, options.token))) return false;
    } else if (is(text, name_size, "answer")) {
      if (!(has_answer = parse_token(value, value_size, options.answer))) return false;
    } else if (is(text, name_size, "wait")) {
      if (!parse_number(value, value_size, options.wait_ms)) return false;
    }  // a name of a later version is passed over
    text = *end ? end + 1 : end;
  }
  return has_token && has_answer && (options.socket[0] != 0) != (options.listen[0] != 0);
}

}  // namespace btrace
