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
const char* strstr(const char* text, const char* part);

int pthread_create(unsigned long* thread, const void* attributes, void* (*run)(void*), void* argument);
int pthread_detach(unsigned long thread);
int pthread_key_create(unsigned int* key, void (*destructor)(void*));
void* pthread_getspecific(unsigned int key);
int pthread_setspecific(unsigned int key, const void* value);

void* dlsym(void* handle, const char* name);
}
