// What of the Android Runtime's part can be tried without a runtime: which signatures are chosen, symbols, dex files.
#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "harness.h"
#include "os/linux/elf_format.h"
#include "rt/art/dex.h"
#include "rt/art/elf.h"
#include "rt/art/handed_symbols.h"
#include "rt/art/module.h"
#include "rt/art/signatures.h"

using namespace btrace;
using namespace btrace::art;

namespace {

// The symbols that a version of Android is said to have, and no others.
struct Version {
  std::set<std::string> symbols;
  explicit Version(u8 api) {
    for (u32 i = 0; i < kSignatureCount; i++)
      if (kSignatures[i].from_api <= api && api <= kSignatures[i].to_api) symbols.insert(kSignatures[i].symbol);
  }
  void* find(const char* symbol) const {
    auto found = symbols.find(symbol);
    return found == symbols.end() ? nullptr : const_cast<char*>(found->data());
  }
};

struct Chosen {
  Resolved resolved[kNeeds] = {};
  explicit Chosen(const Version& version) {
    resolve_signatures([&](const char* symbol) { return version.find(symbol); }, resolved);
  }
  const Resolved& of(Need need) const { return resolved[static_cast<u32>(need)]; }
};

// What is called, by the versions that have it so: the functions' own declarations, beside the table's mangled names.
struct Declared {
  u8 from_api, to_api;
  const char* function;
};
const Declared kDeclared[] = {
    {26, 36, "art::Runtime::instance_"},
    {26, 36, "art::Runtime::GetRuntimeCallbacks()"},
    {26, 36, "art::StackVisitor::StackVisitor(art::Thread*, art::Context*, art::StackVisitor::StackWalkKind, bool)"},
    {26, 36, "void art::StackVisitor::WalkStack<(art::StackVisitor::CountTransitions)0>(bool)"},
    {26, 36, "art::StackVisitor::GetMethod() const"},
    {26, 36, "art::StackVisitor::GetDexPc(bool) const"},
    {26, 36, "art::gc::Heap::SetAllocationListener(art::gc::AllocationListener*)"},
    {26, 36, "art::gc::Heap::RemoveAllocationListener()"},
    {26, 36, "art::gc::Heap::SetGcPauseListener(art::gc::GcPauseListener*)"},
    {26, 36, "art::gc::Heap::RemoveGcPauseListener()"},
    {30, 36, "art::RuntimeCallbacks::BeginDefineClass()"},
    {28, 36, "art::RuntimeCallbacks::AddMonitorCallback(art::MonitorCallback*)"},
    {28, 36, "art::RuntimeCallbacks::RemoveMonitorCallback(art::MonitorCallback*)"},
    {29, 36, "art::RuntimeCallbacks::AddParkCallback(art::ParkCallback*)"},
    {29, 36, "art::RuntimeCallbacks::RemoveParkCallback(art::ParkCallback*)"},
    {26, 36, "art::RuntimeCallbacks::AddThreadLifecycleCallback(art::ThreadLifecycleCallback*)"},
    {26, 36, "art::RuntimeCallbacks::RemoveThreadLifecycleCallback(art::ThreadLifecycleCallback*)"},
    {26, 36, "art::RuntimeCallbacks::AddClassLoadCallback(art::ClassLoadCallback*)"},
    {26, 36, "art::RuntimeCallbacks::RemoveClassLoadCallback(art::ClassLoadCallback*)"},
    {26, 36, "art::RuntimeCallbacks::AddRuntimePhaseCallback(art::RuntimePhaseCallback*)"},
    {26, 36, "art::RuntimeCallbacks::RemoveRuntimePhaseCallback(art::RuntimePhaseCallback*)"},
    {26, 36, "art::ScopedSuspendAll::ScopedSuspendAll(char const*, bool)"},
    {26, 36, "art::ScopedSuspendAll::~ScopedSuspendAll()"},
    {26, 26, "art::ThreadList::SuspendThreadByThreadId(unsigned int, bool, bool*)"},
    {27, 34, "art::ThreadList::SuspendThreadByThreadId(unsigned int, art::SuspendReason, bool*)"},
    {35, 36, "art::ThreadList::SuspendThreadByThreadId(unsigned int, art::SuspendReason, int)"},
    {26, 26, "art::ThreadList::Resume(art::Thread*, bool)"},
    {27, 36, "art::ThreadList::Resume(art::Thread*, art::SuspendReason)"},
    {26, 36, "art::Monitor::GetOwnerThreadId()"},
    {26, 36, "art::Context::Create()"},
    {26, 34, "art::ThreadList::RunCheckpoint(art::Closure*, art::Closure*)"},
    {35, 35, "art::ThreadList::RunCheckpoint(art::Closure*, art::Closure*, bool)"},
    {36, 36, "art::ThreadList::RunCheckpoint(art::Closure*, art::Closure*, bool, bool)"},
    {26, 26, "art::ThreadList::SuspendThreadByPeer(_jobject*, bool, bool, bool*)"},
    {27, 30, "art::ThreadList::SuspendThreadByPeer(_jobject*, bool, art::SuspendReason, bool*)"},
    {31, 34, "art::ThreadList::SuspendThreadByPeer(_jobject*, art::SuspendReason, bool*)"},
    {35, 36, "art::ThreadList::SuspendThreadByPeer(_jobject*, art::SuspendReason)"},
    {26, 28, "art::Monitor::MonitorEnter(art::Thread*, art::mirror::Object*, bool)"},
    {29, 36, "art::Monitor::MonitorEnter(art::Thread*, art::ObjPtr<art::mirror::Object>, bool)"},
    {26, 28, "art::Monitor::MonitorExit(art::Thread*, art::mirror::Object*)"},
    {29, 36, "art::Monitor::MonitorExit(art::Thread*, art::ObjPtr<art::mirror::Object>)"},
};

std::string declaration_of(const void* symbol) {
  int status = 0;
  char* text = abi::__cxa_demangle(static_cast<const char*>(symbol), nullptr, nullptr, &status);
  const std::string declaration = status == 0 ? text : "";
  std::free(text);
  return declaration;
}

TEST("art signatures: each version gets its own variants, and only what it has") {
  for (u8 api = 26; api <= 36; api++) {
    const Version version(api);
    const Chosen chosen(version);
    std::set<std::string> wanted, got;
    for (const Declared& one : kDeclared)
      if (one.from_api <= api && api <= one.to_api) wanted.insert(one.function);
    for (const Resolved& one : chosen.resolved)
      if (one.address) got.insert(declaration_of(one.address));
    for (const std::string& function : wanted) CHECK_EQUAL(got.count(function) ? function : "not chosen", function);
    CHECK_EQUAL(got.size(), wanted.size());
    // What callers ask before they call.
    CHECK_EQUAL(chosen.of(Need::SuspendByThreadId).variant, api == 26   ? kSuspendForDebugger
                                                            : api <= 34 ? kSuspendReasonAndTimeout
                                                                        : kSuspendAttempt);
    CHECK_EQUAL(chosen.of(Need::Resume).variant, api == 26 ? kResumeForDebugger : kResumeReason);
  }
}

TEST("art signatures: no symbol has a type of the C++ library in it, and none is there twice") {
  std::set<std::string> seen;
  for (u32 i = 0; i < kSignatureCount; i++) {
    const std::string symbol = kSignatures[i].symbol;
    CHECK(symbol.find("St3__1") == std::string::npos && symbol.find("basic_string") == std::string::npos);
    CHECK(seen.insert(symbol).second);
  }
}

TEST("art elf: finds what a loaded library exports, and nothing else") {
  LoadedLibrary library;
  CHECK(!library.find("libnosuch.so"));
  CHECK(library.find("libstdc++.so"));
  // A symbol with a known address in this process.
  CHECK(library.symbol("_ZSt9terminatev") == reinterpret_cast<void*>(&std::terminate));
  CHECK(library.symbol("_ZSt9terminatevv") == nullptr);
  CHECK(library.symbol("") == nullptr);
  CHECK_EQUAL(library.build_id().size, 20u);
}

TEST("art elf: a library is known by its name, whatever its folder and version") {
  CHECK(elf::is_named("/apex/com.android.art/lib64/libart.so", "libart.so"));
  CHECK(elf::is_named("/usr/lib/libart.so.0", "libart.so"));
  CHECK(!elf::is_named("/system/lib64/libartbase.so", "libart.so"));
  CHECK(!elf::is_named("/system/lib64/libart.something", "libart.so"));
  CHECK(!elf::is_named("/libart.so/other", "libart.so"));
}

// What a desktop leaves beside the agent's file, of a library that every test has.
struct HandedOver {
  LoadedLibrary library;
  std::string build_id, value;
  const char* path = "handed-over.symbols";

  HandedOver() {
    CHECK(library.find("libstdc++.so"));
    char digits[3];
    for (u32 i = 0; i < library.build_id().size; i++) {
      std::snprintf(digits, sizeof digits, "%02x", library.build_id().bytes[i]);
      build_id += digits;
    }
    Dl_info info;
    CHECK(dladdr(reinterpret_cast<void*>(&std::terminate), &info) != 0);
    value = hex(reinterpret_cast<uintptr_t>(&std::terminate) - reinterpret_cast<uintptr_t>(info.dli_fbase));
  }
  ~HandedOver() { std::remove(path); }

  static std::string hex(uintptr_t value) {
    char text[20];
    std::snprintf(text, sizeof text, "%zx", value);
    return text;
  }
  void* find(const std::string& text, const char* name, std::string problem = "") {
    std::FILE* file = std::fopen(path, "wb");
    CHECK(file && std::fwrite(text.data(), 1, text.size(), file) == text.size());
    std::fclose(file);
    HandedSymbols handed;
    handed.read(path, library);
    CHECK_EQUAL(std::string(handed.problem()), problem);
    return handed.symbol(name);
  }
};

TEST("art handed symbols: are taken where they are of this build and in its code") {
  HandedOver handed;
  const std::string first = "build-id " + handed.build_id + "\n";
  void* terminate = reinterpret_cast<void*>(&std::terminate);
  CHECK(handed.find(first + "1000 other\n" + handed.value + " here\n", "here") == terminate);
  CHECK(handed.find(first + handed.value + " here\n", "her") == nullptr);
  CHECK(handed.find(first + handed.value + " here\n", "") == nullptr);
  CHECK(handed.find("", "here", "what was handed over is of another build, ") == nullptr);
  const std::string other = "build-id 00112233\n";
  CHECK(handed.find(other + handed.value + " here\n", "here", "what was handed over is of another build, 00112233") ==
        nullptr);
  CHECK(handed.find(first + "why it is torn\n", "here", "it is torn") == nullptr);
  HandedSymbols none;
  none.read("no-such.symbols", handed.library);
  CHECK(none.symbol("here") == nullptr && !none.problem()[0]);
  // Values that are no code: its data, beyond it, and what is no number.
  Dl_info info;
  CHECK(dladdr(dlsym(RTLD_DEFAULT, "_ZSt4cout"), &info) != 0);
  const auto data = reinterpret_cast<uintptr_t>(info.dli_saddr) - reinterpret_cast<uintptr_t>(info.dli_fbase);
  for (const std::string& value : {HandedOver::hex(data), std::string("7fffffffffff"), std::string("ffffffffffffffff"),
                                   handed.value + "00000000000000000", std::string(""), std::string("-1")})
    CHECK(handed.find(first + value + " here\n", "here") == nullptr);
}

TEST("art module: its name and version are its manifest's, beside the folder of the library") {
  namespace fs = std::filesystem;
  const fs::path root = "module-test";
  fs::create_directories(root / "lib64");
  const std::string library = (root / "lib64/libart.so").string(), manifest = (root / "apex_manifest.pb").string();
  Module module;
  CHECK(!read_module(library.c_str(), module));
  const std::string name = "com.android.art";
  // The name, a list of libraries, and the version, 351010040.
  const std::string whole =
      "\x0a" + std::string(1, static_cast<char>(name.size())) + name + "\x42\x03lib" + "\x10\xf8\xf9\xaf\xa7\x01";
  for (size_t size = 0; size <= whole.size(); size++) {
    std::FILE* file = std::fopen(manifest.c_str(), "wb");
    CHECK(file && std::fwrite(whole.data(), 1, size, file) == size);
    std::fclose(file);
    CHECK_EQUAL(read_module(library.c_str(), module), size == whole.size());
  }
  CHECK_EQUAL(std::string(module.name), name);
  CHECK_EQUAL(module.version, 351010040u);
  for (const char* path : {"", "libart.so", "/libart.so", "lib64/libart.so"}) CHECK(!read_module(path, module));
  fs::remove_all(root);
}

TEST("art handed symbols: a damaged file gives fewer, and more than fits are left out") {
  HandedOver handed;
  const std::string whole = "build-id " + handed.build_id + "\n" + handed.value + " here\n";
  std::srand(1);
  for (int round = 0; round < 300; round++) {
    std::string damaged = whole.substr(0, static_cast<size_t>(std::rand()) % (whole.size() + 1));
    if (round % 2 && !damaged.empty())
      damaged[static_cast<size_t>(std::rand()) % damaged.size()] ^= 1 << std::rand() % 8;
    std::FILE* file = std::fopen(handed.path, "wb");
    CHECK(file && std::fwrite(damaged.data(), 1, damaged.size(), file) == damaged.size());
    std::fclose(file);
    HandedSymbols read;
    read.read(handed.path, handed.library);
    read.symbol("here");
  }
  CHECK(handed.find(whole + std::string(20'000, 'x') + "\n" + handed.value + " there\n", "there") == nullptr);
}

std::vector<u8> sample_dex() {
  std::FILE* file = std::fopen(BTRACE_SAMPLE_DEX, "rb");
  CHECK(file != nullptr);
  std::vector<u8> bytes(1 << 20);
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  std::fclose(file);
  return bytes;
}

struct Named {
  std::string type, name, signature, file;
  std::vector<LineEntry> lines;
};

// Everything that a dex file says of its methods.
std::vector<Named> methods_of(const std::vector<u8>& bytes) {
  DexFile dex;
  std::vector<Named> all;
  if (!dex.open(bytes.data())) return all;
  DexFile::Method method;
  for (u32 index = 0; dex.method(index, method); index++) {
    Named named;
    named.name = method.name;
    if (const char* type = dex.type(method.class_index)) named.type = type;
    char signature[512];
    if (dex.signature(method.proto_index, signature, sizeof signature)) named.signature = signature;
    const u32 class_def = dex.class_def(method.class_index);
    if (const char* file = dex.source_file(class_def)) named.file = file;
    LineEntry lines[256];
    named.lines.assign(lines, lines + dex.lines(class_def, index, lines, 256));
    all.push_back(named);
  }
  return all;
}

TEST("art dex: names, signatures, files and lines of the sample apps") {
  const std::vector<Named> all = methods_of(sample_dex());
  const Named* burn = nullptr;
  const Named* sleep = nullptr;
  for (const Named& named : all) {
    if (named.type == "Lsample/Cpu;" && named.name == "burn") burn = &named;
    if (named.type == "Lsample/NativeWaits;" && named.name == "sleepInNative") sleep = &named;
  }
  CHECK(burn && sleep);
  CHECK_EQUAL(burn->signature, std::string("(I)V"));
  CHECK_EQUAL(burn->file, std::string("Cpu.java"));
  CHECK(burn->lines.size() >= 3);
  CHECK_EQUAL(burn->lines[0].line, 12);
  for (size_t i = 1; i < burn->lines.size(); i++) CHECK(burn->lines[i].position >= burn->lines[i - 1].position);
  CHECK_EQUAL(sleep->lines.size(), size_t{0});
}

u32& word_at(std::vector<u8>& bytes, size_t at) {
  CHECK(at + 4 <= bytes.size());
  return *reinterpret_cast<u32*>(bytes.data() + at);
}

// As ART lays compact dex out: offsets into the data count from the data section's begin.
std::vector<u8> compacted(std::vector<u8> bytes) {
  bytes[0] = 'c', bytes[1] = 'd', bytes[2] = 'e', bytes[3] = 'x';
  const u32 data = word_at(bytes, 108);
  for (u32 i = 0; i < word_at(bytes, 56); i++) word_at(bytes, word_at(bytes, 60) + i * 4) -= data;
  for (u32 i = 0; i < word_at(bytes, 72); i++)
    if (u32& parameters = word_at(bytes, word_at(bytes, 76) + i * 12 + 8)) parameters -= data;
  return bytes;
}

TEST("art dex: compact dex has the same names, signatures and files, and no lines") {
  const std::vector<Named> plain = methods_of(sample_dex()), compact = methods_of(compacted(sample_dex()));
  CHECK_EQUAL(compact.size(), plain.size());
  for (size_t i = 0; i < plain.size(); i++) {
    CHECK_EQUAL(compact[i].type, plain[i].type);
    CHECK_EQUAL(compact[i].name, plain[i].name);
    CHECK_EQUAL(compact[i].signature, plain[i].signature);
    CHECK_EQUAL(compact[i].file, plain[i].file);
    CHECK_EQUAL(compact[i].lines.size(), size_t{0});
  }
}

// Under AddressSanitizer a read beyond the file ends the test.
TEST("art dex: a damaged file gives fewer names, never a fault") {
  const std::vector<u8> whole = sample_dex();
  std::srand(1);
  size_t names = 0;
  for (int round = 0; round < 300; round++) {
    std::vector<u8> damaged = whole;
    for (int i = 0; i < 20; i++) damaged[112 + std::rand() % (damaged.size() - 112)] = static_cast<u8>(std::rand());
    names += methods_of(damaged).size();
  }
  CHECK(names > 0);
}

}  // namespace
