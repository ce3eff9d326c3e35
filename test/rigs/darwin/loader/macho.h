#pragma once
// The part of the Mach-O format that the loader reads, as Apple's <mach-o/loader.h> and <mach-o/fixup-chains.h> define it.
#include <cstdint>

namespace macho {

constexpr uint32_t kMagic = 0xfeedfacf;
constexpr uint32_t kNeeded = 0x80000000;  // of a command that a loader must understand

struct Header {
  uint32_t magic, cpu, cpu_subtype, file_type, command_count, command_bytes, flags, reserved;
};
#if defined(__aarch64__)
constexpr uint32_t kThisCpu = 0x0100000c;
#else
constexpr uint32_t kThisCpu = 0x01000007;
#endif

struct Command {
  uint32_t kind, bytes;
};
enum CommandKind : uint32_t {
  kSymbolTable = 0x2,
  kLoadLibrary = 0xc,
  kSegment = 0x19,
  kBindOpcodes = 0x22 | kNeeded,
  kMain = 0x28 | kNeeded,
  kChainedFixups = 0x34 | kNeeded,
};

struct Segment {
  Command command;
  char name[16];
  uint64_t address, bytes, file_offset, file_bytes;
  uint32_t most_access, access, section_count, flags;
};
constexpr uint32_t kReadOnlyAfterBinding = 0x10;

struct Section {
  char name[16], segment[16];
  uint64_t address, bytes;
  uint32_t file_offset, alignment, relocations, relocation_count, flags, first_indirect, stub_bytes, reserved;
};
constexpr uint32_t kSectionKind = 0xff, kInitializers = 0x9, kThreadVariables = 0x13, kInitializerOffsets = 0x16;

struct SymbolTable {
  Command command;
  uint32_t symbols, symbol_count, strings, string_bytes;
};
struct Symbol {
  uint32_t name;
  uint8_t type, section;
  uint16_t description;
  uint64_t value;
};
constexpr uint8_t kExternal = 0x1, kTypeMask = 0xe, kInSection = 0xe, kDebugMask = 0xe0;

struct Library {
  Command command;
  uint32_t name, timestamp, current, compatible;
};
struct EntryPoint {
  Command command;
  uint64_t offset, stack_bytes;
};
struct LinkeditData {
  Command command;
  uint32_t offset, bytes;
};
struct BindOpcodes {
  Command command;
  uint32_t rebase, rebase_bytes, bind, bind_bytes, weak, weak_bytes, lazy, lazy_bytes, exports, export_bytes;
};

struct ChainedFixups {
  uint32_t version, starts, imports, names, import_count, import_format, name_format;
};
struct __attribute__((packed)) ChainStarts {
  uint32_t bytes;
  uint16_t page_bytes, pointer_format;
  uint64_t segment_offset;
  uint32_t most_pointer;
  uint16_t page_count, first[1];
};
constexpr uint16_t kEmptyPage = 0xffff;
constexpr uint16_t kPointer64 = 2, kPointer64Offset = 6;
constexpr uint32_t kPlainImports = 1, kImportsWithAddend = 2;

template <class Visit>
void each_command(const Header& header, Visit visit) {
  auto* at = reinterpret_cast<const char*>(&header + 1);
  for (uint32_t number = 0; number < header.command_count; number++) {
    auto* command = reinterpret_cast<const Command*>(at);
    visit(*command);
    at += command->bytes;
  }
}

template <class Visit>
void each_segment(const Header& header, Visit visit) {
  each_command(header, [&](const Command& command) {
    if (command.kind == kSegment) visit(reinterpret_cast<const Segment&>(command));
  });
}

}  // namespace macho
