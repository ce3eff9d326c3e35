#pragma once
// The functions of libSystem that the agent calls, beside those of base/libc.h. Declared here, so that the agent is
// built without Apple's SDK; structures have the layout that <mach/…> and <sys/…> give them on 64-bit systems.
#include "base/syscall.h"
#include "base/types.h"

namespace btrace::darwin {

using Port = u32;
using Pthread = void*;

struct TimeValue {
  i32 seconds, microseconds;
};

struct ThreadBasicInfo {
  TimeValue user, system;
  i32 cpu_usage, policy, run_state, flags, suspend_count, sleep_time;
};
inline constexpr u32 kThreadBasicInfo = 3;
inline constexpr i32 kRunning = 1, kStopped = 2, kHalted = 5;
inline constexpr i32 kIdleThread = 2;  // of `flags`

struct [[gnu::packed, gnu::aligned(4)]] TaskBasicInfo {
  u64 virtual_bytes, resident_bytes, most_resident_bytes;
  TimeValue user, system;
  i32 policy, suspend_count;
};
inline constexpr u32 kTaskBasicInfo = 20;

#if defined(__aarch64__)
struct ThreadState {
  u64 x[29], fp, lr, sp, pc;
  u32 cpsr, flags;
};
inline constexpr i32 kThreadState = 6;
#else
struct ThreadState {
  u64 rax, rbx, rcx, rdx, rdi, rsi, rbp, rsp, r8, r9, r10, r11, r12, r13, r14, r15, rip, rflags, cs, fs, gs;
};
inline constexpr i32 kThreadState = 4;
#endif

inline constexpr i32 kReadable = 1, kWritable = 2, kCopied = 16;

// The calls that fail with -1 leave their reason here.
inline constexpr int kInterrupted = 4, kExists = 17, kNoEntry = 2, kTryAgain = 35, kNotSupported = 45, kTimedOut = 60,
                     kNameTooLong = 63;

extern "C" {
extern Port mach_task_self_;

// Mach
int task_threads(Port task, Port** threads, u32* count);
int task_info(Port task, u32 flavor, i32* info, u32* words);
int thread_info(Port thread, u32 flavor, i32* info, u32* words);
int thread_suspend(Port thread);
int thread_resume(Port thread);
int thread_get_state(Port thread, i32 flavor, u32* state, u32* words);
int mach_port_deallocate(Port task, Port name);
int vm_read_overwrite(Port task, uintptr_t from, uintptr_t bytes, uintptr_t to, uintptr_t* read);
int vm_protect(Port task, uintptr_t at, uintptr_t bytes, int set_maximum, int access);
int vm_deallocate(Port task, uintptr_t at, uintptr_t bytes);

// Threads
Pthread pthread_self();
Pthread pthread_from_mach_thread_np(Port thread);
Port pthread_mach_thread_np(Pthread thread);
int pthread_getname_np(Pthread thread, char* name, size_t room);
int pthread_setname_np(const char* name);
int pthread_main_np();
void* pthread_get_stackaddr_np(Pthread thread);
size_t pthread_get_stacksize_np(Pthread thread);
int pthread_sigmask(int how, const u32* mask, u32* before);

// Images
u32 _dyld_image_count();
const char* _dyld_get_image_name(u32 number);
const void* _dyld_get_image_header(u32 number);
intptr_t _dyld_get_image_vmaddr_slide(u32 number);
void _dyld_register_func_for_add_image(void (*added)(const void* header, intptr_t slide));

// The process
int* __error();
i32 getpid();
u32 getuid();
u32 geteuid();
int getpagesize();
const char* getprogname();
long sysconf(int name);

// Files and sockets
int open(const char* path, int how, ...);
int close(int fd);
long read(int fd, void* to, size_t bytes);
long write(int fd, const void* from, size_t bytes);
i64 lseek(int fd, i64 offset, int from);
int unlink(const char* path);
int rename(const char* from, const char* to);
int socket(int family, int type, int protocol);
int socketpair(int family, int type, int protocol, int* ends);
int bind(int fd, const void* address, u32 bytes);
int listen(int fd, int waiting);
int accept(int fd, void* address, u32* bytes);
int connect(int fd, const void* address, u32 bytes);
int setsockopt(int fd, int level, int name, const void* value, u32 bytes);
int getpeereid(int fd, u32* uid, u32* gid);
long send(int fd, const void* data, size_t bytes, int flags);
long recv(int fd, void* data, size_t bytes, int flags);
int poll(void* fds, u32 count, int ms);
}

// A call's result, with the negated error number where it failed.
inline int result_or_error(int result) {
  return result < 0 ? -*__error() : result;
}

}  // namespace btrace::darwin
