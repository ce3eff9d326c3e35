#pragma once
// What Mach-O programs import of libSystem, on Linux: structures and numbers have Darwin's layout on one side.
#include <cstddef>
#include <cstdint>

#include "image.h"

struct Export {
  const char* name;  // as in C, without the underscore that Mach-O puts before it
  const void* value;
};
struct Exports {
  const Export* at;
  size_t count;
};
Exports mach_exports();      // mach.cc
Exports thread_exports();    // threads.cc
Exports lock_exports();      // locks.cc
Exports file_exports();      // files.cc
Exports dyld_exports();      // dyld.cc
Exports language_exports();  // language.cc
// core_foundation.cc: none before an image needs it.
Exports core_foundation_exports();
void need_core_foundation();
// Its initializer.
void set_up_core_foundation();

// By the name with the underscore; nullptr where libSystem has none that programs here need.
void* system_symbol(const char* name);

template <class Function>
const void* function(Function* pointer) {
  return reinterpret_cast<const void*>(pointer);
}

struct Program {
  int argc;
  char** argv;
  char** environment;
};
extern Program g_program;

void tell_listeners(const Image& image);

// Calls a function of the program's as the bottom of its stack: with no frame below it.
extern "C" long call_as_first_frame(const void* code, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
