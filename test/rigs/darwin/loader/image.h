#pragma once
// A Mach-O program or library in this process's memory.
#include <deque>
#include <string>
#include <vector>
#include "macho.h"

struct Image {
  using Initializer = void (*)(int, char**, char**, char**);

  std::string path;
  char* base = nullptr;
  intptr_t slide = 0;
  uint64_t entry = 0;  // of a program
  std::vector<Initializer> initializers;
  bool is_initialized = false;
  bool needs_core_foundation = false;

  const macho::Header& header() const { return *reinterpret_cast<const macho::Header*>(base); }
  // By its name in C with the underscore before it; nullptr: it defines no such symbol.
  void* symbol(const char* name) const;
};

// In the order in which they were loaded. Never removed, so that threads may read it while one adds to it.
extern std::deque<Image> g_images;

[[noreturn]] void die(const std::string& what);

// Maps the file and, before it, the libraries that it needs; binds and protects them. A path that begins with @ is
// looked for beside the file that asks, and one of the system's, too: that is known by its own path all the same.
Image& load(const std::string& path, const std::string& known_as);
inline Image& load(const std::string& path) {
  return load(path, path);
}
// Runs the initializers of those that were loaded since, in order.
void initialize_loaded();
void* find_symbol(const char* name);

// fixups.cc: what the linker left to do when the addresses are known.
void apply_opcodes(const Image& image, const macho::BindOpcodes& tables, const char* linkedit);
void apply_chains(const Image& image, const char* fixups);
