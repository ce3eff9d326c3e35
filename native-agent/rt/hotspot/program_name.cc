#include "rt/hotspot/program_name.h"

#include "base/libc.h"

namespace btrace::hotspot {

namespace {

// Moves the text behind the prefix; false where it begins otherwise.
bool skip(const char*& text, const char* prefix) {
  const size_t length = strlen(prefix);
  if (strncmp(text, prefix, length) != 0) return false;
  text += length;
  return true;
}

// `java Shop.java` runs the compiler, which runs the file: that is the program.
bool skip_source_launcher(const char*& command) {
  const char* at = command;
  skip(at, "jdk.compiler/");
  if (!skip(at, "com.sun.tools.javac.launcher.")) return false;
  if (!skip(at, "Main ") && !skip(at, "SourceLauncher ")) return false;
  command = at;
  return true;
}

bool ends_archive(const char* ending) {
  const auto is = [&](u32 at, char letter) { return (ending[at] | 0x20) == letter; };
  return ending[0] == '.' && (is(1, 'j') || is(1, 'w')) && is(2, 'a') && is(3, 'r') && (!ending[4] || ending[4] == ' ');
}

}  // namespace

void name_program(const char* command, char* name, size_t size) {
  const bool is_source = skip_source_launcher(command);
  const char* end = command;
  bool is_path = false;
  for (; *end && *end != ' '; end++) is_path |= *end == '/';
  // Of what comes as one line only the path of an archive may hold spaces.
  if (is_path && !is_source)
    for (const char* at = command + 1; *at; at++)
      if (ends_archive(at)) {
        end = at + 4;
        break;
      }
  const char* begin = end;
  while (begin > command && begin[-1] != '/') begin--;
  const size_t length = min_of(static_cast<size_t>(end - begin), size - 1);
  memcpy(name, begin, length);
  name[length] = 0;
}

}  // namespace btrace::hotspot
