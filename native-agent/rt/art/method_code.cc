#include "rt/art/method_code.h"

#include "rt/art/jni_lookup.h"
#include "rt/art/reads.h"

namespace btrace::art {

u32 g_method_place_mask;

namespace {

constexpr u32 kUnknown = 2;
u32 g_index_word = kUnknown;  // of the place
constexpr u32 kLastPointer = 32;  // of an ArtMethod's, in Android 8

const ArtMethod* method_at(u64 code) {
  return reinterpret_cast<const ArtMethod*>(code & ((1ull << kMethodAddressBits) - 1));
}

}  // namespace

bool learn_method_code(JNIEnv* env, const KnownMethod (&known)[2]) {
  jfieldID index = find_field(env, find_class(env, "java/lang/reflect/Executable"), "dexMethodIndex", "I");
  u32 word = index ? 0 : kUnknown;
  for (; word < kUnknown; word++) {
    bool fits = true;
    for (const KnownMethod& method : known) {
      MethodWords words;
      fits &= read_managed(method.at, &words, sizeof words) &&
              words.place[word] == static_cast<u32>(env->GetIntField(method.reflected, index));
    }
    if (fits) break;
  }
  g_index_word = word;
  g_method_place_mask = word < kUnknown ? 0xffff : 0;
  return methods_have_places();
}

bool methods_have_places() {
  return g_method_place_mask != 0;
}

u64 method_code_if_there(const ArtMethod* method) {
  MethodWords words;
  return read_managed(method, &words, sizeof words) && words.declaring_class ? method_code(method, words) : 0;
}

bool read_method(u64 code, MethodWords& words) {
  const ArtMethod* method = method_at(code);
  return methods_have_places() && read_managed(method, &words, sizeof words) && words.declaring_class &&
         method_code(method, words) == code;
}

bool read_prototype(u64 code, const MethodWords& words, MethodWords& prototype) {
  // One of the pointers behind a method's words leads to it; which one, and where they begin, differs by version. Its
  // index is the same.
  const u8* method = reinterpret_cast<const u8*>(method_at(code));
  for (u32 offset = sizeof words; offset <= kLastPointer; offset += sizeof(void*)) {
    const void* pointer;
    if (read_managed(method + offset, &pointer, sizeof pointer) && pointer &&
        read_managed(pointer, &prototype, sizeof prototype) && prototype.declaring_class &&
        dex_index(prototype) == dex_index(words))
      return true;
  }
  return false;
}

u32 dex_index(const MethodWords& words) {
  return words.place[g_index_word];
}

}  // namespace btrace::art
