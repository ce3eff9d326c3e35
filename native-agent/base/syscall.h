#pragma once
// Raw system calls: no errno, no cancellation points, no libc struct. A result in [-4095, -1] is a negated error
// number.
#include "base/types.h"

namespace btrace::sys {

struct Timespec {
  long seconds;
  long nanoseconds;
};

}  // namespace btrace::sys

#if defined(__APPLE__)
// There, only the system's own library may call the kernel.
#include "base/darwin/sleep.h"
#else
namespace btrace::sys {

#if defined(__x86_64__)
inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}
enum Number : long {
  kRead = 0,
  kWrite = 1,
  kClose = 3,
  kFstat = 5,
  kLseek = 8,
  kMmap = 9,
  kMprotect = 10,
  kMunmap = 11,
  kSigaction = 13,
  kSigprocmask = 14,
  kMremap = 25,
  kMadvise = 28,
  kNanosleep = 35,
  kGetpid = 39,
  kSocket = 41,
  kConnect = 42,
  kSendto = 44,
  kRecvfrom = 45,
  kShutdown = 48,
  kBind = 49,
  kListen = 50,
  kSocketpair = 53,
  kGetsockopt = 55,
  kUname = 63,
  kGetrusage = 98,
  kGetuid = 102,
  kGeteuid = 107,
  kGettid = 186,
  kFutex = 202,
  kSeccomp = 317,
  kSchedGetaffinity = 204,
  kGetdents64 = 217,
  kTimerCreate = 222,
  kTimerSettime = 223,
  kTimerDelete = 226,
  kClockGettime = 228,
  kClockGetres = 229,
  kTgkill = 234,
  kOpenat = 257,
  kFaccessat = 269,
  kUnlinkat = 263,
  kRenameat = 264,
  kReadlinkat = 267,
  kPpoll = 271,
  kAccept4 = 288,
  kProcessVmReadv = 310,
  kRtTgsigqueueinfo = 297,
  kPrctl = 157,
  kSetpriority = 141
};
#elif defined(__aarch64__)
inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}
enum Number : long {
  kUnlinkat = 35,
  kRenameat = 38,
  kReadlinkat = 78,
  kFstat = 80,
  kOpenat = 56,
  kFaccessat = 48,
  kClose = 57,
  kGetdents64 = 61,
  kLseek = 62,
  kRead = 63,
  kWrite = 64,
  kPpoll = 73,
  kFutex = 98,
  kSeccomp = 277,
  kNanosleep = 101,
  kTimerCreate = 107,
  kTimerSettime = 110,
  kTimerDelete = 111,
  kClockGettime = 113,
  kClockGetres = 114,
  kSchedGetaffinity = 123,
  kTgkill = 131,
  kSigaction = 134,
  kSigprocmask = 135,
  kSetpriority = 140,
  kUname = 160,
  kGetrusage = 165,
  kPrctl = 167,
  kGetpid = 172,
  kGetuid = 174,
  kGeteuid = 175,
  kGettid = 178,
  kSocket = 198,
  kSocketpair = 199,
  kBind = 200,
  kListen = 201,
  kConnect = 203,
  kSendto = 206,
  kRecvfrom = 207,
  kGetsockopt = 209,
  kShutdown = 210,
  kMunmap = 215,
  kMremap = 216,
  kMmap = 222,
  kMprotect = 226,
  kMadvise = 233,
  kRtTgsigqueueinfo = 240,
  kAccept4 = 242,
  kProcessVmReadv = 270
};
#elif defined(__arm__)
inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  register long r0 asm("r0") = a;
  register long r1 asm("r1") = b;
  register long r2 asm("r2") = c;
  register long r3 asm("r3") = d;
  register long r4 asm("r4") = e;
  register long r5 asm("r5") = f;
  // r7 carries the number, but Thumb may use it as frame pointer: it is saved by hand.
  asm volatile("push {r7}\n mov r7, %1\n svc 0\n pop {r7}"
               : "+r"(r0)
               : "r"(number), "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5)
               : "memory");
  return r0;
}
enum Number : long {
  kRead = 3,
  kWrite = 4,
  kClose = 6,
  kLseek = 19,
  kGetpid = 20,
  kGetrusage = 77,
  kMunmap = 91,
  kSetpriority = 97,
  kUname = 122,
  kMprotect = 125,
  kNanosleep = 162,
  kMremap = 163,
  kPrctl = 172,
  kSigaction = 174,
  kSigprocmask = 175,
  kMmap = 192 /* mmap2 */,
  kFstat = 197 /* fstat64 */,
  kGetuid = 199,
  kGeteuid = 201,
  kGetdents64 = 217,
  kMadvise = 220,
  kGettid = 224,
  kFutex = 240,
  kSchedGetaffinity = 242,
  kTimerCreate = 257,
  kTimerSettime = 258,
  kTimerDelete = 261,
  kClockGettime = 263,
  kClockGetres = 264,
  kTgkill = 268,
  kSocket = 281,
  kBind = 282,
  kConnect = 283,
  kListen = 284,
  kSocketpair = 288,
  kSendto = 290,
  kRecvfrom = 292,
  kShutdown = 293,
  kGetsockopt = 295,
  kOpenat = 322,
  kFaccessat = 334,
  kUnlinkat = 328,
  kRenameat = 329,
  kReadlinkat = 332,
  kPpoll = 336,
  kRtTgsigqueueinfo = 363,
  kAccept4 = 366,
  kProcessVmReadv = 376
};
#else
#error "no system call table for this architecture"
#endif

inline bool failed(long result) {
  return result < 0 && result >= -4095;
}

inline constexpr long kEintr = 4, kEagain = 11, kEfault = 14;

inline u32 gettid() {
  return static_cast<u32>(call(kGettid));
}
inline u32 getpid() {
  return static_cast<u32>(call(kGetpid));
}
inline u32 getuid() {
  return static_cast<u32>(call(kGetuid));
}
inline void close(int fd) {
  call(kClose, fd);
}
inline void sleep_ns(i64 ns) {
  Timespec t{static_cast<long>(ns / kNsPerSecond), static_cast<long>(ns % kNsPerSecond)};
  call(kNanosleep, reinterpret_cast<long>(&t));
}
// While `word` is `value`, until it is woken, for `ns` at most. Words of this process only.
inline void futex_wait(const void* word, u32 value, i64 ns) {
  constexpr long kWaitPrivate = 128;
  Timespec t{static_cast<long>(ns / kNsPerSecond), static_cast<long>(ns % kNsPerSecond)};
  call(kFutex, reinterpret_cast<long>(word), kWaitPrivate, value, reinterpret_cast<long>(&t));
}
inline void futex_wake(const void* word, long most) {
  constexpr long kWakePrivate = 129;
  call(kFutex, reinterpret_cast<long>(word), kWakePrivate, most);
}

}  // namespace btrace::sys
#endif
