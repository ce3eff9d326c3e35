// Calls functions of the C library as often as it says, on two threads: what a survey has to count. Prints what is left
// of the agent in its environment.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <thread>

extern char** environ;

int main() {
  std::thread asker([] {
    pthread_setname_np(pthread_self(), "asker");
    for (int i = 0; i < 5000; i++) (void)getppid();
    // Long enough to be met by its CPU timer, which tells its name.
    timespec time{};
    do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    while (time.tv_nsec < 100'000'000);
  });
  for (int i = 0; i < 3000; i++) free(malloc(100));
  asker.join();
  int left = 0;
  for (char** entry = environ; *entry; entry++)
    left += !strncmp(*entry, "LD_BIND_NOW=", 12) || strstr(*entry, "libbtrace") != nullptr;
  printf("%d left\n", left);
  return 5;
}
