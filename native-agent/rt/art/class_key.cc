#include "rt/art/class_key.h"

#include "base/atomic.h"
#include "base/libc.h"
#include "rt/java/class_name.h"
#include "os/fault_guard.h"
#include "os/machine.h"
#include "rt/art/art.h"
#include "rt/art/jni_lookup.h"
#include "rt/art/reads.h"

namespace btrace::art {

namespace {

// Offsets in objects, as java.lang.reflect.Field knows them; 0: not found.
struct Offsets {
  u32 dex_cache, dex_type_index, component_type, primitive_type;  // java.lang.Class
  u32 dex_file;                                                   // java.lang.DexCache: art::DexFile*
};
Offsets g_offsets;
bool g_looked, g_found;

u32 offset_of(JNIEnv* env, jclass owner, jfieldID field) {
  jfieldID offset = find_field(env, find_class(env, "java/lang/reflect/Field"), "offset", "I");
  jobject reflected = owner && field && offset ? env->ToReflectedField(owner, field, JNI_FALSE) : nullptr;
  return clear_exception(env) && reflected ? static_cast<u32>(env->GetIntField(reflected, offset)) : 0;
}

// Dex files by number: a key must fit into 64 bits. Filled from any thread, never emptied.
struct KnownDexFile {
  Atomic<u64> address;  // of the art::DexFile
  Atomic<u64> mark;     // 0: not known yet
};
constexpr u32 kMostDexFiles = 4096;
KnownDexFile g_dex_files[kMostDexFiles];

// art::DexFile begins with its vtable; the next word is where the file's bytes begin: what it is, its checksum, its
// signature. The first words of the latter tell it from others.
constexpr size_t kBegin = sizeof(void*);
struct DexHead {
  u8 magic[4];
  u32 version, checksum;
  u32 signature[5];
  u64 mark() const { return u64{signature[0]} << 32 | signature[1] | 1; }
};

// By checked reads. 0: it is gone, or no dex file.
u64 look_for_mark(u64 dex_file, const u8*& begin) {
  DexHead head;
  if (!read_memory(reinterpret_cast<const u8*>(dex_file) + kBegin, &begin, sizeof begin) ||
      !read_memory(begin, &head, sizeof head) ||
      (memcmp(head.magic, "dex\n", 4) != 0 && memcmp(head.magic, "cdex", 4) != 0))
    return 0;
  return head.mark();
}

// Of one that is open, where the bytes of one at the same address were found before. By the pointer as ART has it: its
// tag may be needed.
u64 mark_of(u64 dex_file) {
  const u8* begin;
  DexHead head;
  memcpy(&begin, reinterpret_cast<const u8*>(dex_file) + kBegin, sizeof begin);
  memcpy(&head, begin, sizeof head);
  return head.mark();
}

// Of one that is open; from 1. 0: the table is full, or it is none. `tagged`: with what Android puts on top of native
// pointers.
u32 dex_number(u64 tagged) {
  const u64 dex_file = tagged & ((1ull << 48) - 1);
  const u32 home = static_cast<u32>((dex_file * 0x9E3779B97F4A7C15ull) >> 32);
  for (u32 i = 0; i < kMostDexFiles; i++) {
    const u32 at = (home + i) % kMostDexFiles;
    KnownDexFile& known = g_dex_files[at];
    u64 found = known.address.load_acquire();
    if (!found) {
      const u8* begin;
      const u64 mark = look_for_mark(dex_file, begin);
      if (!mark) return 0;
      if (known.address.swap_if(found, dex_file)) return known.mark.store_release(mark), at + 1;
    }
    if (found != dex_file) continue;
    const u64 mark = known.mark.load_acquire();
    if (!mark || mark == mark_of(tagged)) return at + 1;
  }
  return 0;
}

// key: array dimensions, number of the dex file (0: a primitive), index of the type or code of the primitive.
constexpr u32 kMostDimensions = 255;
// The index of what is in no dex file: classes that java.lang.reflect.Proxy made, whose dex cache they have.
constexpr u32 kNoType = 0xffff;
u64 make_key(u32 dimensions, u32 dex, u32 type) {
  return u64{dimensions} << 48 | u64{dex} << 32 | (u64{type} + 1);
}

constexpr char kPrimitives[] = {0, 'Z', 'B', 'C', 'S', 'I', 'J', 'F', 'D', 'V'};  // in the order of art::Primitive

// Straight from memory: the fields read here never change, so that it does not matter whether the collector is moving
// them.
template <class T>
T at(u32 object, u32 offset) {
  T value;
  memcpy(&value, reinterpret_cast<const u8*>(static_cast<uintptr_t>(object)) + offset, sizeof value);
  return value;
}

}  // namespace

// What reflection says of fields is held against a class that is known: from the reference in one of its methods to the
// name in its dex file.
static bool names_known_class(JNIEnv* env, const char* class_name, const char* method, const char* expected) {
  jclass java_class = find_class(env, class_name);
  jmethodID id = find_method(env, java_class, method, "()V");
  const ArtMethod* at = id ? art_method(env, java_class, id) : nullptr;
  struct Known {
    u32 reference;
    const char* expected;
    bool named;
    ClassName name;
  };
  static Known known;
  known.named = false;
  known.expected = expected;
  if (!at || !read_managed(at, &known.reference, sizeof known.reference)) return false;
  auto body = [](void* data) {
    auto& of = *static_cast<Known*>(data);
    const u64 key = class_key(of.reference);
    of.named = key && name_of_class(key, of.name) && strcmp(of.name.text, of.expected) == 0;
  };
  return guarded(body, &known) && known.named;
}

bool find_class_fields(JNIEnv* env) {
  if (g_looked) return g_found;
  g_looked = true;
  jclass java_class = find_class(env, "java/lang/Class");
  jclass cache = find_class(env, "java/lang/DexCache");
  auto offset = [&](jclass owner, const char* field, const char* signature) {
    return offset_of(env, owner, find_field(env, owner, field, signature));
  };
  const Offsets offsets = {offset(java_class, "dexCache", "Ljava/lang/Object;"),
                           offset(java_class, "dexTypeIndex", "I"),
                           offset(java_class, "componentType", "Ljava/lang/Class;"),
                           offset(java_class, "primitiveType", "I"), offset(cache, "dexFile", "J")};
  if (!offsets.dex_cache || !offsets.dex_type_index || !offsets.component_type || !offsets.primitive_type ||
      !offsets.dex_file)
    return false;
  g_offsets = offsets;
  __atomic_store_n(&g_found, true, __ATOMIC_RELEASE);
  if (!names_known_class(env, "java/lang/Object", "notify", "java.lang.Object") ||
      !names_known_class(env, "java/lang/Thread", "run", "java.lang.Thread"))
    __atomic_store_n(&g_found, false, __ATOMIC_RELEASE);
  return g_found;
}

u64 class_key(u32 java_class) {
  if (!java_class || !__atomic_load_n(&g_found, __ATOMIC_ACQUIRE)) return 0;
  u32 dimensions = 0;
  while (u32 component = at<u32>(java_class, g_offsets.component_type)) {
    java_class = component;
    if (++dimensions > kMostDimensions) return 0;
  }
  // The upper half holds a shift.
  const u32 primitive = at<u32>(java_class, g_offsets.primitive_type) & 0xffff;
  if (primitive && primitive < sizeof kPrimitives) return make_key(dimensions, 0, primitive);
  const u32 cache = at<u32>(java_class, g_offsets.dex_cache);
  const u64 dex_file = cache ? at<u64>(cache, g_offsets.dex_file) : 0;
  const u32 dex = dex_file ? dex_number(dex_file) : 0;
  return dex ? make_key(dimensions, dex, at<u32>(java_class, g_offsets.dex_type_index) & 0xffff) : 0;
}

bool is_proxy(u64 key) {
  return key && !(key >> 48) && static_cast<u32>(key) - 1 == kNoType;
}

bool name_of_class(u64 key, ClassName& name) {
  const u32 dimensions = static_cast<u32>(key >> 48);
  const u32 dex = static_cast<u32>(key >> 32) & 0xffff;
  const u32 type = static_cast<u32>(key) - 1;
  char internal[sizeof name.text];
  if (dimensions >= sizeof internal / 2) return false;
  memset(internal, '[', dimensions);
  name.in_dex = false;
  name.file[0] = 0;
  name.type_index = type;
  name.class_def = ~0u;
  if (!dex) {
    internal[dimensions] = kPrimitives[type];
    internal[dimensions + 1] = 0;
  } else {
    if (dex > kMostDexFiles) return false;
    const KnownDexFile& known = g_dex_files[dex - 1];
    const u8* begin;
    const u64 mark = known.mark.load_acquire();
    if (!mark || look_for_mark(known.address.load_acquire(), begin) != mark || !name.dex.open(begin)) return false;
    const char* descriptor = type == kNoType ? "L$Proxy;" : name.dex.type(type);
    const size_t length = descriptor ? strlen(descriptor) : sizeof internal;
    if (dimensions + length >= sizeof internal) return false;
    memcpy(internal + dimensions, descriptor, length + 1);
    name.in_dex = type != kNoType;
    if (!dimensions) name.class_def = name.dex.class_def(type);
    const char* file = name.dex.source_file(name.class_def);
    if (file && strlen(file) < sizeof name.file) memcpy(name.file, file, strlen(file) + 1);
  }
  readable_class_name(internal, name.text, sizeof name.text);
  return true;
}

}  // namespace btrace::art
