#pragma once
// The only functions the agent takes from the C library: their ABI is the same in glibc, musl and bionic.
// Everything else is a raw system call (base/syscall.h). Struct types of libc (sigaction, pthread_mutex_t …) differ
// between libraries and are never used.
#include <stddef.h>

extern "C" {
void* memcpy(void* to, const void* from, size_t bytes);
void* memmove(void* to, const void* from, size_t bytes);
void* memset(void* to, int value, size_t bytes);
int memcmp(const void* a, const void* b, size_t bytes);
size_t strlen(const char* s);
int strcmp(const char* a, const char* b);
int strncmp(const char* a, const char* b, size_t bytes);
}

// The name that a function of C has for the linker.
#if defined(__APPLE__)
#define BTRACE_LINKED_AS(name) asm("_" name)
#else
#define BTRACE_LINKED_AS(name) asm(name)
#endif

namespace btrace::libc {
#if defined(__APPLE__)
using ThreadKey = unsigned long;
#else
using ThreadKey = unsigned int;
#endif
// By their link names: the headers' own declarations, with the library's types, may stand beside these in tests.
int thread_create(unsigned long* thread, const void* attributes, void* (*run)(void*),
                  void* argument) BTRACE_LINKED_AS("pthread_create");
int thread_detach(unsigned long thread) BTRACE_LINKED_AS("pthread_detach");
int key_create(ThreadKey* key, void (*destructor)(void*)) BTRACE_LINKED_AS("pthread_key_create");
void* key_get(ThreadKey key) BTRACE_LINKED_AS("pthread_getspecific");
int key_set(ThreadKey key, const void* value) BTRACE_LINKED_AS("pthread_setspecific");
#if !defined(__APPLE__)
// `visit` gets what elf::LoadedObject describes.
template <class Object>
using VisitObject = int (*)(const Object*, size_t, void*);
int iterate_objects(int (*visit)(const void*, size_t, void*), void* data) BTRACE_LINKED_AS("dl_iterate_phdr");
template <class Object>
int each_object(VisitObject<Object> visit, void* data) {
  return iterate_objects(reinterpret_cast<int (*)(const void*, size_t, void*)>(visit), data);
}
#endif
// In whatever is loaded: RTLD_DEFAULT, whose value differs.
void* symbol_of(void* handle, const char* name) BTRACE_LINKED_AS("dlsym");
inline void* symbol(const char* name) {
#if defined(__ANDROID__) && !defined(__LP64__)
  return symbol_of(reinterpret_cast<void*>(-1), name);
#elif defined(__APPLE__)
  return symbol_of(reinterpret_cast<void*>(-2), name);
#else
  return symbol_of(nullptr, name);
#endif
}
// In what the linker looks through after the library that this is called in: RTLD_NEXT, where it is known.
inline void* next_symbol(const char* name) {
#if defined(__ANDROID__) || defined(__APPLE__)
  (void)name;
  return nullptr;
#else
  return symbol_of(reinterpret_cast<void*>(-1), name);
#endif
}
}  // namespace btrace::libc
