#include "host/agent_loader.h"

#include "base/clock.h"

namespace btrace::host {

namespace {

i64 g_held_ns;

bool refuse(Refusal& why, const std::string& what) {
  why = {"It cannot be recorded from inside: " + what + ".",
         "Record it from outside: --from outside, in VS Code btrace.recording.nativeFrom."};
  return false;
}

}  // namespace

i64 last_held_ns() {
  return g_held_ns;
}

}  // namespace btrace::host

#if defined(__x86_64__)

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/loader_code.h"
#include "host/quiet_thread.h"
#include "os/machine.h"

namespace btrace::host {

namespace {

constexpr i64 kFindNs = 3 * kNsPerSecond, kRestNs = 100 * kNsPerMs, kLoadNs = 20 * kNsPerSecond;
constexpr i64 kEndNs = 2 * kNsPerSecond;
constexpr useconds_t kLookAgainUs = 2000;
constexpr char kAttach[] = "btrace_attach";
// What the C library gives the kernel to return from signal handlers with: mov $15, %rax; syscall.
constexpr u8 kReturnCode[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
constexpr size_t kProofBytes = 64;

std::string line_of(const std::string& status, const char* key) {
  const std::string wanted = std::string("\n") + key + ":";
  const size_t at = ("\n" + status).find(wanted);
  if (at == std::string::npos) return {};
  const size_t from = at + wanted.size() - 1;
  return status.substr(from, status.find('\n', from) - from);
}

std::string link_of(const std::string& path) {
  char text[256];
  const ssize_t size = readlink(path.c_str(), text, sizeof text);
  return size > 0 ? std::string(text, static_cast<size_t>(size)) : std::string();
}

class Loader {
 public:
  Loader(const AgentLoad& load, Refusal& why)
      : load_(load), why_(why), process_(load.pid, ""), memory_(load.pid), images_(process_),
        quiet_(process_, memory_, images_) {}

  bool run() { return may_be_loaded() && find_functions() && borrow_some_thread() && wait_until_loaded(); }

 private:
  bool refuse(const std::string& what) { return host::refuse(why_, what); }
  bool may_be_loaded();
  bool may_be_traced();
  bool is_confined(u32 tid) const;
  bool find_functions();
  bool prove(const TargetImage& image, const char* name, u64& address);
  bool is_as_in_file(const TargetImage& image, const ElfFunctions& functions, u64 value, size_t size);
  bool borrow_some_thread();
  enum class Try : u8 { Started, NotNow, Failed };
  Try borrow(u32 tid);
  bool start_loader(BorrowedThread& thread);
  bool wait_until_loaded();

  const AgentLoad& load_;
  Refusal& why_;
  TargetProcess process_;
  TargetMemory memory_;
  TargetImages images_;
  QuietThreads quiet_;
  LoaderData data_{};
  u64 map_ = 0, protect_ = 0, create_ = 0, return_code_ = 0;
  u64 pages_ = 0;
};

bool Loader::may_be_traced() {
  const std::string status = process_.text("status");
  if (status.empty()) return refuse("there is no such process any more");
  if (const u32 tracer = static_cast<u32>(strtoul(line_of(status, "TracerPid").c_str(), nullptr, 10)))
    return refuse("process " + std::to_string(tracer) + " traces it, as debuggers do");
  const std::string state = line_of(status, "State");
  if (state.find('T') != std::string::npos || state.find("(stopped)") != std::string::npos)
    return refuse("it is stopped");
  u32 uids[4];
  if (sscanf(line_of(status, "Uid").c_str(), "%u %u %u %u", &uids[0], &uids[1], &uids[2], &uids[3]) != 4)
    return refuse("its user is not known");
  for (const u32 uid : uids)
    if (uid != geteuid()) return refuse("it has the rights of another user");
  if (line_of(status, "x86_Thread_features").find("shstk") != std::string::npos)
    return refuse("it has shadow stacks");
  const std::string here = link_of("/proc/self/ns/mnt");
  if (here.empty() || link_of("/proc/" + std::to_string(load_.pid) + "/ns/mnt") != here ||
      link_of("/proc/" + std::to_string(load_.pid) + "/root") != link_of("/proc/self/root"))
    return refuse("it runs in a container, or with another root folder");
  for (const u32 tid : process_.threads())
    if (is_confined(tid)) return refuse("it confines its system calls (seccomp)");
  if (memory_.is_open()) return true;
  char scope[8]{};
  read_small_file("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof scope);
  if (scope[0] <= '0' || scope[0] > '3') return refuse("the kernel does not let this user into it (ptrace)");
  return refuse(std::string("kernel.yama.ptrace_scope is ") + scope[0] + ", which lets only " +
                (scope[0] == '1'   ? "a program's parents"
                 : scope[0] == '2' ? "root"
                                   : "nobody") +
                " into it");
}

bool Loader::is_confined(u32 tid) const {
  const std::string status = process_.text("task/" + std::to_string(tid) + "/status");
  return strtoul(line_of(status, "Seccomp").c_str(), nullptr, 10) != 0;
}

bool Loader::may_be_loaded() {
  if (!may_be_traced()) return false;
  if (load_.library.size() >= sizeof data_.library || load_.options.size() >= sizeof data_.options)
    return refuse("the agent's path is too long");
  const ElfFunctions program("/proc/" + std::to_string(load_.pid) + "/exe");
  if (!program.is_open()) return refuse("its program's file cannot be read");
  if (program.machine() != EM_X86_64) return refuse("it is no program for x86-64");
  if (program.has_section(".go.buildid") || program.has_section(".note.go.buildid"))
    return refuse("it is a Go program");
  if (!program.has_interpreter()) return refuse("it is linked statically");
  for (const char* name : {"__asan_init", "__tsan_init", "__msan_init", "__hwasan_init"})
    if (program.exported(name)) return refuse("a sanitizer is in it");
  for (const Mapping& mapping : process_.mappings()) {
    for (const char* name : {"libasan.so", "libtsan.so", "libmsan.so", "libhwasan.so"})
      if (mapping.path.find(name) != std::string::npos) return refuse("a sanitizer is in it");
    images_.add(mapping);
  }
  return true;
}

bool Loader::is_as_in_file(const TargetImage& image, const ElfFunctions& functions, u64 value, size_t size) {
  u8 there[kProofBytes];
  const u8* in_file = functions.code_at(value, size);
  return in_file && memory_.read(image.load_address + value, there, size) && !memcmp(in_file, there, size);
}

// By the file's table, and by the code that is in memory there.
bool Loader::prove(const TargetImage& image, const char* name, u64& address) {
  const ElfFunctions* functions = quiet_.functions_of(image);
  u64 size = 0;
  const u64 value = functions ? functions->exported(name, &size) : 0;
  if (!value) return refuse(std::string("its C library has no ") + name);
  if (!is_as_in_file(image, *functions, value, size && size < kProofBytes ? size : kProofBytes))
    return refuse(std::string(name) + " in its memory is not that of its C library's file");
  address = image.load_address + value;
  return true;
}

bool Loader::find_functions() {
  const TargetImage *library = nullptr, *agent = nullptr;
  struct stat ours{};
  if (stat(load_.library.c_str(), &ours)) return refuse("the agent's library is not there");
  bool has_other_agent = false;
  for (const Mapping& mapping : process_.mappings()) {
    const TargetImage* image = images_.at(mapping.begin);
    if (!image) continue;
    const std::string name = mapping.path.substr(mapping.path.rfind('/') + 1);
    if (name == "libc.so.6") library = image;
    if (name.find("libbtrace-native.so") == std::string::npos) continue;
    struct stat theirs{};
    if (!stat(process_.reachable(mapping.path).c_str(), &theirs) && theirs.st_ino == ours.st_ino &&
        theirs.st_dev == ours.st_dev)
      agent = image;
    else
      has_other_agent = true;
  }
  if (!library) return refuse("its C library is not glibc, or was replaced since it began");
  if (has_other_agent) return refuse("another build of the agent is in it");
  if (agent && !prove(*agent, kAttach, data_.attach)) return false;
  if (!prove(*library, "mmap", map_) || !prove(*library, "mprotect", protect_) ||
      !prove(*library, "munmap", data_.give_back) || !prove(*library, "pthread_create", create_) ||
      !prove(*library, "pthread_detach", data_.detach) || !prove(*library, "dlopen", data_.open) ||
      !prove(*library, "dlsym", data_.find) || !prove(*library, "dlerror", data_.error))
    return false;
  const ElfFunctions& functions = *quiet_.functions_of(*library);
  const u64 value = functions.find_code(kReturnCode, sizeof kReturnCode);
  if (!value || !is_as_in_file(*library, functions, value, sizeof kReturnCode))
    return refuse("its C library's way back from signal handlers is not known");
  return_code_ = library->load_address + value;
  return true;
}

bool Loader::start_loader(BorrowedThread& thread) {
  i64 result = 0;
  constexpr u64 kBytes = 2 * kLoaderPage;
  const u64 memory[6] = {0, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, ~u64{0}, 0};
  if (!thread.call(map_, SYS_mmap, memory, result))
    return refuse("it did not come to run");
  if (result <= 0) return refuse("it gets no memory");
  pages_ = static_cast<u64>(result);
  data_.pages = pages_;
  data_.bytes = kBytes;
  memcpy(data_.symbol, kAttach, sizeof kAttach);
  memcpy(data_.options, load_.options.c_str(), load_.options.size() + 1);
  memcpy(data_.library, load_.library.c_str(), load_.library.size() + 1);
  const u64 data = pages_ + kLoaderPage;
  const auto fail = [&](const char* what) {
    i64 ignored;
    thread.call(data_.give_back, SYS_munmap, {pages_, kBytes, 0, 0, 0, 0}, ignored);
    return refuse(what);
  };
  if (!memory_.write(data, &data_, sizeof data_) ||
      !memory_.write(pages_, btrace_loader_code, static_cast<size_t>(btrace_loader_code_end - btrace_loader_code)))
    return fail("its memory could not be written");
  if (!thread.call(protect_, SYS_mprotect, {pages_, kLoaderPage, PROT_READ | PROT_EXEC, 0, 0, 0}, result) || result)
    return fail("it may not have code of ours (SELinux or the like)");
  const u64 beginning[6] = {data + offsetof(LoaderData, thread), 0, pages_, data, 0, 0};
  if (!thread.call(create_, SYS_clone3, beginning, result))
    return refuse("its threads' locks were held for too long");
  return thread.started() > 0 || fail("it may start no thread");
}

Loader::Try Loader::borrow(u32 tid) {
  BorrowedThread thread(tid, memory_);
  switch (thread.stop()) {
    case BorrowedThread::Stop::Stopped: break;
    case BorrowedThread::Stop::NotNow: return Try::NotNow;
    case BorrowedThread::Stop::Late: return refuse("a thread of it does not stop"), Try::Failed;
  }
  if (is_confined(tid) || !quiet_.is_quiet(thread) || !thread.prepare(return_code_)) return Try::NotNow;
  const bool is_started = start_loader(thread);
  thread.release();
  g_held_ns = thread.held_ns();
  return is_started ? Try::Started : Try::Failed;
}

bool Loader::borrow_some_thread() {
  quiet_.read_images();
  const i64 begin = now_ns();
  for (u32 round = 0; now_ns() - begin < kFindNs; round++) {
    const std::vector<u32> threads = process_.threads();
    if (threads.empty()) return refuse("it has ended");
    // One that runs is stopped only where none rests.
    const bool also_running = now_ns() - begin > kRestNs;
    for (size_t i = 0; i < threads.size() && now_ns() - begin < kFindNs; i++) {
      const u32 tid = threads[(i + round) % threads.size()];
      // The agent's threads get the priority of the one that starts them.
      const int policy = sched_getscheduler(static_cast<pid_t>(tid));
      if (policy != SCHED_OTHER && policy != SCHED_BATCH) continue;
      const QuietThreads::Does does = quiet_.seems_to(tid);
      if (does == QuietThreads::Does::Other || (does == QuietThreads::Does::Run && !also_running)) continue;
      const Try how = borrow(tid);
      if (how != Try::NotNow) return how == Try::Started;
    }
    usleep(kLookAgainUs);
  }
  return refuse("no thread of it was found where that does no harm");
}

bool Loader::wait_until_loaded() {
  const u64 data = pages_ + kLoaderPage;
  LoaderData now{};
  const u32 yes = 1;
  for (const i64 until = now_ns() + kLoadNs; !now.is_done; usleep(kLookAgainUs / 4)) {
    if (!memory_.read(data, &now, sizeof now)) return refuse("it ended meanwhile");
    if (now_ns() < until || now.is_done) continue;
    memory_.write(data + offsetof(LoaderData, may_end), &yes, sizeof yes);
    return refuse("its dynamic linker does not come to load the agent");
  }
  memory_.write(data + offsetof(LoaderData, may_end), &yes, sizeof yes);
  const std::string thread = "task/" + std::to_string(now.tid) + "/status";
  for (const i64 until = now_ns() + kEndNs; !process_.text(thread).empty() && now_ns() < until;)
    usleep(kLookAgainUs / 4);
  now.why[sizeof now.why - 1] = 0;
  if (!now.attach)
    return refuse(now.why[0] ? std::string("its dynamic linker said: ") + now.why : "the agent was not loaded");
  if (now.result == 202) return refuse("another recording of it is being made");
  if (now.result) return refuse("the agent did not begin (" + std::to_string(now.result) + ")");
  return true;
}

}  // namespace

bool load_agent(const AgentLoad& load, Refusal& why) {
  return Loader(load, why).run();
}

}  // namespace btrace::host

#else

namespace btrace::host {

bool load_agent(const AgentLoad&, Refusal& why) {
  return refuse(why, "that is for x86-64");
}

}  // namespace btrace::host

#endif
