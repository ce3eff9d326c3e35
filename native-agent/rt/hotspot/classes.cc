// Classes as the JVM has them: which one it is, its name and its file.
#include "base/libc.h"
#include "rt/hotspot/jvm.h"
#include "rt/hotspot/reads.h"

namespace btrace::hotspot {

namespace {

u64 class_key(u64 klass, const void* name, u32 length) {
  auto* text = static_cast<const u8*>(name);
  u64 hash = length;
  for (u32 at = 0; at < length; at += sizeof(u64)) {
    u64 part = 0;
    __builtin_memcpy(&part, text + at, min_of<size_t>(length - at, sizeof part));
    hash = (hash ^ part) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 32;
  }
  return klass | (hash << kClassPlaceBits & ~kPlacelessClass);
}

u64 place_of(u64 key) {
  return key & ((1ull << kClassPlaceBits) - 1);
}

bool read_symbol(const Jvm& jvm, u64 symbol, char* text, size_t size) {
  u16 length;
  if (!checked_read(symbol, jvm.symbol_length, length) || !length || length >= size) return false;
  if (!read_memory(reinterpret_cast<const u8*>(symbol) + jvm.symbol_body, text, length)) return false;
  text[length] = 0;
  // What was a name is text; memory that is something else by now seldom is.
  for (u32 i = 0; i < length; i++)
    if (static_cast<u8>(text[i]) < 0x20) return false;
  return true;
}

bool read_name_at(const Jvm& jvm, u64 klass, char* internal, size_t size) {
  u64 symbol;
  return checked_read(klass, jvm.klass_name, symbol) && read_symbol(jvm, symbol, internal, size);
}

}  // namespace

// A Klass* is read as if it were a Java field of java.lang.Class: the id of an instance field holds its offset above
// two marking bits. Verified by reading java.lang.Object's class and its name back.
void Jvm::explore_classes(JNIEnv* env, const VmStructs& structs) {
  klass_name = structs.offset("Klass", "_name");
  symbol_length = structs.offset("Symbol", "_length");
  symbol_body = structs.offset("Symbol", "_body[0]");
  if (symbol_body == kNoOffset) symbol_body = structs.offset("Symbol", "_body");
  klass_layout = structs.offset("Klass", "_layout_helper");
  klass_constants = structs.offset("InstanceKlass", "_constants");
  constants_source = structs.offset("ConstantPool", "_source_file_name_index");
  constants_begin = structs.size_of("ConstantPool");
  const void* klass_offset_at = structs.address("java_lang_Class", "_klass_offset");
  if (!thread_pointer || !klass_offset_at) return;
  i32 klass_offset;
  if (!read_memory(klass_offset_at, &klass_offset, sizeof klass_offset) || klass_offset <= 0) return;
  constexpr uintptr_t kMarks = 3, kUncheckedInstance = 2;
  // With -Xcheck:jni a made-up id would end the program.
  const void* checks = structs.flag("CheckJNICalls");
  bool checked = true;
  if (!checks || !read_memory(checks, &checked, sizeof checked) || checked) return;
  // Nor may an id carry more than that.
  if ((reinterpret_cast<uintptr_t>(thread_pointer) & kMarks) != kUncheckedInstance) return;
  auto made_up = reinterpret_cast<jfieldID>(static_cast<uintptr_t>(klass_offset) << 2 | kUncheckedInstance);
  jclass type = env->FindClass("java/lang/Object");
  if (!type) return;
  u64 klass = read_long(env, type, made_up);
  env->DeleteLocalRef(type);
  char name[32];
  if (read_name_at(*this, klass, name, sizeof name) && strcmp(name, "java/lang/Object") == 0) class_pointer = made_up;
  explore_objects(env, structs);
}

u64 Jvm::class_of(JNIEnv* env, jclass java_class) const {
  const u64 klass = read_long(env, java_class, class_pointer);
  if (!may_be_structure(klass)) return 0;
  const u64 symbol = plain_read<u64>(klass, klass_name);
  if (!may_be_structure(symbol)) return 0;
  return class_key(klass, reinterpret_cast<const u8*>(symbol) + symbol_body, plain_read<u16>(symbol, symbol_length));
}

// Verified: an object of java.lang.Object's class must be told to be one. Where classes are not 32 bits of a pointer it
// is not. Where collectors move objects while the program runs, another object may be in its place a moment later. Both
// leave the class unknown.
void Jvm::explore_objects(JNIEnv* env, const VmStructs& structs) {
  object_class = structs.offset("oopDesc", "_metadata._compressed_klass");
  if (object_class == kNoOffset) object_class = structs.offset("oopDesc", "_compressed_klass");
  class_base_at = structs.address("CompressedKlassPointers", "_base");
  class_shift_at = structs.address("CompressedKlassPointers", "_shift");
  if (!class_base_at) class_base_at = structs.address("CompressedKlassPointers", "_narrow_klass._base");
  if (!class_shift_at) class_shift_at = structs.address("CompressedKlassPointers", "_narrow_klass._shift");
  jclass type = env->FindClass("java/lang/Object");
  jobject object = type ? env->AllocObject(type) : nullptr;
  u64 raw;
  // A local reference is the address of a place that holds the object.
  const auto is_known = [&] {
    return object && moves_at_safepoints_only && class_base_at && class_shift_at && class_pointer && read_memory(object, &raw, sizeof raw) &&
           class_of_raw(raw) == class_of(env, type);
  };
  object_class_shift = 0;
  bool known = is_known();
  if (!known) {
    // Compact object headers: the uppermost 22 bits of an object's first word.
    object_class = 4;
    object_class_shift = 10;
    known = is_known();
  }
  if (env->ExceptionCheck()) env->ExceptionClear();
  if (!known) class_base_at = nullptr;
  if (object) env->DeleteLocalRef(object);
  if (type) env->DeleteLocalRef(type);
}

// What was a class has a name that is text.
u64 Jvm::class_of_raw(u64 object) const {
  u64 base;
  i32 shift;
  u32 narrow;
  if (!object || !class_base_at || !read_memory(class_base_at, &base, sizeof base) ||
      !read_memory(class_shift_at, &shift, sizeof shift) || shift < 0 || shift > 10 ||
      !checked_read(object, object_class, narrow))
    return 0;
  const u64 klass = base + (u64{narrow >> object_class_shift} << shift);
  char name[256];
  return read_name_at(*this, klass, name, sizeof name) ? class_key(klass, name, static_cast<u32>(strlen(name))) : 0;
}

bool read_class_name(const Jvm& jvm, u64 key, char* internal, size_t size) {
  const u64 klass = place_of(key);
  return read_name_at(jvm, klass, internal, size) &&
         class_key(klass, internal, static_cast<u32>(strlen(internal))) == key;
}

bool read_class_file(const Jvm& jvm, u64 key, char* file, size_t size) {
  const u64 klass = place_of(key);
  i32 layout;
  u64 constants, symbol;
  u16 index;
  if (jvm.constants_begin == kNoOffset || !checked_read(klass, jvm.klass_layout, layout) || layout <= 0) return false;
  if (!checked_read(klass, jvm.klass_constants, constants) || !checked_read(constants, jvm.constants_source, index))
    return false;
  constexpr i32 kEntryBytes = sizeof(void*);
  return index && checked_read(constants, jvm.constants_begin + index * kEntryBytes, symbol) &&
         read_symbol(jvm, symbol, file, size);
}

}  // namespace btrace::hotspot
