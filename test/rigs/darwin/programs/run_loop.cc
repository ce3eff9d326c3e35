// A program with a run loop: another thread gives it messages, and each is told as JSON with its begin and end by the
// program's own clock.
#include "libsystem.h"

static void name_thread(const char* name) {
  pthread_setname_np(name);
}

#include "known_times.h"

extern "C" {
struct SourceContext {
  long version;
  void* info;
  void* unused[7];
  void (*perform)(void*);
};
void* CFRunLoopGetMain();
void* CFRunLoopSourceCreate(const void*, long, SourceContext*);
void CFRunLoopAddSource(void*, void*, const void*);
void CFRunLoopSourceSignal(void*);
void CFRunLoopWakeUp(void*);
void CFRunLoopStop(void*);
void CFRunLoopRun();
extern const void* const kCFRunLoopDefaultMode;
int rig_run_loop_observers();
uint64_t mach_absolute_time();
uint64_t mach_continuous_time();
int clock_gettime(int, timespec*);
int gettimeofday(void*, void*);
}

constexpr int kMessages = 8;
static struct {
  long long begin, end;
} messages[kMessages];
static int handled;
static void* source;

// Each has the same stack as the one before. Its name is as Swift's compiler makes it.
FUNCTION void handle_message(void*) asm("_$s4shop4CartC6handleyyF");
FUNCTION void handle_message(void*) {
  const int number = __atomic_load_n(&handled, __ATOMIC_ACQUIRE);
  messages[number].begin = now_ns();
  const int64_t begin = cpu_ns();
  while (cpu_ns() - begin < 12 * kMs) work();
  messages[number].end = now_ns();
  __atomic_store_n(&handled, number + 1, __ATOMIC_RELEASE);
}

static void* sender(void*) {
  name_thread("sender");
  for (int number = 0; number < kMessages; number++) {
    while (__atomic_load_n(&handled, __ATOMIC_ACQUIRE) < number) pause_ms(1);
    pause_ms(30);
    CFRunLoopSourceSignal(source);
    CFRunLoopWakeUp(CFRunLoopGetMain());
  }
  while (__atomic_load_n(&handled, __ATOMIC_ACQUIRE) < kMessages) pause_ms(1);
  pause_ms(30);
  CFRunLoopStop(CFRunLoopGetMain());
  return nullptr;
}

// Each by a function of its own, which does hardly anything else, as long as it has used that much CPU time.
static const int64_t kReadNs = 40 * kMs;
static long long reads[5];
#define READS(number, name, read)                               \
  FUNCTION void name() {                                        \
    const int64_t until = cpu_ns() + kReadNs;                   \
    while (cpu_ns() < until)                                    \
      for (int turn = 0; turn < 100; turn++, reads[number]++) { \
        sink = sink + static_cast<uint64_t>(turn);              \
        read;                                                   \
      }                                                         \
  }
static timespec time_read[2];
READS(0, read_absolute, mach_absolute_time())
READS(1, read_continuous, mach_continuous_time())
READS(2, read_time, clock_gettime(0, time_read))
READS(3, read_time_of_day, gettimeofday(time_read, nullptr))
READS(4, read_ns, clock_gettime_nsec_np(kMonotonicClock))

// Until the agent observes the run loop, which it does when it has seen the program run.
static const int64_t kPatienceNs = 20000 * kMs;

int main() asm("_main");
int main() {
  while (!rig_run_loop_observers() && cpu_ns() < kPatienceNs) work();
  read_absolute();
  read_continuous();
  read_time();
  read_time_of_day();
  read_ns();
  SourceContext context{0, nullptr, {}, handle_message};
  source = CFRunLoopSourceCreate(nullptr, 0, &context);
  CFRunLoopAddSource(CFRunLoopGetMain(), source, kCFRunLoopDefaultMode);
  pthread_t thread;
  pthread_create(&thread, nullptr, sender, nullptr);
  CFRunLoopRun();
  pthread_join(thread, nullptr);
  printf("{\"reads\": [%lld, %lld, %lld, %lld, %lld],", reads[0], reads[1], reads[2], reads[3], reads[4]);
  printf(" \"messages\": [");
  for (int number = 0; number < kMessages; number++)
    printf("%s[%lld, %lld]", number ? ", " : "", messages[number].begin, messages[number].end);
  printf("]}\n");
  fflush(nullptr);
  return 0;
}
