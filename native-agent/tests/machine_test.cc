// What the kernel tells of the machine, beside what the C library makes of it.
#include "os/machine.h"

#include <sched.h>
#include <unistd.h>

#include "harness.h"

using namespace btrace;

TEST("machine: a page is as large as the kernel has them") {
  CHECK_EQUAL(page_bytes(), static_cast<u32>(sysconf(_SC_PAGESIZE)));
}

TEST("machine: the processors are those that this process may run on") {
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof all, &all);
  CHECK_EQUAL(processor_count(), static_cast<u32>(CPU_COUNT(&all)));
  int first = 0;
  while (!CPU_ISSET(first, &all)) first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  sched_setaffinity(0, sizeof one, &one);
  CHECK_EQUAL(processor_count(), 1u);
  sched_setaffinity(0, sizeof all, &all);
}
