// A program that confines its system calls to those that it needs: any other one ends it.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static bool confine() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      ALLOW(SYS_write),      ALLOW(SYS_exit_group), ALLOW(SYS_brk),   ALLOW(SYS_mmap),
      ALLOW(SYS_munmap),     ALLOW(SYS_newfstatat), ALLOW(SYS_ioctl), ALLOW(SYS_clock_gettime),
      ALLOW(SYS_rt_sigreturn),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  sock_fprog program{sizeof filter / sizeof filter[0], filter};
  return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static volatile char sink;

extern "C" [[gnu::noinline]] void allocate_for(long long ns) {
  timespec begin, now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  do {
    for (int i = 0; i < 1000; i++) {
      char* memory = static_cast<char*>(malloc(4000));
      memory[0] = 1;
      sink = sink + memory[0];
      free(memory);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000000LL + now.tv_nsec - begin.tv_nsec < ns);
}

int main() {
  allocate_for(150000000);
  if (!confine()) return 1;
  allocate_for(150000000);
  puts("done");
  return 6;
}
