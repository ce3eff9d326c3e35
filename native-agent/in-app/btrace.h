/*
 * Records the program that calls it, with BTrace's agent as a library of its own: libbtrace-native.so on Linux,
 * libbtrace.dylib on iOS and macOS. docs/NATIVE.md and docs/IOS.md say how. May be called on any thread.
 *
 * What returns an int returns 0 when it is done, else a number that btrace_problem() puts into words.
 */
#ifndef BTRACE_H
#define BTRACE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Records everything into a new file, which replaces one of this user's that is there. Ends by itself when the file has
 * 256 MB. A child of fork is not recorded, and is refused if its parent was being recorded then.
 */
int btrace_start(const char *file);

/*
 * Keeps the samples of the last seconds in memory, for btrace_dump(). All but the last 300 ms of them are in the file,
 * too, which has 8 MiB of room for them: so they are there when the program is killed. At btrace_stop() the file has
 * what is kept then.
 */
int btrace_start_ring(const char *file, unsigned seconds);

/* Writes what a ring holds to a file of its own, and goes on. */
int btrace_dump(const char *file);

/* Ends the recording, if there is one, and returns when its file is whole. */
int btrace_stop(void);

/* Shows `text` in the timeline, at this moment of this thread. Costs next to nothing while nothing is recorded. */
void btrace_marker(const char *text);

/*
 * Tells how much there is now of something, by a name of the program's own: it is drawn over time, and with each value
 * stands the stack that told it. A value below 0 counts as 0. Costs as much as a marker: a walk of the stack.
 */
void btrace_counter(const char *name, long long value);

bool btrace_is_recording(void);

/* English words for what one of these returned; they stay where they are. */
const char *btrace_problem(int result);

#ifdef __cplusplus
}
#endif

#endif
