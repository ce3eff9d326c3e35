#pragma once
// The tables of functions in an image's __LINKEDIT, as they were copied from memory. They may hold anything: an image
// that is unloaded meanwhile leaves half a table.
#include "os/darwin/load_commands.h"
#include "os/darwin/objc_methods.h"
#include "os/image_functions.h"

namespace btrace::macho {

// Adds the functions that the offsets lie in, which ascend and count from the image's begin. `starts`: where each of
// its functions begins, as differences (LC_FUNCTION_STARTS); the last one reaches to `code_end`.
void add_functions(const u8* starts, size_t bytes, u32 code_end, const u32* offsets, u32 count, FoundFunctions& found);

// As a person writes it: without the underscore of names of C. Of the system's libraries, local names were taken out.
void set_linked_name(FoundFunctions& found, FoundFunctions::Function& function, const char* name, size_t bytes);

// Names those that an exports trie names: all that other images may call.
void name_by_exports(const u8* trie, size_t bytes, FoundFunctions& found);

// Names those that a symbol table names. read_name(at, name) puts at most kMostName bytes of the text at a place of the
// string table into `name`, with a 0 behind, and returns how many they are; 0 for one that is longer, or not there.
template <class ReadName>
void name_by_symbols(const Symbol* symbols, size_t count, u64 first_address, FoundFunctions& found,
                     ReadName read_name) {
  constexpr u8 kDebugging = 0xe0, kPlaces = 0x0e, kInSection = 0x0e;
  char name[FoundFunctions::kMostName + 1];
  for (size_t at = 0; at < count && !found.all_named(); at++) {
    const Symbol& one = symbols[at];
    if ((one.type & kDebugging) || (one.type & kPlaces) != kInSection || one.value < first_address) continue;
    FoundFunctions::Function* function = found.beginning_at(one.value - first_address);
    if (!function || function->name_bytes) continue;
    set_linked_name(found, *function, name, read_name(one.name, name));
  }
}

// What os/image_functions.h says of it, of an image in memory. `methods`: the image's own, read when they are first
// asked for, or nullptr; objc_methods.h has `selectors`.
void find_functions(const Image& image, const uintptr_t* addresses, u32 count, ObjcMethods* methods,
                    uintptr_t selectors, FoundFunctions& found);

}  // namespace btrace::macho
