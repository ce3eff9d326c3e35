// What a program calls that has the agent as a library of its own: the natives of in-app/btrace/BTrace.java.
#include "agent/lag_monitor.h"
#include "agent/own_recording.h"
#include "base/bytes.h"
#include "core/texts.h"
#include "os/android/properties.h"
#include "rt/art/art.h"
#include "rt/art/points.h"
#include "rt/hotspot/hotspot.h"

using namespace btrace;
using art::g_art;
using hotspot::g_hotspot;

namespace {

JavaVM* g_vm;

// nullptr: neither of those that the agent knows.
Runtime* find_runtime() {
  if (g_art.internals.open(g_vm)) return &g_art;
  if (g_hotspot.jvm.open(g_vm)) return &g_hotspot;
  return nullptr;
}

// A Java string in UTF-8. JNI's own is not quite that.
class Utf8 {
 public:
  Utf8(JNIEnv* env, jstring text) {
    constexpr jsize kPart = 256;
    const jsize length = text ? env->GetStringLength(text) : 0;
    u32 high = 0;
    for (jsize from = 0; from < length; from += kPart) {
      jchar part[kPart];
      const jsize size = min_of(kPart, length - from);
      env->GetStringRegion(text, from, size, part);
      for (jsize i = 0; i < size; i++) high = put_unit(part[i], high);
    }
    if (high) put(kUnknown);
    bytes_.put(0);
  }
  ~Utf8() { bytes_.release(); }
  Utf8(const Utf8&) = delete;
  Utf8& operator=(const Utf8&) = delete;

  const char* text() const { return bytes_.failed() ? "" : reinterpret_cast<const char*>(bytes_.data()); }
  size_t size() const { return bytes_.failed() ? 0 : bytes_.size() - 1; }

 private:
  static constexpr u32 kUnknown = 0xfffd;

  // Returns the first half of a pair that waits for its second.
  u32 put_unit(u32 unit, u32 high) {
    const bool is_low = unit >= 0xdc00 && unit < 0xe000;
    if (high && is_low) return put(0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00)), 0;
    if (high) put(kUnknown);
    if (unit >= 0xd800 && unit < 0xdc00) return unit;
    put(is_low ? kUnknown : unit);
    return 0;
  }
  void put(u32 character) {
    u32 more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    constexpr u8 kFirst[] = {0, 0xc0, 0xe0, 0xf0};
    bytes_.put(static_cast<u8>(kFirst[more] | character >> (6 * more)));
    while (more--) bytes_.put(static_cast<u8>(0x80 | (character >> (6 * more) & 0x3f)));
  }

  Bytes bytes_;
};

jint JNICALL start(JNIEnv* env, jclass, jstring file, jlong sync_ns, jlong async_ns, jlong memory_bytes, jlong ring_ns,
                   jlong max_bytes) {
  Utf8 path(env, file);
  OwnRecording recording = usual_recording(ring_ns, static_cast<u64>(max_bytes));
  recording.config.sync_interval_ns = sync_ns;
  recording.config.async_interval_ns = async_ns;
  recording.config.memory_bytes = static_cast<u64>(memory_bytes);
  Runtime* runtime = find_runtime();
  return runtime ? start_own_recording(path.text(), recording, *runtime) : static_cast<jint>(StartResult::NotSupported);
}

jint JNICALL stop(JNIEnv*, jclass) {
  return stop_own_recording();
}

jint JNICALL dump(JNIEnv* env, jclass, jstring file, jlong back_ns) {
  Utf8 path(env, file);
  return dump_own_recording(path.text(), static_cast<u64>(back_ns));
}

jboolean JNICALL is_recording(JNIEnv*, jclass) {
  return active_session_id() != 0;
}

// What a desktop has left in the properties, if it waits for this process.
jint JNICALL answer_desktop(JNIEnv*, jclass) {
  char options[512];
  if (!options_from_properties(options, sizeof options)) return static_cast<jint>(OwnResult::NotRecording);
  Runtime* runtime = find_runtime();
  const StartResult result = runtime ? start_recording(options, *runtime) : StartResult::NotSupported;
  if (result == StartResult::Started) wait_until_begun();
  return static_cast<jint>(result);
}

void say(JNIEnv* env, jstring said, u64 object) {
  if (!active_session_id()) return;
  Utf8 utf8(env, said);
  const u32 text = number_of_text(utf8.text(), utf8.size());
  if (!text) return;
  if (g_art.internals.vm)
    art::capture_marker(env, text, object);
  else
    hotspot::capture_marker(text, object);
}

void JNICALL marker(JNIEnv* env, jclass, jstring said) {
  say(env, said, 0);
}

void JNICALL counter(JNIEnv* env, jclass, jstring name, jlong value) {
  say(env, name, counted_object(value));
}

// ---------------------------------------------------------------- the lag watch: in-app/btrace/LagWatch.java

template <size_t kRoom>
void copy_element(JNIEnv* env, jobjectArray texts, jsize at, char (&to)[kRoom]) {
  auto text = static_cast<jstring>(env->GetObjectArrayElement(texts, at));
  Utf8 utf8(env, text);
  const size_t size = min_of(utf8.size(), kRoom - 1);
  memcpy(to, utf8.text(), size);
  to[size] = 0;
  env->DeleteLocalRef(text);
}

// The order of both arrays is LagWatch.java's.
jint JNICALL watch_lags(JNIEnv* env, jclass, jobjectArray texts, jlongArray numbers) {
  constexpr jsize kTexts = 5, kNumbers = 9;
  static LagSettings settings;  // too large for a thread's stack; LagWatch.java calls this on one thread at a time
  if (env->GetArrayLength(texts) != kTexts || env->GetArrayLength(numbers) != kNumbers)
    return static_cast<jint>(StartResult::BadOptions);
  char user[256];
  copy_element(env, texts, 0, settings.folder);
  copy_element(env, texts, 1, settings.threads);
  copy_element(env, texts, 2, settings.version);
  copy_element(env, texts, 3, settings.device);
  copy_element(env, texts, 4, user);
  settings.user = *user ? stable_hash(user) : 0;
  jlong given[kNumbers];
  env->GetLongArrayRegion(numbers, 0, kNumbers, given);
  settings.limits.message_ns = max_of<i64>(given[0], 10) * kNsPerMs;
  settings.limits.cpu_percent = static_cast<u32>(min_of<i64>(max_of<i64>(given[1], 0), 100000));
  settings.limits.look_ns = max_of<i64>(given[2], 10) * kNsPerMs;
  settings.limits.stack_ns = given[3] > 0 ? max_of<i64>(given[3], 10) * kNsPerMs : 0;
  settings.quota.share_permille = static_cast<u32>(min_of<i64>(max_of<i64>(given[4], 0), 1000));
  settings.quota.files_a_day = static_cast<u32>(min_of<i64>(max_of<i64>(given[5], 0), 10000));
  settings.quota.keep_days = static_cast<u32>(min_of<i64>(max_of<i64>(given[6], 1), 365));
  settings.quota.always = given[7] != 0;
  settings.ring_ns = min_of<i64>(max_of<i64>(given[8], 1000), 600 * 1000) * kNsPerMs;
  Runtime* runtime = find_runtime();
  return runtime ? start_lag_watch(settings, *runtime) : static_cast<jint>(StartResult::NotSupported);
}

jint JNICALL unwatch_lags(JNIEnv*, jclass, jboolean is_exit) {
  return stop_lag_watch(is_exit);
}

// A path; an empty text if none came in time; null if nothing is watched.
jstring JNICALL next_lag(JNIEnv* env, jclass, jlong wait_ms) {
  char path[kPathRoom];
  path[0] = 0;
  return next_lag_file(path, wait_ms * kNsPerMs) < 0 ? nullptr : env->NewStringUTF(path);
}

void JNICALL crashed(JNIEnv*, jclass) {
  lag_program_crashed();
}

void JNICALL in_front(JNIEnv*, jclass, jboolean is_in_front) {
  lag_program_in_front(is_in_front);
}

jint JNICALL last_end(JNIEnv*, jclass) {
  return static_cast<jint>(last_end_of_program());
}

void JNICALL correct_last_end(JNIEnv*, jclass, jint end) {
  correct_last_end_of_program(static_cast<LastEnd>(end));
}

jlong JNICALL lags(JNIEnv*, jclass) {
  return static_cast<jlong>(lag_counts().lags);
}

template <class Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

struct Native {
  const char* name;
  const char* signature;
  void* function;
};

}  // namespace

// When a program loads the library itself. As an agent it is loaded without this.
extern "C" __attribute__((visibility("default"))) jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  void* got = nullptr;
  if (vm->GetEnv(&got, JNI_VERSION_1_6) != JNI_OK) return JNI_ERR;
  auto* env = static_cast<JNIEnv*>(got);
  jclass library = env->FindClass("btrace/BTrace");
  if (!library) return JNI_ERR;  // with the exception that says so
  g_vm = vm;
  const Native natives[] = {
      {"nativeStart", "(Ljava/lang/String;JJJJJ)I", address(start)},
      {"nativeStop", "()I", address(stop)},
      {"nativeDump", "(Ljava/lang/String;J)I", address(dump)},
      {"nativeIsRecording", "()Z", address(is_recording)},
      {"nativeAnswerDesktop", "()I", address(answer_desktop)},
      {"nativeMarker", "(Ljava/lang/String;)V", address(marker)},
      {"nativeCounter", "(Ljava/lang/String;J)V", address(counter)},
  };
  for (const Native& native : natives) {
    JNINativeMethod method{const_cast<char*>(native.name), const_cast<char*>(native.signature), native.function};
    if (env->RegisterNatives(library, &method, 1) != JNI_OK) return JNI_ERR;
  }
  env->DeleteLocalRef(library);
  const Native of_lags[] = {
      {"nativeWatch", "([Ljava/lang/String;[J)I", address(watch_lags)},
      {"nativeStop", "(Z)I", address(unwatch_lags)},
      {"nativeNext", "(J)Ljava/lang/String;", address(next_lag)},
      {"nativeCrashed", "()V", address(crashed)},
      {"nativeInFront", "(Z)V", address(in_front)},
      {"nativeLastEnd", "()I", address(last_end)},
      {"nativeCorrectLastEnd", "(I)V", address(correct_last_end)},
      {"nativeLags", "()J", address(lags)},
  };
  // An app's shrinker leaves the class out where nothing uses it.
  jclass watch = env->FindClass("btrace/LagWatch");
  if (!watch) {
    env->ExceptionClear();
    return JNI_VERSION_1_6;
  }
  for (const Native& native : of_lags) {
    JNINativeMethod method{const_cast<char*>(native.name), const_cast<char*>(native.signature), native.function};
    if (env->RegisterNatives(watch, &method, 1) != JNI_OK) return JNI_ERR;
  }
  env->DeleteLocalRef(watch);
  return JNI_VERSION_1_6;
}
