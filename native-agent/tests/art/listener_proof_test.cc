// When a listener is believed, against calls as a runtime might make them, and by which bit a stop is told.
#include "rt/art/listener_proof.h"

#include <thread>

#include "harness.h"
#include "reads_memory.h"

using namespace btrace;
using namespace btrace::art;

namespace {

TEST("listener proof: the calls that were asked for, on the thread that asked, in their order, prove it") {
  ListenerProof proof{};
  auto call = [&](u32 place) {
    if (proof.is_asking()) proof.see(place);
  };
  CHECK(proof.prove(2, [&] { call(0), call(1); }));
  CHECK(proof.holds());
  proof.forget();
  CHECK(!proof.holds());
  CHECK(!proof.prove(2, [] {}));
  CHECK(!proof.prove(2, [&] { call(0); }));
  CHECK(!proof.prove(2, [&] { call(1), call(0); }));
  CHECK(!proof.prove(1, [&] { std::thread(call, 0).join(); }));
  // Nobody asks.
  call(0);
  CHECK(!proof.holds());
  // One that fails later is not believed any more.
  CHECK(proof.prove(1, [&] { call(0); }));
  CHECK(!proof.prove(1, [] {}));
  CHECK(!proof.holds());
}

TEST("listener proof: an array is told by its length, and what is not there is none") {
  struct {
    Object head{1, 0};
    u32 length = kProofArrayLength;
  } array;
  const auto at = reinterpret_cast<uintptr_t>(&array);
  CHECK_EQUAL(is_proof_array(at), reads_memory());
  array.length = 7;
  CHECK(!is_proof_array(at));
  CHECK(!is_proof_array(0));
  CHECK(!is_proof_array(8));
  CHECK(!is_class_object(8));
  CHECK_EQUAL(reference_in(reinterpret_cast<const void*>(8)), 0u);
  CHECK(may_be_proof_array(kProofArrayLength + 16));
  CHECK(!may_be_proof_array(16));
  // As what comes before an allocation is told: with a pointer to its size.
  CHECK(!may_be_proof_array(reinterpret_cast<size_t>(&array)));
}

TEST("listener proof: the bit that asks a thread to stop is the one that a stop alone sets") {
  constexpr u32 kStop = 1, kCheckpoint = 2;
  const u32 state = 91u << 16;
  u32 thread[1] = {state | kStop};
  auto* address = reinterpret_cast<const ArtThread*>(thread);
  StopFlag flag{};
  CHECK(!flag.is_set(address));
  CHECK(!flag.learn(0, 0, 0));
  CHECK(!flag.learn(kStop, kStop, kStop));
  CHECK(!flag.learn(0, kStop | kCheckpoint, 0));
  CHECK(!flag.learn(kStop, 0, kStop));
  // Another stop was under way, before or after.
  CHECK(!flag.learn(kStop, kStop, 0));
  CHECK(!flag.learn(kStop, kStop | kCheckpoint, 0));
  CHECK(!flag.learn(0, kStop, kStop));
  CHECK(!flag.is_known());
  // Something else was asked for before: a second stop has to say the same.
  StopFlag beside{};
  CHECK(!beside.learn(kCheckpoint, kStop, 0));
  CHECK(!beside.learn(kStop, kCheckpoint, 0));
  CHECK(!beside.learn(0, kStop, kCheckpoint));
  CHECK(beside.learn(kCheckpoint, kStop, 0));
  CHECK(flag.learn(0, kStop, 0));
  CHECK(flag.is_known());
  CHECK_EQUAL(flag.is_set(address), reads_memory());
  thread[0] = state | kCheckpoint;
  CHECK(!flag.is_set(address));
  StopFlag other{};
  CHECK(other.learn(kCheckpoint, kStop | kCheckpoint, kCheckpoint));
  thread[0] = state | kStop;
  CHECK_EQUAL(other.is_set(address), reads_memory());
}

}  // namespace
