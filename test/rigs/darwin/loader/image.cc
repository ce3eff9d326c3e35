#include "image.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "system.h"

using namespace macho;

std::deque<Image> g_images;

void die(const std::string& what) {
  fprintf(stderr, "macho-run: %s\n", what.c_str());
  exit(127);
}

namespace {

// Pages of arm64; those of x86-64 are smaller.
constexpr uint64_t kPage = 0x4000;

std::vector<char> read_file(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts;
  if (fd < 0 || fstat(fd, &facts)) die(path + ": " + strerror(errno));
  std::vector<char> bytes(static_cast<size_t>(facts.st_size));
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = read(fd, bytes.data() + done, bytes.size() - done);
    if (got <= 0) die(path + ": cannot be read");
    done += static_cast<size_t>(got);
  }
  close(fd);
  return bytes;
}

const Header& header_of(const std::vector<char>& file, const std::string& path) {
  auto* header = reinterpret_cast<const Header*>(file.data());
  if (file.size() < sizeof *header || header->magic != kMagic) die(path + ": no Mach-O file of 64 bits");
  if (header->cpu != kThisCpu) die(path + ": it is for another processor");
  return *header;
}

bool is_of_system(const std::string& library) {
  return library.starts_with("/usr/lib/") || library.starts_with("/System/");
}

// Whether Core Foundation is among them.
bool load_needed(const Header& header, const std::string& path) {
  bool needs_core_foundation = false;
  each_command(header, [&](const Command& command) {
    if (command.kind != kLoadLibrary) return;
    const auto& library = reinterpret_cast<const Library&>(command);
    const std::string name = reinterpret_cast<const char*>(&library) + library.name;
    needs_core_foundation |= name.ends_with("/CoreFoundation");
    const std::string beside = path.substr(0, path.rfind('/') + 1) + name.substr(name.rfind('/') + 1);
    if (is_of_system(name) && access(beside.c_str(), R_OK)) return;
    const std::string known_as = name[0] == '@' ? beside : name;
    const bool is_there = std::any_of(g_images.begin(), g_images.end(), [&](const Image& one) { return one.path == known_as; });
    if (!is_there) load(is_of_system(name) ? beside : known_as, known_as);
  });
  if (needs_core_foundation) need_core_foundation();
  return needs_core_foundation;
}

// A segment without access (__PAGEZERO) takes no room.
void map(Image& image, const Header& header, const std::vector<char>& file) {
  uint64_t low = UINT64_MAX, high = 0;
  each_segment(header, [&](const Segment& segment) {
    if (!segment.access) return;
    low = std::min(low, segment.address);
    high = std::max(high, segment.address + segment.bytes);
  });
  if (low >= high) die(image.path + ": it has no segments");
  void* room = mmap(nullptr, high - low + kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) die(image.path + ": no memory");
  image.base = reinterpret_cast<char*>((reinterpret_cast<uint64_t>(room) + kPage - 1) & ~(kPage - 1));
  image.slide = static_cast<intptr_t>(reinterpret_cast<uint64_t>(image.base) - low);
  each_segment(header, [&](const Segment& segment) {
    if (!segment.access) return;
    if (segment.file_offset + segment.file_bytes > file.size()) die(image.path + ": it ends within a segment");
    char* at = reinterpret_cast<char*>(segment.address) + image.slide;
    mprotect(at, segment.bytes, PROT_READ | PROT_WRITE);
    memcpy(at, file.data() + segment.file_offset, segment.file_bytes);
  });
}

const char* linkedit_of(const Image& image) {
  const char* found = nullptr;
  each_segment(image.header(), [&](const Segment& segment) {
    if (!strncmp(segment.name, "__LINKEDIT", sizeof segment.name))
      found = reinterpret_cast<const char*>(segment.address) + image.slide - segment.file_offset;
  });
  return found;
}

void bind(Image& image) {
  const char* linkedit = linkedit_of(image);
  each_command(image.header(), [&](const Command& command) {
    if (command.kind == kBindOpcodes) apply_opcodes(image, reinterpret_cast<const BindOpcodes&>(command), linkedit);
    if (command.kind == kChainedFixups)
      apply_chains(image, linkedit + reinterpret_cast<const LinkeditData&>(command).offset);
    if (command.kind == kMain)
      image.entry = reinterpret_cast<uint64_t>(image.base) + reinterpret_cast<const EntryPoint&>(command).offset;
  });
}

void find_initializers(Image& image) {
  each_segment(image.header(), [&](const Segment& segment) {
    auto* sections = reinterpret_cast<const Section*>(&segment + 1);
    for (uint32_t number = 0; number < segment.section_count; number++) {
      const Section& section = sections[number];
      const char* at = reinterpret_cast<const char*>(section.address) + image.slide;
      const uint32_t kind = section.flags & kSectionKind;
      if (kind == kThreadVariables) die(image.path + ": thread-local variables are not supported");
      if (kind == kInitializers)
        for (uint64_t offset = 0; offset < section.bytes; offset += 8)
          image.initializers.push_back(*reinterpret_cast<const Image::Initializer*>(at + offset));
      if (kind == kInitializerOffsets)
        for (uint64_t offset = 0; offset < section.bytes; offset += 4)
          image.initializers.push_back(
              reinterpret_cast<Image::Initializer>(image.base + *reinterpret_cast<const uint32_t*>(at + offset)));
    }
  });
}

void protect(const Image& image) {
  each_segment(image.header(), [&](const Segment& segment) {
    if (!segment.access || !segment.bytes) return;
    const bool is_written = (segment.access & 2) && !(segment.flags & kReadOnlyAfterBinding);
    const bool is_run = segment.access & 4;
    char* at = reinterpret_cast<char*>(segment.address) + image.slide;
    mprotect(at, segment.bytes, PROT_READ | (is_written ? PROT_WRITE : 0) | (is_run ? PROT_EXEC : 0));
    if (is_run) __builtin___clear_cache(at, at + segment.bytes);
  });
}

}  // namespace

Image& load(const std::string& path, const std::string& known_as) {
  const std::vector<char> file = read_file(path);
  const Header& header = header_of(file, path);
  const bool needs_core_foundation = load_needed(header, path);
  Image image;
  image.needs_core_foundation = needs_core_foundation;
  image.path = known_as;
  map(image, header, file);
  bind(image);
  find_initializers(image);
  protect(image);
  g_images.push_back(std::move(image));
  return g_images.back();
}

void initialize_loaded() {
  for (size_t number = 0; number < g_images.size(); number++) {
    Image& image = g_images[number];
    if (image.is_initialized) continue;
    image.is_initialized = true;
    tell_listeners(image);
    if (image.needs_core_foundation) set_up_core_foundation();
    for (Image::Initializer run : image.initializers) run(g_program.argc, g_program.argv, g_program.environment, g_program.argv);
  }
}

void* Image::symbol(const char* name) const {
  void* found = nullptr;
  const char* linkedit = linkedit_of(*this);
  each_command(header(), [&](const Command& command) {
    if (command.kind != kSymbolTable) return;
    const auto& table = reinterpret_cast<const SymbolTable&>(command);
    auto* symbols = reinterpret_cast<const Symbol*>(linkedit + table.symbols);
    for (uint32_t number = 0; number < table.symbol_count && !found; number++) {
      const Symbol& one = symbols[number];
      const bool is_defined = (one.type & kExternal) && (one.type & kTypeMask) == kInSection && !(one.type & kDebugMask);
      if (is_defined && !strcmp(linkedit + table.strings + one.name, name)) found = reinterpret_cast<char*>(one.value) + slide;
    }
  });
  return found;
}

void* find_symbol(const char* name) {
  for (const Image& image : g_images)
    if (void* found = image.symbol(name)) return found;
  return system_symbol(name);
}
