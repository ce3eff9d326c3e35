#include "rt/art/method_code.h"

#include "os/linux/machine.h"
#include "rt/art/jni_lookup.h"

namespace btrace::art {

u32 g_method_place_mask;

namespace {

constexpr u32 kUnknown = 2;
u32 g_index_word = kUnknown;  // of the place

}  // namespace

bool learn_method_code(JNIEnv* env, const KnownMethod (&known)[2]) {
  jfieldID index = find_field(env, find_class(env, "java/lang/reflect/Executable"), "dexMethodIndex", "I");
  u32 word = index ? 0 : kUnknown;
  for (; word < kUnknown; word++) {
    bool fits = true;
    for (const KnownMethod& method : known) {
      MethodWords words;
      fits &= read_memory(method.at, &words, sizeof words) &&
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
  return read_memory(method, &words, sizeof words) && words.declaring_class ? method_code(method, words) : 0;
}

bool read_method(u64 code, MethodWords& words) {
  const auto* method = reinterpret_cast<const ArtMethod*>(code & ((1ull << kMethodAddressBits) - 1));
  return methods_have_places() && read_memory(method, &words, sizeof words) && words.declaring_class &&
         method_code(method, words) == code;
}

u32 dex_index(const MethodWords& words) {
  return words.place[g_index_word];
}

}  // namespace btrace::art
