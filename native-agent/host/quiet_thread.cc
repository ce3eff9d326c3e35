#include "host/quiet_thread.h"

#if defined(__x86_64__)

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <set>

#include "host/resting.h"

namespace btrace::host {

namespace {

constexpr u64 kMostStackBytes = 1 << 20;

// Who is in one of these, or was called by it, may hold a lock of the allocator, the dynamic linker or of threads'
// stacks.
const std::set<std::string_view> kHolders{
    "malloc",         "calloc",           "realloc",        "reallocarray",    "free",
    "cfree",          "memalign",         "aligned_alloc",  "posix_memalign",  "valloc",
    "pvalloc",        "malloc_trim",      "mallopt",        "mallinfo",        "mallinfo2",
    "malloc_stats",   "malloc_info",      "malloc_usable_size", "dlopen",      "dlclose",
    "dlsym",          "dlvsym",           "dlmopen",        "dladdr",          "dladdr1",
    "dlinfo",         "dl_iterate_phdr",  "_dl_find_object", "fork",           "vfork",
    "_Fork",          "daemon",           "forkpty",        "pthread_create",  "pthread_exit",
    "pthread_cancel", "pthread_attr_init", "pthread_getattr_np", "posix_spawn", "posix_spawnp",
    "system",         "popen",            "exit",           "_exit",           "quick_exit",
    "abort",          "__cxa_finalize",   "__libc_dlopen_mode", "__libc_freeres",
};

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_linker(const std::string& path) {
  const std::string name = file_name(path);
  return !name.compare(0, 3, "ld-") || !name.compare(0, 6, "ld.so.") || !name.compare(0, 8, "ld-linux");
}

bool is_c_library(const std::string& path) {
  const std::string name = file_name(path);
  return !name.compare(0, 5, "libc.") || !name.compare(0, 5, "libc-") || !name.compare(0, 10, "libpthread");
}

}  // namespace

QuietThreads::File::File(const std::string& path)
    : functions(path), holders(functions.ranges_of(kHolders)), brings_allocator(functions.exported("malloc") != 0) {}

bool QuietThreads::File::is_in_holder(u64 value) const {
  for (const ElfFunctions::Range& range : holders)
    if (value >= range.begin && value < range.end) return true;
  return false;
}

void QuietThreads::read_images() {
  images_.take_new([&](const TargetImage& image) {
    by_id_[i64{image.id}] = &image;
    file_of(image);
  });
}

QuietThreads::Does QuietThreads::seems_to(u32 tid) const {
  const std::string text = process_.text("task/" + std::to_string(tid) + "/syscall");
  if (text == "running\n") return Does::Run;
  u64 number, first, second;
  if (sscanf(text.c_str(), "%" SCNu64 " %" SCNx64 " %" SCNx64, &number, &first, &second) != 3)
    return Does::Other;
  return rests_in(number, second) ? Does::Rest : Does::Other;
}

const QuietThreads::File* QuietThreads::file_of(const TargetImage& image) {
  auto& file = files_[image.path];
  if (!file) file = std::make_unique<File>(process_.reachable(image.path));
  return file->functions.is_open() ? file.get() : nullptr;
}

const ElfFunctions* QuietThreads::functions_of(const TargetImage& image) {
  const File* file = file_of(image);
  return file ? &file->functions : nullptr;
}

// On a stack of the main thread or of the thread library, not on one that the program made for signals or coroutines.
bool QuietThreads::has_room(const user_regs_struct& registers, u64& stack_end) const {
  const std::string text = process_.text("maps");
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    if (end == std::string::npos) end = text.size();
    const std::string line = text.substr(at, end - at);
    u64 begin, last;
    char rights[8];
    if (sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %7s", &begin, &last, rights) != 3) continue;
    const u64 sp = registers.rsp;
    if (sp < begin || sp >= last) continue;
    stack_end = last;
    const bool is_mains = line.size() > 7 && !line.compare(line.size() - 7, 7, "[stack]");
    // The thread library has what is a thread's own above its stack.
    const bool is_threads = line.find('/') == std::string::npos && registers.fs_base > sp && registers.fs_base < last;
    return !strncmp(rights, "rw", 2) && (is_mains || is_threads) && sp - begin >= kBorrowedStackBytes;
  }
  return false;
}

bool QuietThreads::is_quiet(const BorrowedThread& thread) {
  const user_regs_struct& registers = thread.registers();
  u64 stack_end;
  if (!has_room(registers, stack_end) || thread.is_in_restartable_sequence()) return false;
  if (thread.is_in_call()) {
    u8 instruction[2];
    if (!rests_in(registers.orig_rax, registers.rsi) ||
        !memory_.read(registers.rip - sizeof instruction, instruction, sizeof instruction) ||
        instruction[0] != 0x0f || instruction[1] != 0x05)
      return false;
  }

  std::vector<u8> stack(min_of<u64>(stack_end - registers.rsp, kMostStackBytes));
  if (!memory_.read(registers.rsp, stack.data(), stack.size())) return false;
  KernelSample sample{};
  sample.registers = {registers.rbp, 0, registers.rsp, registers.rip};
  sample.has_registers = true;
  sample.stack = stack.data();
  sample.stack_bytes = stack.size();
  std::vector<Frame> frames(StackUnwinder::kMostFrames);
  const StackUnwinder::Stack walked = unwinder_.walk(sample, frames.data());
  if (!walked.is_whole || !walked.by_tables || !walked.count) return false;

  // A thread's first functions are the C library's; the main thread's very first one is the program's.
  u32 own_end = walked.count;
  std::vector<const TargetImage*> of(walked.count);
  for (u32 i = 0; i < walked.count; i++) {
    const auto found = by_id_.find(frames[i].position - kFirstImage);
    if (found == by_id_.end()) return false;
    of[i] = found->second;
  }
  if (own_end > 1 && !is_c_library(of[own_end - 1]->path) && is_c_library(of[own_end - 2]->path)) own_end--;
  while (own_end && is_c_library(of[own_end - 1]->path)) own_end--;
  for (u32 i = 0; i < walked.count; i++) {
    const std::string& path = of[i]->path;
    if (is_linker(path) || file_name(path).find("alloc") != std::string::npos) return false;
    const File* file = file_of(*of[i]);
    if (!file || file->is_in_holder(frames[i].code)) return false;
    // One that runs may have come from a function that is not among its callers any more (a tail call).
    if (!thread.is_in_call() && i < own_end && (is_c_library(path) || file->brings_allocator)) return false;
  }
  return thread.is_in_call() || own_end > 0;
}

}  // namespace btrace::host

#endif
