#include "core/options.h"

#include "base/libc.h"
#include "os/machine.h"

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

// "NAME=VALUE" up to a comma; moves `text` behind it. False when there is no name.
struct Word {
  const char* name;
  size_t name_size;
  const char* value;
  size_t value_size;

  bool is_named(const char* wanted) const { return is(name, name_size, wanted); }
};

bool next_word(const char*& text, Word& word) {
  const char* end = text;
  while (*end && *end != ',') end++;
  const char* value = text;
  while (value < end && *value != '=') value++;
  if (value == end) return false;
  word = {text, static_cast<size_t>(value - text), value + 1, static_cast<size_t>(end - value - 1)};
  text = *end ? end + 1 : end;
  return true;
}

struct Found {
  bool token, answer;
};

bool take_token(const Word& word, Options& options, Found& found) {
  if (word.is_named("token")) return found.token = parse_token(word.value, word.value_size, options.token);
  if (word.is_named("answer")) return found.answer = parse_token(word.value, word.value_size, options.answer);
  return true;
}

// The tokens from a file that only this user can read: all users can read a command line.
bool read_secret(const Word& word, Options& options, Found& found) {
  char path[108], text[256];
  if (!copy_text(word.value, word.value_size, path, sizeof path) || read_small_file(path, text, sizeof text) <= 0)
    return false;
  Word inner;
  for (const char* at = text; *at;)
    if (!next_word(at, inner) || !take_token(inner, options, found)) return false;
  return true;
}

}  // namespace

bool parse_options(const char* text, Options& options) {
  Found found{};
  Word word;
  while (text && *text) {
    if (!next_word(text, word)) return false;
    if (word.is_named("socket")) {
      if (!copy_text(word.value, word.value_size, options.socket, sizeof options.socket)) return false;
    } else if (word.is_named("listen")) {
      if (!copy_text(word.value, word.value_size, options.listen, sizeof options.listen)) return false;
    } else if (word.is_named("port")) {
      if (!parse_number(word.value, word.value_size, options.port) || options.port > 0xffff) return false;
    } else if (word.is_named("secret")) {
      if (!read_secret(word, options, found)) return false;
    } else if (word.is_named("wait")) {
      if (!parse_number(word.value, word.value_size, options.wait_ms)) return false;
    } else if (!take_token(word, options, found)) {
      return false;
    }  // a name of a later version is passed over
  }
  return found.token && found.answer && (options.socket[0] != 0) + (options.listen[0] != 0) + (options.port != 0) == 1;
}

}  // namespace btrace
