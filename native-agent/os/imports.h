#pragma once
// Redirects functions that loaded libraries import. A library calls an imported function through a pointer in its
// global offset table (GOT); the library's relocations name the pointer of each function.
//
// A pointer is written only if two facts agree: a relocation says that it holds the function's address, and it does
// hold that address now (or one in the library itself: the loader has not bound it yet). Code is never patched.
#include "base/types.h"

namespace btrace {

namespace elf {
struct LoadedObject;
}

// A pointer that an image calls an imported function through and uses for nothing else: a relocation for calls names it
// (JUMP_SLOT), and a symbol of a function. Nobody compares it with another one, as is done with a function's address.
struct CallPointer {
  void** place;
  const char* name;  // as long as the image is loaded
  void* now;         // what it holds: code of an image
};

struct Import {
  const char* name;
  void* original;  // where the dynamic linker finds that name
  void* replacement;
};

// The function that calls of this name lead to; nullptr: there is none. A program that lies at a fixed address and takes a
// function's address has a stub for it, which everybody else is then told as that address. The stub jumps through the
// pointer that is redirected, so it must not stand for the function.
void* imported_function(const char* name);

// Another number when an image was loaded or unloaded since.
u64 loaded_images();

class Imports {
 public:
  static constexpr u32 kPointers = 4096;

  struct Count {
    u32 bound;    // pointers that lead to the replacement now
    u32 refused;  // named by a relocation, but they hold something else or cannot be written
  };

  // False when the kernel gives no memory. To be called before anything else; again, it does nothing.
  bool init();
  // Only when nothing is bound.
  void release();

  // Redirects the import in the library of this name ("libart.so" is also libart.so.0), or with nullptr in all that are
  // loaded but the one that this code is in and the one named `except`. A later call also takes in what was loaded
  // since. On one thread at a time; up to a few ms, because all relocations of large libraries are read.
  Count bind(const char* library, const Import& import, const char* except = nullptr);
  // What a call pointer is to hold. What it held before must go on to be called by that; the same as now: it stays.
  using Redirection = void* (*)(void* data, const CallPointer& call);
  struct Calls {
    u32 bound;
    u32 refused;     // they hold something else than code, cannot be written, or there is no room to remember them
    u32 by_address;  // functions that images import by address: those may be compared, and are left alone
  };
  // The same for all call pointers at once. It may be told of one again that the loader has bound meanwhile.
  Calls bind_calls(Redirection redirection, void* data, const char* except);
  // Puts the originals back. Returns how many pointers still lead to a replacement: somebody else's value stands in
  // them, or they cannot be written. A library that is unloaded meanwhile is left alone.
  u32 undo();

 private:
  struct Pointer {
    void** place;
    void* before;
    void* replacement;
  };
  struct Search;
  struct CallSearch;
  struct Undo;
  static int visit(const elf::LoadedObject* object, size_t, void* search);
  static int visit_calls(const elf::LoadedObject* object, size_t, void* search);
  static int visit_to_undo(const elf::LoadedObject* object, size_t, void* undo);
  bool remember(void** place, void* before, void* replacement);

  Pointer* pointers_ = nullptr;
  u32 count_ = 0;
};

}  // namespace btrace
