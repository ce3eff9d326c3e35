#include "rt/art/class_key.h"

#include "base/atomic.h"
#include "base/libc.h"
#include "core/class_name.h"
#include "os/linux/machine.h"
#include "rt/art/jni_lookup.h"

namespace btrace::art {

namespace {

// Offsets in objects, as java.lang.reflect.Field knows them; 0: not found.
struct Offsets {
  u32 dex_cache, dex_type_index, component_type, primitive_type;  // java.lang.Class
  u32 dex_file;                                                   // java.lang.DexCache: art::DexFile*
};
struct Fields {
  jfieldID dex_cache, dex_type_index, component_type, primitive_type, dex_file;
};
Offsets g_offsets;
Fields g_fields;
bool g_looked, g_found;

u32 offset_of(JNIEnv* env, jclass owner, jfieldID field) {
  jfieldID offset = find_field(env, find_class(env, "java/lang/reflect/Field"), "offset", "I");
  jobject reflected = owner && field && offset ? env->ToReflectedField(owner, field, JNI_FALSE) : nullptr;
  return clear_exception(env) && reflected ? static_cast<u32>(env->GetIntField(reflected, offset)) : 0;
}

// Dex files by number: a key must fit into 64 bits. Filled from any thread, never emptied.
constexpr u32 kMostDexFiles = 4096;
constexpr u64 kAddressBits = (1ull << 48) - 1;  // without the tag that Android puts on top of native pointers
Atomic<u64> g_dex_files[kMostDexFiles];

// From 1; 0: the table is full.
u32 dex_number(u64 dex_file) {
  for (u32 i = 0; i < kMostDexFiles; i++) {
    u64 found = g_dex_files[i].load_acquire();
    if (!found && g_dex_files[i].swap_if(found, dex_file)) return i + 1;
    if (found == dex_file) return i + 1;
  }
  return 0;
}

// key: array dimensions, number of the dex file (0: a primitive), index of the type or code of the primitive.
constexpr u32 kMostDimensions = 255;
u64 make_key(u32 dimensions, u32 dex, u32 type) {
  return u64{dimensions} << 48 | u64{dex} << 32 | (u64{type} + 1);
}

constexpr char kPrimitives[] = {0, 'Z', 'B', 'C', 'S', 'I', 'J', 'F', 'D', 'V'};  // in the order of art::Primitive

template <class Read>
u64 key_of(Read read, auto java_class) {
  u32 dimensions = 0;
  for (auto component = read.component(java_class); component; component = read.component(java_class)) {
    java_class = component;
    if (++dimensions > kMostDimensions) return 0;
  }
  const u32 primitive = read.primitive(java_class);
  if (primitive && primitive < sizeof kPrimitives) return make_key(dimensions, 0, primitive);
  const u64 dex_file = read.dex_file(java_class) & kAddressBits;
  const u32 dex = dex_file ? dex_number(dex_file) : 0;
  return dex ? make_key(dimensions, dex, read.type_index(java_class)) : 0;
}

// Straight from memory: the fields read here never change, so that it does not matter whether the collector is moving
// them.
struct FromMemory {
  template <class T>
  static T at(u32 object, u32 offset) {
    T value;
    memcpy(&value, reinterpret_cast<const u8*>(static_cast<uintptr_t>(object)) + offset, sizeof value);
    return value;
  }
  u32 component(u32 java_class) const { return at<u32>(java_class, g_offsets.component_type); }
  // The upper half holds a shift.
  u32 primitive(u32 java_class) const { return at<u32>(java_class, g_offsets.primitive_type) & 0xffff; }
  u32 type_index(u32 java_class) const { return at<u32>(java_class, g_offsets.dex_type_index) & 0xffff; }
  u64 dex_file(u32 java_class) const {
    const u32 cache = at<u32>(java_class, g_offsets.dex_cache);
    return cache ? at<u64>(cache, g_offsets.dex_file) : 0;
  }
};

struct ByJni {
  JNIEnv* env;
  jobject component(jobject java_class) const { return env->GetObjectField(java_class, g_fields.component_type); }
  u32 primitive(jobject java_class) const { return integer(java_class, g_fields.primitive_type) & 0xffff; }
  u32 type_index(jobject java_class) const { return integer(java_class, g_fields.dex_type_index) & 0xffff; }
  u64 dex_file(jobject java_class) const {
    jobject cache = env->GetObjectField(java_class, g_fields.dex_cache);
    return cache ? static_cast<u64>(env->GetLongField(cache, g_fields.dex_file)) : 0;
  }
  u32 integer(jobject object, jfieldID field) const { return static_cast<u32>(env->GetIntField(object, field)); }
};

}  // namespace

bool find_class_fields(JNIEnv* env) {
  if (g_looked) return g_found;
  g_looked = true;
  jclass java_class = find_class(env, "java/lang/Class");
  jclass cache = find_class(env, "java/lang/DexCache");
  g_fields = {find_field(env, java_class, "dexCache", "Ljava/lang/Object;"),
              find_field(env, java_class, "dexTypeIndex", "I"),
              find_field(env, java_class, "componentType", "Ljava/lang/Class;"),
              find_field(env, java_class, "primitiveType", "I"), find_field(env, cache, "dexFile", "J")};
  const Offsets offsets = {
      offset_of(env, java_class, g_fields.dex_cache), offset_of(env, java_class, g_fields.dex_type_index),
      offset_of(env, java_class, g_fields.component_type), offset_of(env, java_class, g_fields.primitive_type),
      offset_of(env, cache, g_fields.dex_file)};
  if (!offsets.dex_cache || !offsets.dex_type_index || !offsets.component_type || !offsets.primitive_type ||
      !offsets.dex_file)
    return false;
  g_offsets = offsets;
  __atomic_store_n(&g_found, true, __ATOMIC_RELEASE);
  return true;
}

u64 class_key(u32 class_reference) {
  return class_reference && __atomic_load_n(&g_found, __ATOMIC_ACQUIRE) ? key_of(FromMemory{}, class_reference) : 0;
}

u64 class_key(JNIEnv* env, jobject java_class) {
  return java_class && g_found ? key_of(ByJni{env}, java_class) : 0;
}

bool name_of_class(u64 key, ClassName& name) {
  const u32 dimensions = static_cast<u32>(key >> 48);
  const u32 dex = static_cast<u32>(key >> 32) & 0xffff;
  const u32 type = static_cast<u32>(key) - 1;
  char internal[sizeof name.text];
  if (dimensions >= sizeof internal / 2) return false;
  memset(internal, '[', dimensions);
  name.in_dex = false;
  name.class_def = ~0u;
  if (!dex) {
    internal[dimensions] = kPrimitives[type];
    internal[dimensions + 1] = 0;
  } else {
    if (dex > kMostDexFiles) return false;
    // art::DexFile begins with its vtable; the next word is where the file's bytes begin.
    const u8* words[2];
    u8 magic[8];
    const auto* file = reinterpret_cast<const void*>(g_dex_files[dex - 1].load_acquire());
    if (!read_memory(file, words, sizeof words) || !read_memory(words[1], magic, sizeof magic) ||
        !name.dex.open(words[1]))
      return false;
    const char* descriptor = name.dex.type(type);
    const size_t length = descriptor ? strlen(descriptor) : sizeof internal;
    if (dimensions + length >= sizeof internal) return false;
    memcpy(internal + dimensions, descriptor, length + 1);
    name.in_dex = true;
    if (!dimensions) name.class_def = name.dex.class_def(type);
  }
  readable_class_name(internal, name.text, sizeof name.text);
  return true;
}

}  // namespace btrace::art
