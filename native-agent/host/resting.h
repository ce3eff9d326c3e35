#pragma once
// System calls in which a thread waits for the world, and holds no lock of the C library's meanwhile.
#include <sys/syscall.h>

#include "base/types.h"

namespace btrace::host {

// `operation`: its second argument.
inline bool rests_in(u64 number, u64 operation) {
  constexpr u64 kOperation = 0x7f, kWaitBitset = 9;
  switch (number) {
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_ppoll:
    case SYS_pselect6:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_accept:
    case SYS_accept4:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_restart_syscall:
#if defined(__x86_64__)
    case SYS_poll:
    case SYS_select:
    case SYS_epoll_wait:
    case SYS_pause:
#endif
      return true;
    // Conditions, semaphores, joins. Who waits for a mutex does it with another operation, and may hold others.
    case SYS_futex: return (operation & kOperation) == kWaitBitset;
  }
  return false;
}

// Calls that the kernel ends with EINTR when it only stops a thread, and that have done nothing by then: begun anew
// they wait on. Not close() and connect(), which have.
inline bool may_begin_anew(u64 number, u64 operation) {
  switch (number) {
    case SYS_read:
    case SYS_readv:
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_recvmmsg:
    case SYS_sendmmsg:
    case SYS_rt_sigtimedwait:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
    case SYS_io_uring_enter: return true;
  }
  return rests_in(number, operation);
}

}  // namespace btrace::host
