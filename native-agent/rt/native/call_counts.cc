#include "rt/native/call_counts.h"

#include "base/libc.h"
#include "base/pages.h"
#include "rt/native/counting_stubs.h"

namespace btrace::native {

static_assert(CallCounts::kFunctions == stubs::kStubs && CallCounts::kFunctions <= Imports::kPointers);
static_assert(CallCounts::kColumns == stubs::kColumns);

namespace {
constexpr size_t kCounts = size_t{CallCounts::kColumns} * CallCounts::kFunctions;
}  // namespace

bool CallCounts::are_possible() {
  return stubs::are_possible();
}

bool CallCounts::begin() {
  if (!known_) known_ = map_array<CalledFunction>(kFunctions);
  if (!places_) places_ = map_array<void**>(kFunctions);
  if (!told_) told_ = map_array<u64>(kCounts);
  if (!names_) names_ = static_cast<char*>(map_pages(kNameBytes));
  if (!stubs::has_columns())
    if (u64* columns = map_array<u64>(kCounts)) stubs::give_columns(columns);
  if (!imports_.init() || !known_ || !places_ || !told_ || !names_ || !stubs::has_columns()) return false;
  calls_ = {};
  for (u32 number = 0; number < functions_; number++) known_[number].caller = known_[number].library = Images::kNone;
  for (u32 column = 0; column < stubs::columns(); column++)
    for (u32 number = 0; number < kFunctions; number++)
      if (const u64 count = stubs::count_of(column, number)) told_[size_t{column} * kFunctions + number] = count;
  return true;
}

u32 CallCounts::number_of(const CallPointer& call) {
  u16& first = first_of_[reinterpret_cast<uintptr_t>(call.place) / sizeof(void*) % kFunctions];
  for (u32 one = first; one; one = next_of_[one - 1])
    if (places_[one - 1] == call.place && strcmp(known_[one - 1].name, call.name) == 0) return one - 1;
  const size_t bytes = strlen(call.name) + 1;
  if (functions_ == kFunctions || bytes > kNameBytes - name_bytes_) return kFunctions;
  char* name = names_ + name_bytes_;
  memcpy(name, call.name, bytes);
  name_bytes_ += bytes;
  next_of_[functions_] = first;
  first = static_cast<u16>(functions_ + 1);
  places_[functions_] = call.place;
  known_[functions_] = {name, Images::kNone, Images::kNone, false};
  return functions_++;
}

void* CallCounts::redirect(void* self, const CallPointer& call) {
  auto& counts = *static_cast<CallCounts*>(self);
  if (stubs::number_of(call.now) < kFunctions) return call.now;
  const u32 number = counts.number_of(call);
  if (number == kFunctions) return nullptr;
  CalledFunction& function = counts.known_[number];
  function.caller = counts.images_->number_of(reinterpret_cast<uintptr_t>(call.place));
  // What the loader has not bound yet leads back into the caller.
  const u32 image = counts.images_->number_of(reinterpret_cast<uintptr_t>(call.now));
  if (image != function.caller) function.library = image;
  stubs::set_target(number, call.place, call.now);
  return stubs::at(number);
}

void CallCounts::count_imports(Images& images, const char* except) {
  images_ = &images;
  calls_ = imports_.bind_calls(redirect, this, except);
}

bool CallCounts::next(u64& at, CallCount& count) {
  for (const u64 end = u64{stubs::columns()} * kFunctions; at < end;) {
    const auto column = static_cast<u32>(at / kFunctions), number = static_cast<u32>(at % kFunctions);
    if (number >= functions_) {
      at += kFunctions - number;
      continue;
    }
    u64& told = told_[at++];
    const u64 now = stubs::count_of(column, number);
    if (now == told) continue;
    count = {number, stubs::tid_of(column), now - told};
    told = now;
    return true;
  }
  return false;
}

}  // namespace btrace::native
