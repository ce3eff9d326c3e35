#pragma once
// A thin word for the compiler's atomics: libstdc++'s <atomic> is not there in a freestanding build.
#include "base/types.h"

namespace btrace {

template <class T>
class Atomic {
 public:
  T load_relaxed() const { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }
  T load_acquire() const { return __atomic_load_n(&value_, __ATOMIC_ACQUIRE); }
  T load() const { return __atomic_load_n(&value_, __ATOMIC_SEQ_CST); }
  void store_relaxed(T v) { __atomic_store_n(&value_, v, __ATOMIC_RELAXED); }
  void store_release(T v) { __atomic_store_n(&value_, v, __ATOMIC_RELEASE); }
  void store(T v) { __atomic_store_n(&value_, v, __ATOMIC_SEQ_CST); }
  T exchange(T v) { return __atomic_exchange_n(&value_, v, __ATOMIC_SEQ_CST); }
  T add_relaxed(T v) { return __atomic_fetch_add(&value_, v, __ATOMIC_RELAXED); }
  T add(T v) { return __atomic_fetch_add(&value_, v, __ATOMIC_SEQ_CST); }
  T subtract(T v) { return __atomic_fetch_sub(&value_, v, __ATOMIC_SEQ_CST); }
  // On failure `expected` holds what was there.
  bool swap_if(T& expected, T desired) {
    return __atomic_compare_exchange_n(&value_, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);
  }

 private:
  T value_;
};

}  // namespace btrace
