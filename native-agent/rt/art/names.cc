// Names from the dex file, and of ART's own structures where they lie in memory: nothing holds the class of a method
// that was captured, so that it may go while it is looked at. What is read is told only once it is whole.
#include "base/libc.h"
#include "base/pages.h"
#include "os/fault_guard.h"
#include "rt/art/art.h"
#include "rt/art/class_key.h"
#include "rt/art/method_code.h"
#include "rt/art/points.h"
#include "rt/art/runnable.h"

namespace btrace::art {

namespace {

constexpr size_t kNameRoom = 64 * 1024;
constexpr size_t kSignatureRoom = 2048;
constexpr u32 kMaxLines = 65536;
constexpr u32 kAccNative = 0x100;

// All that is said of a method.
struct ReadMethod {
  u64 code;
  bool whole;
  bool native;
  u64 owner_key;
  ClassName owner;
  char name[kNameRoom];
  char signature[kSignatureRoom];
  LineEntry lines[kMaxLines];
  u32 line_count;
};

bool read(ReadMethod& to) {
  MethodWords words;
  if (!read_method(to.code, words)) return false;
  const u32 index = dex_index(words);
  to.owner_key = class_key(words.declaring_class);
  // A proxy's method is told as the one of the interface that it is: that says more than the class's number.
  MethodWords prototype;
  const bool of_proxy = is_proxy(to.owner_key) && read_prototype(to.code, words, prototype);
  if (of_proxy) to.owner_key = class_key(prototype.declaring_class);
  DexFile::Method method;
  if (!to.owner_key || !name_of_class(to.owner_key, to.owner) || !to.owner.in_dex ||
      !to.owner.dex.method(index, method) || method.class_index != to.owner.type_index)
    return false;
  const size_t length = min_of(strlen(method.name), sizeof to.name - 1);
  memcpy(to.name, method.name, length);
  to.name[length] = 0;
  if (!to.owner.dex.signature(method.proto_index, to.signature, sizeof to.signature)) to.signature[0] = 0;
  to.native = words.access_flags & kAccNative;
  if (!to.native && !of_proxy)
    to.line_count = to.owner.dex.lines(to.owner.class_def, index, to.lines, kMaxLines);
  return read_method(to.code, words);
}

void read_guarded(ReadMethod& method) {
  FaultGuard guard;
  auto body = [](void* data) {
    auto& to = *static_cast<ReadMethod*>(data);
    to.whole = read(to);
  };
  if (!guarded(body, &method)) method.whole = false;
}

u32 add_class(u64 key, const ClassName& name, NameSink& sink) {
  return sink.add_class(key, name.text, name.file[0] ? name.file : nullptr);
}

}  // namespace

bool Art::name_method(u64 code, NameSink& sink) {
  if (code < kStubs) {
    const char* const names[] = {"", "[garbage collection]", "[inside the runtime]", "[native thread]"};
    sink.set_method(0, names[code], nullptr, MethodKind::Stub, nullptr, 0);
    return true;
  }
  ReadMethod* method = map_array<ReadMethod>(1);
  if (method) {
    method->code = code;
    auto look = [&](ArtThread*) { read_guarded(*method); };
    // The collector does not take away what a Runnable thread reads. After the hooks have gone nothing can be.
    if (!run_as_runnable(internals.env(), look)) read_guarded(*method);
  }
  const bool named = method && method->whole;
  if (named) {
    u32 owner = sink.class_id(method->owner_key);
    if (!owner) owner = add_class(method->owner_key, method->owner, sink);
    sink.set_method(owner, method->name, method->signature[0] ? method->signature : nullptr,
                    method->native ? MethodKind::ManagedNative : MethodKind::Managed, method->lines,
                    method->line_count);
  } else {
    sink.set_method(0, "[unloaded]", nullptr, MethodKind::Unresolved, nullptr, 0);
  }
  unmap_array(method, 1);
  return named;
}

bool Art::name_class(u64 key, NameSink& sink) {
  struct {
    u64 key;
    bool whole;
    ClassName name;
  } wanted;
  wanted.key = key;
  auto body = [](void* data) {
    auto& to = *static_cast<decltype(wanted)*>(data);
    to.whole = name_of_class(to.key, to.name);
  };
  FaultGuard guard;
  if (guarded(body, &wanted) && wanted.whole) return add_class(key, wanted.name, sink) != 0;
  sink.add_class(key, "[unloaded]", nullptr);
  return false;
}

}  // namespace btrace::art
