#include "threads.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "system.h"

Thread g_thread_places[kMostThreads];
std::atomic<int> g_used_places;

void begin_suspensions();

namespace {

thread_local Thread* t_self;

// A place that is being taken has this number until its thread runs.
constexpr int kTaken = -1;

Thread& take_place() {
  for (int at = 0; at < kMostThreads; at++) {
    int free = 0;
    if (!g_thread_places[at].tid.compare_exchange_strong(free, kTaken)) continue;
    for (int used = g_used_places; used <= at && !g_used_places.compare_exchange_weak(used, at + 1);) {
    }
    return g_thread_places[at];
  }
  die("too many threads");
}

void let_go(Thread& thread) {
  if (thread.owners.fetch_sub(1) == 1) thread.tid = 0;
}

void become(Thread& thread) {
  pthread_attr_t attributes;
  void* begin;
  size_t bytes;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  thread.stack_begin = reinterpret_cast<uintptr_t>(begin);
  thread.stack_end = thread.stack_begin + bytes;
  thread.handle = pthread_self();
  t_self = &thread;
  thread.tid = static_cast<int>(syscall(SYS_gettid));
}

void* thread_main(void* place) {
  Thread& thread = *static_cast<Thread*>(place);
  become(thread);
  thread.is_ready = 1;
  auto* result = reinterpret_cast<void*>(call_as_first_frame(reinterpret_cast<const void*>(thread.run), reinterpret_cast<uint64_t>(thread.argument), 0, 0, 0));
  return result;
}

// After the program's own keys are destroyed: glibc calls destructors in the order of the keys.
pthread_key_t g_end;
void thread_ends(void* place) {
  Thread& thread = *static_cast<Thread*>(place);
  // Whoever has begun to suspend it gets what it wants first.
  sigset_t suspension;
  sigemptyset(&suspension);
  sigaddset(&suspension, suspension_signal());
  thread.tid = kTaken;
  while (thread.suspensions > 0) usleep(10);
  pthread_sigmask(SIG_BLOCK, &suspension, nullptr);
  let_go(thread);
}

int create(Thread** made, const void*, void* (*run)(void*), void* argument) {
  Thread& thread = take_place();
  thread.name[0] = 0;
  thread.run = run;
  thread.argument = argument;
  thread.suspensions = thread.is_parked = thread.is_ready = 0;
  thread.owners = 2;
  pthread_t handle;
  const int error = pthread_create(&handle, nullptr, [](void* place) -> void* {
    pthread_setspecific(g_end, place);
    return thread_main(place);
  }, &thread);
  if (error) {
    thread.tid = 0;
    return error;
  }
  while (!thread.is_ready) sched_yield();
  *made = &thread;
  return 0;
}

int join(Thread* thread, void** result) {
  const int error = pthread_join(thread->handle, result);
  let_go(*thread);
  return error;
}

int detach(Thread* thread) {
  const int error = pthread_detach(thread->handle);
  let_go(*thread);
  return error;
}

Thread* self() {
  return t_self;
}
uint32_t port_of(Thread* thread) {
  return thread && thread->tid > 0 ? static_cast<uint32_t>(thread->tid.load()) : 0;
}
Thread* of_port(uint32_t port) {
  return find_thread(static_cast<int>(port));
}
int get_name(Thread* thread, char* name, size_t room) {
  if (!thread || !room) return 3;  // ESRCH
  strncpy(name, thread->name, room - 1);
  name[room - 1] = 0;
  return 0;
}
int set_name(const char* name) {
  strncpy(t_self->name, name, sizeof t_self->name - 1);
  return 0;
}
int thread_id(Thread* thread, uint64_t* id) {
  *id = port_of(thread ? thread : t_self);
  return 0;
}
int is_main() {
  return t_self == g_thread_places;
}
void* stack_address(Thread* thread) {
  return reinterpret_cast<void*>(thread->stack_end);
}
size_t stack_bytes(Thread* thread) {
  return thread->stack_end - thread->stack_begin;
}

int create_key(unsigned long* key, void (*destroy)(void*)) {
  pthread_key_t made;
  const int error = pthread_key_create(&made, destroy);
  *key = made;
  return error;
}
void* get_specific(unsigned long key) {
  return pthread_getspecific(static_cast<pthread_key_t>(key));
}
int set_specific(unsigned long key, const void* value) {
  return pthread_setspecific(static_cast<pthread_key_t>(key), value);
}

// All signals or none, but for the one that suspends.
int mask_signals(int, const uint32_t* mask, uint32_t* before) {
  sigset_t wanted, had;
  sigemptyset(&wanted);
  if (mask && *mask) sigfillset(&wanted);
  sigdelset(&wanted, suspension_signal());
  pthread_sigmask(SIG_SETMASK, mask ? &wanted : nullptr, &had);
  if (before) *before = sigismember(&had, SIGUSR1) ? ~uint32_t{0} : 0;
  return 0;
}

const Export kExports[] = {
    {"pthread_create", function(create)},
    {"pthread_join", function(join)},
    {"pthread_detach", function(detach)},
    {"pthread_self", function(self)},
    {"pthread_mach_thread_np", function(port_of)},
    {"pthread_from_mach_thread_np", function(of_port)},
    {"pthread_getname_np", function(get_name)},
    {"pthread_setname_np", function(set_name)},
    {"pthread_threadid_np", function(thread_id)},
    {"pthread_main_np", function(is_main)},
    {"pthread_get_stackaddr_np", function(stack_address)},
    {"pthread_get_stacksize_np", function(stack_bytes)},
    {"pthread_key_create", function(create_key)},
    {"pthread_getspecific", function(get_specific)},
    {"pthread_setspecific", function(set_specific)},
    {"pthread_sigmask", function(mask_signals)},
    {"sched_yield", function(sched_yield)},
};

}  // namespace

Thread* find_thread(int tid) {
  for (int at = 0, used = g_used_places; at < used; at++)
    if (g_thread_places[at].tid == tid) return &g_thread_places[at];
  return nullptr;
}

Thread* current_thread() {
  return t_self;
}

void begin_threads() {
  pthread_key_create(&g_end, thread_ends);
  begin_suspensions();
  Thread& thread = take_place();
  thread.owners = 2;
  become(thread);
}

Exports thread_exports() {
  return {kExports, sizeof kExports / sizeof *kExports};
}
