#include "rt/art/handed_symbols.h"

#include "base/libc.h"
#include "base/pages.h"
#include "base/text_builder.h"
#include "os/linux/elf.h"
#include "os/machine.h"

namespace btrace::art {

namespace {

// What follows `word` and a space at the begin of a line; nullptr when the line begins otherwise.
const char* after(const char* line, const char* word) {
  const size_t length = strlen(word);
  return strncmp(line, word, length) == 0 && line[length] == ' ' ? line + length + 1 : nullptr;
}

// The name on a symbol's line; nullptr when it is not one.
const char* parse_symbol(const char* line, uintptr_t& value) {
  value = 0;
  u32 digits = 0;
  for (; digits < 2 * sizeof value; line++, digits++) {
    const char c = *line;
    if (c >= '0' && c <= '9')
      value = value << 4 | static_cast<uintptr_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value << 4 | static_cast<uintptr_t>(c - 'a' + 10);
    else
      break;
  }
  return digits && *line == ' ' ? line + 1 : nullptr;
}

}  // namespace

HandedSymbols::~HandedSymbols() {
  if (text_) unmap_pages(text_, kRoom);
}

void HandedSymbols::read_beside_agent(const LoadedLibrary& library) {
  static constexpr char kEnd[] = ".symbols";
  char path[1024];
  if (!find_own_file(path, sizeof path - sizeof kEnd)) return;
  memcpy(path + strlen(path), kEnd, sizeof kEnd);
  read(path, library);
}

void HandedSymbols::read(const char* path, const LoadedLibrary& library) {
  library_ = &library;
  text_ = static_cast<char*>(map_pages(kRoom));
  if (!text_) return;
  const i64 size = read_small_file(path, text_, kRoom - 1);
  for (i64 i = 0; i < size; i++)
    if (text_[i] == '\n') text_[i] = 0;
  if (size < 0) return;
  const char* build_id = after(text_, "build-id");
  check_build_id(build_id ? build_id : "");
  if (problem_[0]) {
    text_[0] = 0;
  } else if (const char* why = after(text_ + strlen(text_) + 1, "why")) {
    TextBuilder(problem_).add(why);
  }
}

void HandedSymbols::check_build_id(const char* hex) {
  char own[2 * 64 + 1];
  const BuildId id = library_->build_id();
  TextBuilder(own).hex(id.bytes, id.size);
  if (!id.size || strcmp(own, hex) != 0)
    TextBuilder(problem_).add("what was handed over is of another build, ").add(hex);
}

void* HandedSymbols::symbol(const char* name) const {
  if (!text_) return nullptr;
  for (const char* line = text_; *line; line += strlen(line) + 1) {
    uintptr_t value;
    const char* named = parse_symbol(line, value);
    if (named && strcmp(named, name) == 0) return library_->code_at(value);
  }
  return nullptr;
}

}  // namespace btrace::art
