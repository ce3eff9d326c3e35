// Waits in system calls: reads, accepts, connects and selectors of java.net and java.nio. The JDK's libraries import
// these functions from the C library, and the imports are redirected to functions that call the originals. No class of
// the JDK is touched for that: naming one would load it, with its library, into programs that use no sockets.
//
// The thread is in a native method then, and takes its own stack when the call has ended, as at Thread.sleep.
#include "rt/hotspot/socket_waits.h"

#include "base/clock.h"
#include "base/libc.h"
#include "os/imports.h"
#include "os/linux/elf_format.h"
#include "rt/hotspot/waits.h"

namespace btrace::hotspot {

namespace {

struct PollFd {
  int fd;
  short wanted, found;
};
using PollFunction = int (*)(PollFd*, unsigned long, int);
using EpollFunction = int (*)(int, void*, int, int);
using ReadFunction = long (*)(int, void*, size_t);
using ReadPartsFunction = long (*)(int, const void*, int);
using ReceiveFunction = long (*)(int, void*, size_t, int);
using ReceiveFromFunction = long (*)(int, void*, size_t, int, void*, unsigned*);
using ReceiveMessageFunction = long (*)(int, void*, int);
using AcceptFunction = int (*)(int, void*, unsigned*);
using ConnectFunction = int (*)(int, const void*, unsigned);
using ErrnoFunction = int* (*)();

struct Originals {
  PollFunction poll;
  EpollFunction epoll_wait;
  ReadFunction read;
  ReadPartsFunction readv;
  ReceiveFunction recv;
  ReceiveFromFunction recvfrom;
  ReceiveMessageFunction recvmsg;
  AcceptFunction accept;
  ConnectFunction connect;
};
Originals original;
ErrnoFunction errno_place;

// Around one call. Nearly all calls return at once: these cost two looks at the clock.
class SocketWait {
 public:
  explicit SocketWait(SampleKind kind) : kind_(kind) {
    if (!active_session_id()) return;
    record_ = g_threads.find_current_record();
    // One that the JVM does not know has no stack to take.
    if (!record_ || !record_->runtime_thread.load_relaxed()) return;
    wait_.session = active_session_id();
    if (!wait_.session) return;
    // To read the CPU clock costs more than all else here.
    wait_.begin_cpu_ns = kCpuNotRead;
    wait_.begin_ns = now_ns();
    publish_wait(*record_, kind, wait_);
  }
  ~SocketWait() {
    if (!wait_.session) return;
    withdraw_wait(*record_);
    const i64 lasted_ns = now_ns() - wait_.begin_ns;
    if (lasted_ns < Session::kShortestWaitNs) {
      leave_out_wait(*record_, lasted_ns);
      return;
    }
    // The caller reads it next.
    int& error = *errno_place();
    const int of_call = error;
    if (JNIEnv* env = g_hotspot.jvm.env()) {
      find_out_who_runs(env, *record_);
      end_wait(record_, kind_, wait_);
    }
    error = of_call;
  }
  SocketWait(const SocketWait&) = delete;
  SocketWait& operator=(const SocketWait&) = delete;

 private:
  SampleKind kind_;
  ThreadRecord* record_ = nullptr;
  Wait wait_{};
};

// Who listens waits for whoever comes next, as a selector does: that is rest. Of all else an answer is awaited.
SampleKind kind_of(int fd) {
  constexpr long kSocketLevel = 1, kAcceptsConnections = 30;
  int listens = 0;
  unsigned size = sizeof listens;
  const long result = sys::call(sys::kGetsockopt, fd, kSocketLevel, kAcceptsConnections,
                                reinterpret_cast<long>(&listens), reinterpret_cast<long>(&size));
  return !sys::failed(result) && listens ? SampleKind::Poll : SampleKind::Io;
}

int hook_poll(PollFd* fds, unsigned long count, int timeout_ms) {
  if (!timeout_ms || !active_session_id()) return original.poll(fds, count, timeout_ms);
  SocketWait wait(count == 1 && fds ? kind_of(fds->fd) : SampleKind::Poll);
  return original.poll(fds, count, timeout_ms);
}

int hook_epoll_wait(int fd, void* events, int count, int timeout_ms) {
  if (!timeout_ms) return original.epoll_wait(fd, events, count, timeout_ms);
  SocketWait wait(SampleKind::Poll);
  return original.epoll_wait(fd, events, count, timeout_ms);
}

long hook_read(int fd, void* to, size_t bytes) {
  SocketWait wait(SampleKind::Io);
  return original.read(fd, to, bytes);
}

long hook_readv(int fd, const void* parts, int count) {
  SocketWait wait(SampleKind::Io);
  return original.readv(fd, parts, count);
}

long hook_recv(int fd, void* to, size_t bytes, int flags) {
  SocketWait wait(SampleKind::Io);
  return original.recv(fd, to, bytes, flags);
}

long hook_recvfrom(int fd, void* to, size_t bytes, int flags, void* from, unsigned* from_bytes) {
  SocketWait wait(SampleKind::Io);
  return original.recvfrom(fd, to, bytes, flags, from, from_bytes);
}

long hook_recvmsg(int fd, void* message, int flags) {
  SocketWait wait(SampleKind::Io);
  return original.recvmsg(fd, message, flags);
}

int hook_accept(int fd, void* from, unsigned* from_bytes) {
  SocketWait wait(SampleKind::Poll);
  return original.accept(fd, from, from_bytes);
}

int hook_connect(int fd, const void* to, unsigned to_bytes) {
  SocketWait wait(SampleKind::Io);
  return original.connect(fd, to, to_bytes);
}

// ---------------------------------------------------------------- putting in and taking out

struct Function {
  const char* name;
  void* replacement;
  void** keep;
};
#define BTRACE_CALL(name) \
  {#name, reinterpret_cast<void*>(&hook_##name), reinterpret_cast<void**>(&original.name)}
const Function kFunctions[] = {BTRACE_CALL(poll), BTRACE_CALL(epoll_wait), BTRACE_CALL(read),
                               BTRACE_CALL(readv), BTRACE_CALL(recv), BTRACE_CALL(recvfrom),
                               BTRACE_CALL(recvmsg), BTRACE_CALL(accept), BTRACE_CALL(connect)};
const char* const kLibraries[] = {"libnio.so", "libnet.so"};
constexpr const char* kHook = "sockets";

Imports g_imports;
Atomic<u32> g_refused;
// Who wants imports redirected counts up from kNobody. The first one does it, also for those that come meanwhile.
enum : u32 { kClosed = 0, kNobody = 1 };
Atomic<u32> g_wishes;

void redirect_all() {
  for (const char* library : kLibraries)
    for (const Function& function : kFunctions) {
      const Import import{function.name, *function.keep, function.replacement};
      g_refused.add_relaxed(g_imports.bind(library, import).refused);
    }
}

// On any thread.
void redirect_what_is_loaded() {
  u32 wishes = g_wishes.load();
  do {
    if (wishes == kClosed) return;
  } while (!g_wishes.swap_if(wishes, wishes + 1));
  if (wishes++ != kNobody) return;
  do redirect_all();
  while (!g_wishes.swap_if(wishes, kNobody));
}

struct Holder {
  elf::Word address;
  bool found;
};

int visit_to_find(const elf::LoadedObject* object, size_t, void* data) {
  auto& search = *static_cast<Holder*>(data);
  if (!object->path) return 0;
  bool is_one = false;
  for (const char* library : kLibraries) is_one = is_one || elf::is_named(object->path, library);
  for (u16 i = 0; is_one && i < object->header_count; i++) {
    const elf::ProgramHeader& header = object->headers[i];
    const elf::Word begin = object->base + header.address;
    if (header.type == elf::kLoadedSegment && search.address >= begin && search.address - begin < header.size)
      search.found = true;
  }
  return search.found;
}

const char* find_originals() {
  errno_place = reinterpret_cast<ErrnoFunction>(libc::symbol("__errno_location"));
  if (!errno_place) return "the C library names no place of error numbers";
  for (const Function& function : kFunctions) {
    // A call may be under way there since an earlier recording.
    if (*function.keep) continue;
    *function.keep = imported_function(function.name);
    if (!*function.keep) return "the C library lacks one of its functions";
  }
  return nullptr;
}

}  // namespace

void JNICALL on_native_bound(jvmtiEnv*, JNIEnv*, jthread, jmethodID, void* address, void**) {
  Holder search{reinterpret_cast<elf::Word>(address), false};
  libc::each_object<elf::LoadedObject>(visit_to_find, &search);
  if (search.found) redirect_what_is_loaded();
}

void install_socket_waits(Session& session) {
  if (!session.config.wants(SampleKind::Io) && !session.config.wants(SampleKind::Poll))
    return session.report_hook(kHook, HookState::Off, "not asked for");
  const char* why = find_originals();
  if (!why && !g_imports.init()) why = "no memory";
  if (why) return session.report_hook(kHook, HookState::Missing, why);
  g_refused.store(0);
  g_wishes.store(kNobody);
  jvmtiCapabilities natives{};
  natives.can_generate_native_method_bind_events = 1;
  const bool hears = g_hotspot.jvm.ti->AddCapabilities(&natives) == JVMTI_ERROR_NONE;
  if (hears)
    g_hotspot.jvm.ti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, nullptr);
  redirect_what_is_loaded();
  const char* limit = hears ? nullptr : "only of libraries that were loaded before the recording";
  if (g_refused.load()) limit = "calls that somebody else has redirected are left alone";
  session.report_hook(kHook, HookState::Installed, limit);
}

void remove_socket_waits(Session& session) {
  if (session.hook_state(kHook) != HookState::Installed) return;
  g_hotspot.jvm.ti->SetEventNotificationMode(JVMTI_DISABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, nullptr);
  // Somebody may be at it still, for some ms.
  for (u32 found = kNobody; !g_wishes.swap_if(found, kClosed); found = kNobody) sys::sleep_ns(kNsPerMs);
  const u32 left = g_imports.undo();
  g_imports.release();
  if (left)
    session.report_hook(kHook, HookState::Failed, "some calls go on through the agent, which only passes them on");
  else
    session.report_hook(kHook, HookState::Removed);
}

}  // namespace btrace::hotspot
