// Two faults of Debian's build of ART 14 that keep it from starting, mended in memory before it starts. Neither is in anything that
// the agent reads, calls or is called by; other runtimes are left as they are.
#include "mend.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

using Code = unsigned char;

// The code of `size` bytes from `at` on becomes `code`.
bool Write(Code* at, const void* code, size_t size) {
  const uintptr_t page = sysconf(_SC_PAGESIZE);
  const uintptr_t from = reinterpret_cast<uintptr_t>(at) & -page;
  const size_t length = reinterpret_cast<uintptr_t>(at) + size - from;
  if (mprotect(reinterpret_cast<void*>(from), length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  memcpy(at, code, size);
  return mprotect(reinterpret_cast<void*>(from), length, PROT_READ | PROT_EXEC) == 0;
}

constexpr size_t kJumpBytes = 14;
void MakeJump(Code* jump, const Code* to) {
  static const Code kJumpToNextWord[] = {0xff, 0x25, 0, 0, 0, 0};
  memcpy(jump, kJumpToNextWord, sizeof kJumpToNextWord);
  memcpy(jump + sizeof kJumpToNextWord, &to, sizeof to);
}

// ART is written for a compiler that zeroes variables. A bit vector up to 256 words lies on the stack, where this build leaves what was
// there; a larger one is taken from fresh memory, which is zero. So all are taken from there: a branch is always taken.
bool MendVtables(Code* link_methods) {
  constexpr int kBytes = 0x7200;
  static const Code kCompare[] = {0x48, 0x3d, 0x00, 0x01, 0x00, 0x00};  // cmp $256, %rax
  constexpr Code kJumpIfAbove = 0x77, kJump = 0xeb;
  Code* found = nullptr;
  for (Code* at = link_methods; at < link_methods + kBytes; at++) {
    if (memcmp(at, kCompare, sizeof kCompare) != 0 || at[sizeof kCompare] != kJumpIfAbove) continue;
    if (found) return false;
    found = at + sizeof kCompare;
  }
  return found && Write(found, &kJump, 1);
}

// ArtMethod::Invoke(self, args, args_size, …) without arguments gets the size of an empty array, which is 1 here, and no array: then
// the size is 0.
bool MendInvoke(Code* invoke) {
  static const Code kBegin[kJumpBytes] = {0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89,
                                          0xe5, 0x41, 0x57, 0x41, 0x56, 0x41, 0x55};
  static const Code kNoArguments[] = {0x48, 0x85, 0xd2, 0x75, 0x02, 0x31, 0xc9};  // if (!args) args_size = 0
  if (memcmp(invoke, kBegin, sizeof kBegin) != 0) return false;
  Code code[sizeof kNoArguments + sizeof kBegin + kJumpBytes];
  memcpy(code, kNoArguments, sizeof kNoArguments);
  memcpy(code + sizeof kNoArguments, kBegin, sizeof kBegin);
  MakeJump(code + sizeof kNoArguments + sizeof kBegin, invoke + sizeof kBegin);
  void* room = mmap(nullptr, sizeof code, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED || !Write(static_cast<Code*>(room), code, sizeof code)) return false;
  Code jump[kJumpBytes];
  MakeJump(jump, static_cast<Code*>(room));
  return Write(invoke, jump, sizeof jump);
}

Code* Find(const char* symbol) { return static_cast<Code*>(dlsym(RTLD_DEFAULT, symbol)); }

}  // namespace

bool MendRuntime() {
  Code* link_methods = Find(
      "_ZN3art11ClassLinker17LinkMethodsHelperILNS_11PointerSizeE8EE11LinkMethodsEPNS_6ThreadENS_6HandleINS_6mirror5ClassEEENS6_INS7_"
      "11ObjectArrayIS8_EEEEPbPPNS_9ArtMethodE");
  if (!link_methods) return true;  // Android 11's has no such function, and none of these faults
  Code* invoke = Find("_ZN3art9ArtMethod6InvokeEPNS_6ThreadEPjjPNS_6JValueEPKc");
  if (MendVtables(link_methods) && invoke && MendInvoke(invoke)) return true;
  fprintf(stderr, "launcher: this build of ART 14 is another one than mend.cc knows\n");
  return false;
}
