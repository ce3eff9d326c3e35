#pragma once
#include "base/types.h"

namespace btrace::hotspot {

// A Java program's name as a person knows it, from the line that the JVM makes of its command: the main class, or the
// file of a jar or a source. src/targets/local/java-command.ts names programs so before they are recorded, and
// test/fixtures/java-commands.json holds both to the same.
void name_program(const char* command, char* name, size_t size);

}  // namespace btrace::hotspot
