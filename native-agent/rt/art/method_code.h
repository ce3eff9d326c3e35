#pragma once
// What a method is called by in samples: its address, and above that some bits of its place in its dex file. Once its
// class is unloaded another method may lie there. (One with the same place, from a file of the same layout, takes its
// name: they are the same in all but what the file was changed in.)
#include <jni.h>

#include "rt/art/internals.h"

namespace btrace::art {

// Looks where an ArtMethod keeps its place, by two whose java.lang.reflect.Method is known. False: it is not where any
// version has it. Then a method is called by its address alone, and cannot be named.
struct KnownMethod {
  const ArtMethod* at;
  jobject reflected;
};
bool learn_method_code(JNIEnv* env, const KnownMethod (&known)[2]);
bool methods_have_places();

// An ArtMethod's first words. To Android 11 its place is where its code begins in the dex file and its index there;
// from 12 on the index and where it lies in tables of the class, and behind that a counter, which is none of it.
struct MethodWords {
  u32 declaring_class;  // a reference as objects hold it; 0: unloaded, or no method of Java's
  u32 access_flags;
  u32 place[2];
};
constexpr u32 kMethodAddressBits = 48;
extern u32 g_method_place_mask;  // 0: not where any version has it

inline u64 method_code(const ArtMethod* method, const MethodWords& words) {
  const u32 place = words.place[0] ^ words.place[0] >> 16 ^ words.place[1];
  return reinterpret_cast<u64>(method) | u64{place & g_method_place_mask} << kMethodAddressBits;
}
// Of a method whose class is held, by a frame of a thread that stands still or by a reference.
inline u64 method_code(const ArtMethod* method) {
  return method_code(method, *reinterpret_cast<const MethodWords*>(method));
}
// The same by checked reads; 0: it is gone.
u64 method_code_if_there(const ArtMethod* method);

// By checked reads. False: it is gone, and another one may be there.
bool read_method(u64 code, MethodWords& words);
u32 dex_index(const MethodWords& words);
// What a proxy's method was made from: an interface's, or one of java.lang.Object's. By checked reads.
bool read_prototype(u64 code, const MethodWords& words, MethodWords& prototype);

}  // namespace btrace::art
