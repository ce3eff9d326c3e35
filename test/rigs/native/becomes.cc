// Works, tries in vain to become another program, works on, and becomes the shell, which waits for its input.
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;

static void burn(long long ns) {
  timespec begin, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    for (unsigned i = 0; i < 100000; i++) sink = sink * 1664525u + i;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000000LL + now.tv_nsec - begin.tv_nsec < ns);
}

extern "C" [[gnu::noinline]] void work_before() {
  burn(60000000);
  sink = sink + 1;
}

extern "C" [[gnu::noinline]] void work_after() {
  burn(60000000);
  sink = sink + 1;
}

int main(int, char** words) {
  char line[] = "read line; echo \"$0 $1 $SAID\"; exit 5";
  char *arguments[] = {words[1], const_cast<char*>("-c"), line, words[1], const_cast<char*>("two"), nullptr};
  char said[] = "SAID=here";
  char* environment[] = {said, nullptr};
  work_before();
  // No program: a folder, one that is not there, and a file of no format that is known.
  execl("/", "/", nullptr);
  execlp("no-such-program", "no-such-program", "x", nullptr);
  execve(words[2], arguments, environment);
  work_after();
  const char* way = words[1];
  if (!strcmp(way, "execve")) execve("/bin/sh", arguments, environment);
  if (!strcmp(way, "execle"))
    execle("/bin/sh", way, "-c", line, way, "two", nullptr, environment);
  environ = environment;
  if (!strcmp(way, "execv")) execv("/bin/sh", arguments);
  if (!strcmp(way, "execvp")) execvp("sh", arguments);
  if (!strcmp(way, "execl")) execl("/bin/sh", way, "-c", line, way, "two", nullptr);
  if (!strcmp(way, "execlp")) execlp("sh", way, "-c", line, way, "two", nullptr);
  perror(way);
  return 1;
}
