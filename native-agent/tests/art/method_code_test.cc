// What tells a method from another one at its address, as the versions of ART have it.
#include "rt/art/method_code.h"

#include "harness.h"
#include "reads_memory.h"

using namespace btrace;
using namespace btrace::art;

namespace {

struct Method {
  u32 words[4];
  const ArtMethod* at() const { return reinterpret_cast<const ArtMethod*>(words); }
};

JNINativeInterface_ g_table{};
JNIEnv g_env{&g_table};

bool learn(const Method& one, u32 index, const Method& other, u32 other_index) {
  static u32 indexes[2];
  indexes[0] = index;
  indexes[1] = other_index;
  g_table.FindClass = [](JNIEnv*, const char*) { return reinterpret_cast<jclass>(1); };
  g_table.GetFieldID = [](JNIEnv*, jclass, const char*, const char*) { return reinterpret_cast<jfieldID>(1); };
  g_table.ExceptionCheck = [](JNIEnv*) -> jboolean { return JNI_FALSE; };
  g_table.GetIntField = [](JNIEnv*, jobject object, jfieldID) {
    return static_cast<jint>(*reinterpret_cast<const u32*>(object));
  };
  return learn_method_code(
      &g_env, {{one.at(), reinterpret_cast<jobject>(indexes)}, {other.at(), reinterpret_cast<jobject>(indexes + 1)}});
}

// What cannot be read is not there.
void nothing_is_known() {
  Method one{{5, 1, 0x1000, 70}}, other{{5, 1, 0x2000, 71}};
  CHECK(!learn(one, 70, other, 71));
  CHECK_EQUAL(method_code_if_there(one.at()), u64{0});
  MethodWords words;
  CHECK(!read_method(method_code(one.at()), words));
}

TEST("art methods: to Android 11 by the code's place and the index, whatever the flags do") {
  if (!reads_memory()) return nothing_is_known();
  Method one{{5, 1, 0x1000, 70}}, other{{5, 1, 0x2000, 71}};
  CHECK(learn(one, 70, other, 71));
  const u64 code = method_code(one.at());
  one.words[1] = 0xffff;
  CHECK_EQUAL(method_code(one.at()), code);
  MethodWords words;
  CHECK(read_method(code, words));
  CHECK_EQUAL(dex_index(words), 70u);
  one.words[2] = 0x1004;  // another method of its file took its place
  CHECK(!read_method(code, words));
  one.words[2] = 0x1000;
  one.words[3] = 72;
  CHECK(method_code(one.at()) != code);
  one.words[3] = 70;
  CHECK(read_method(code, words));
  one.words[0] = 0;  // its class was unloaded
  CHECK(!read_method(code, words));
  CHECK_EQUAL(method_code_if_there(one.at()), u64{0});
}

TEST("art methods: from Android 12 on by the index and the place in tables, not by how hot it is") {
  if (!reads_memory()) return nothing_is_known();
  Method one{{5, 1, 70, 3}}, other{{5, 1, 71, 4}};
  CHECK(learn(one, 70, other, 71));
  const u64 code = method_code(one.at());
  one.words[3] |= 500u << 16;
  CHECK_EQUAL(method_code(one.at()), code);
  MethodWords words;
  CHECK(read_method(code, words));
  CHECK_EQUAL(dex_index(words), 70u);
  one.words[2] = 71;
  CHECK(!read_method(code, words));
}

TEST("art methods: where the index is at neither place they are known by address, and not named") {
  if (!reads_memory()) return nothing_is_known();
  Method one{{5, 1, 70, 3}}, other{{5, 1, 71, 71}};
  CHECK(!learn(one, 3, other, 71 + 1));
  CHECK(!methods_have_places());
  CHECK_EQUAL(method_code(one.at()), reinterpret_cast<u64>(one.at()));
  MethodWords words;
  CHECK(!read_method(method_code(one.at()), words));
  CHECK_EQUAL(method_code_if_there(one.at()), reinterpret_cast<u64>(one.at()));
}

TEST("art methods: a proxy's leads to what it was made from, wherever a version keeps that") {
  if (!reads_memory()) return nothing_is_known();
  Method one{{5, 1, 0x1000, 70}}, other{{5, 1, 0x2000, 71}};
  CHECK(learn(one, 70, other, 71));
  struct {
    Method method{{9, 1, 0, 70}};
    const void* pointers[3]{};
  } proxy;
  const u64 code = method_code(proxy.method.at());
  MethodWords words, prototype;
  CHECK(read_method(code, words));
  CHECK(!read_prototype(code, words, prototype));
  const void* tables[2]{};  // Android 8 has others before it
  for (u32 place = 0; place < 3; place++) {
    proxy.pointers[0] = place == 0 ? nullptr : &tables;
    proxy.pointers[1] = place == 0 ? nullptr : &other;
    proxy.pointers[place] = &one;
    CHECK(read_prototype(code, words, prototype));
    CHECK_EQUAL(prototype.declaring_class, 5u);
    CHECK_EQUAL(prototype.place[0], 0x1000u);
  }
  one.words[0] = 0;  // the interface was unloaded
  CHECK(!read_prototype(code, words, prototype));
}

}  // namespace
