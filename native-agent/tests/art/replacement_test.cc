// Standing in for native methods, with methods laid out as the versions of ART have them and a RegisterNatives that
// writes as theirs do.
#include "rt/art/replacement.h"

#include <string>

#include "harness.h"
#include "reads_memory.h"
#include "rt/art/art.h"

using namespace btrace;
using namespace btrace::art;

namespace {

constexpr u32 kNative = 0x100;

struct Method {
  u32 head[4] = {1, kNative, 0, 7};
  void* words[4] = {};
};

void the_original() {}
void ours() {}
void looks_it_up() {}

JNINativeInterface_ g_table{};

struct World {
  void* thread[512] = {};
  // As in ART, the thread stands beside the table.
  struct {
    const JNINativeInterface_* functions;
    void* thread;
  } beside{&g_table, thread};
  Method bystander, method;
  u32 word = 0;           // of a method's, where RegisterNatives writes
  bool counts = false;    // it writes somewhere else, too
  int registered = 0;     // of `method`
  bool refuses = false, exists = true;
  Session* session = open_session(Config{});
  Replacement replacement = {"hook", "a/Class", "method", "()V", address(ours), SampleKind::Wait, false};

  explicit World(u32 native_entry);
  ~World() {
    close_session(*session);
    g_art.internals.method_native_entry = 0;
    g_art.internals.image = {};
  }
  JNIEnv* env() { return reinterpret_cast<JNIEnv*>(&beside); }
  std::string put() {
    const char* why = put_in(*session, env(), replacement);
    return why ? why : "";
  }
  void* now() const { return method.words[word]; }
};
World* g_world;

template <class T>
T id(Method& method) {
  return reinterpret_cast<T>(&method);
}

World::World(u32 native_entry) : word(native_entry) {
  g_world = this;
  const auto* libart = static_cast<const u8*>(address(looks_it_up));
  g_art.internals.image = {libart, libart + 1};
  bystander.words[word] = address(looks_it_up);
  method.words[word] = address(the_original);
  thread[200] = address(looks_it_up);
  g_table.FindClass = [](JNIEnv*, const char*) { return reinterpret_cast<jclass>(1); };
  g_table.GetFieldID = [](JNIEnv*, jclass, const char*, const char*) { return reinterpret_cast<jfieldID>(1); };
  g_table.GetMethodID = [](JNIEnv*, jclass, const char*, const char*) {
    return g_world->exists ? id<jmethodID>(g_world->method) : nullptr;
  };
  g_table.GetStaticMethodID = [](JNIEnv*, jclass, const char*, const char*) {
    return id<jmethodID>(g_world->bystander);
  };
  g_table.ExceptionCheck = [](JNIEnv*) -> jboolean { return JNI_FALSE; };
  g_table.NewGlobalRef = [](JNIEnv*, jobject object) { return object; };
  g_table.ToReflectedMethod = [](JNIEnv*, jclass, jmethodID found, jboolean) {
    return reinterpret_cast<jobject>(found);
  };
  g_table.GetLongField = [](JNIEnv*, jobject found, jfieldID) { return reinterpret_cast<jlong>(found); };
  g_table.RegisterNatives = [](JNIEnv*, jclass, const JNINativeMethod* native, jint) -> jint {
    const bool is_ours = native->name == std::string("method");
    if (is_ours && g_world->refuses) return JNI_ERR;
    Method& to = is_ours ? g_world->method : g_world->bystander;
    g_world->registered += is_ours;
    to.words[g_world->word] = native->fnPtr;
    if (g_world->counts) to.words[(g_world->word + 1) % 3] = native->fnPtr;
    return JNI_OK;
  };
}

void nothing_is_found() {
  World world(1);
  CHECK_EQUAL(world.put(), "the original could not be found");
  CHECK_EQUAL(world.registered, 0);
}

TEST("art replacement: wherever a version keeps a method's function, the original is found, and is put back") {
  if (!reads_memory()) return nothing_is_found();
  // Of 64 bits: Android 8 at 32, 9 to 11 at 24, 12 and later at 16; of 32 bits 24, 20 and 16.
  for (u32 word = 0; word < 3; word++) {
    World world(word);
    CHECK_EQUAL(world.put(), "");
    CHECK_EQUAL(g_art.internals.method_native_entry, static_cast<u32>(16 + word * sizeof(void*)));
    CHECK(world.replacement.original.load() == address(the_original));
    CHECK(world.now() == address(ours));
    CHECK(world.bystander.words[word] == address(looks_it_up));
    CHECK(world.session->hook_state("hook") == HookState::Installed);
    take_out(*world.session, world.env(), world.replacement);
    CHECK(world.now() == address(the_original));
    CHECK(world.session->hook_state("hook") == HookState::Removed);
    // The next recording knows it.
    world.method.words[word] = nullptr;
    CHECK_EQUAL(world.put(), "");
    CHECK(world.replacement.original.load() == address(the_original));
  }
}

TEST("art replacement: nothing stands in for what is not found, is no native method, or was never looked up") {
  if (!reads_memory()) return nothing_is_found();
  struct {
    void (*change)(World&);
    const char* why;
  } const cases[] = {
      {[](World& world) { world.counts = true; }, "the original could not be found"},
      {[](World& world) { world.bystander.words[1] = &world; }, "the original could not be found"},
      {[](World& world) { world.method.words[1] = nullptr; }, "the original could not be found"},
      {[](World& world) { world.method.head[1] = 0; }, "this Android's method is no native one"},
      {[](World& world) { world.method.words[1] = address(looks_it_up); }, "the original has not been looked up yet"},
  };
  for (const auto& [change, why] : cases) {
    World world(1);
    change(world);
    CHECK_EQUAL(world.put(), why);
    CHECK_EQUAL(world.registered, 0);
    CHECK(!world.replacement.installed);
    CHECK(world.session->hook_state("hook") == HookState::Missing);
  }
  // A method of the same hook that other versions have does not hide that.
  World world(1);
  world.method.words[1] = address(looks_it_up);
  world.put();
  world.exists = false;
  CHECK_EQUAL(world.put(), "this Android has no such method");
  CHECK_EQUAL(std::string(world.session->hook("hook")->why), "the original has not been looked up yet");
}

TEST("art replacement: a hook that ART refuses is not in") {
  if (!reads_memory()) return nothing_is_found();
  World world(1);
  world.refuses = true;
  CHECK_EQUAL(world.put(), "ART refused it");
  CHECK(!world.replacement.installed);
}

}  // namespace
