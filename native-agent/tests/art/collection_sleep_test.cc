// Which sleep was an allocation's wait for a collection.
#include "rt/art/collection_sleep.h"

#include "harness.h"

using namespace btrace;
using namespace btrace::art;

namespace {

constexpr i64 kMs = 1'000'000;
using Moment = CollectionSleep::Moment;

CollectionSleep after_sleep(i64 begin_ns, const Moment& woke) {
  CollectionSleep sleep{};
  CHECK(!sleep.is_open());
  sleep.slept(begin_ns, woke);
  CHECK(sleep.is_open());
  return sleep;
}

}  // namespace

TEST("collection sleep: an object that comes at once was waited for, and is told of once") {
  CollectionSleep sleep = after_sleep(100 * kMs, {120 * kMs, 7 * kMs, 3});
  CHECK_EQUAL(sleep.end({120 * kMs + kMs / 2, 7 * kMs + kMs / 2, 4}), 100 * kMs);
  CHECK(!sleep.is_open());
  CHECK_EQUAL(sleep.end({120 * kMs + kMs / 2, 7 * kMs + kMs / 2, 4}), i64{0});
}

TEST("collection sleep: so was one whose thread got the processor late, however late") {
  for (i64 late : {2 * kMs, 80 * kMs, 5000 * kMs}) {
    CollectionSleep sleep = after_sleep(100 * kMs, {120 * kMs, 7 * kMs, 3});
    CHECK_EQUAL(sleep.end({120 * kMs + late, 7 * kMs + kMs / 10, 3}), 100 * kMs);
  }
}

TEST("collection sleep: a thread that has worked since allocates for something else") {
  CollectionSleep sleep = after_sleep(100 * kMs, {120 * kMs, 7 * kMs, 3});
  CHECK_EQUAL(sleep.end({124 * kMs, 10 * kMs, 3}), i64{0});
}

TEST("collection sleep: so does one that has waited for something else since") {
  CollectionSleep sleep = after_sleep(100 * kMs, {120 * kMs, 7 * kMs, 3});
  CHECK_EQUAL(sleep.end({900 * kMs, 7 * kMs + kMs / 10, 4}), i64{0});
  sleep = after_sleep(100 * kMs, {120 * kMs, 7 * kMs, 3});
  sleep.forget();
  CHECK_EQUAL(sleep.end({120 * kMs, 7 * kMs, 3}), i64{0});
}

TEST("collection sleep: several in a row are one wait, also where each comes late") {
  CollectionSleep sleep = after_sleep(100 * kMs, {120 * kMs, 7 * kMs, 3});
  sleep.sleeps({150 * kMs, 7 * kMs, 3});
  sleep.slept_shortly({151 * kMs, 7 * kMs, 4});
  sleep.sleeps({190 * kMs, 7 * kMs, 4});
  sleep.slept(190 * kMs, {200 * kMs, 7 * kMs, 5});
  CHECK_EQUAL(sleep.end({260 * kMs, 7 * kMs, 5}), 100 * kMs);
  // What lies before work is none of it.
  sleep = after_sleep(100 * kMs, {120 * kMs, 7 * kMs, 3});
  sleep.sleeps({150 * kMs, 30 * kMs, 3});
  sleep.slept(150 * kMs, {160 * kMs, 30 * kMs, 4});
  CHECK_EQUAL(sleep.end({161 * kMs, 30 * kMs, 4}), 150 * kMs);
}
