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

namespace btrace::libc {
// By their link names: the headers' own declarations, with the library's types, may stand beside these in tests.
int thread_create(unsigned long* thread, const void* attributes, void* (*run)(void*),
                  void* argument) asm("pthread_create");
int thread_detach(unsigned long thread) asm("pthread_detach");
int key_create(unsigned int* key, void (*destructor)(void*)) asm("pthread_key_create");
void* key_get(unsigned int key) asm("pthread_getspecific");
int key_set(unsigned int key, const void* value) asm("pthread_setspecific");
// `visit` gets what elf::LoadedObject describes.
template <class Object>
using VisitObject = int (*)(const Object*, size_t, void*);
int iterate_objects(int (*visit)(const void*, size_t, void*), void* data) asm("dl_iterate_phdr");
template <class Object>
int each_object(VisitObject<Object> visit, void* data) {
  return iterate_objects(reinterpret_cast<int (*)(const void*, size_t, void*)>(visit), data);
}
// In whatever is loaded: RTLD_DEFAULT, which is another on 32-bit bionic than everywhere else.
void* symbol_of(void* handle, const char* name) asm("dlsym");
inline void* symbol(const char* name) {
#if defined(__ANDROID__) && !defined(__LP64__)
  return symbol_of(reinterpret_cast<void*>(-1), name);
#else
  return symbol_of(nullptr, name);
#endif
}
}  // namespace btrace::libc
