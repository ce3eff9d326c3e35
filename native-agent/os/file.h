#pragma once
// The only place that opens files: a folder may belong to others, who can put a link, a pipe or a file of theirs at any
// name in it.
#include "base/types.h"

namespace btrace {

// What open_own_file does with a file that is there already.
enum class Existing : u8 { Refuse, Replace, Keep };

// Why open_own_file refuses what is at a path, beside the kernel's own error numbers.
inline constexpr int kErrorNotOurs = 1 /* EPERM */;

// Opens a regular file of this user for reading and writing, and makes it, readable by this user alone, where there is
// none. Never follows a link as the last part of `path`, never waits for a pipe, and changes no file that is there:
// one of this user's without a second name is kept, or makes room for a new one. Returns a descriptor, or a negated
// error number.
int open_own_file(const char* path, Existing existing);

// Gives the file at `from` the name `to`, in place of what has it: a link there is replaced, not followed.
bool rename_file(const char* from, const char* to);

bool remove_file(const char* path);

// All of it, from where the file stands, and on from there; false where that fails.
bool read_all(int fd, void* to, size_t size);
bool write_all(int fd, const void* from, size_t size);
// Where the file stands from now on.
bool seek_to(int fd, u64 offset);
bool seek_to_end(int fd);

// Writes all of `bytes` over the file's beginning. False if the system took less.
bool overwrite(int fd, const void* bytes, size_t size);

// Opens what is at `path` to be read, without waiting for a pipe. Returns a descriptor, or a negated error number.
int open_to_read(const char* path);

// How many names (hard links) the file or folder has; 0 if that cannot be told.
u64 links_to(int fd);

}  // namespace btrace
