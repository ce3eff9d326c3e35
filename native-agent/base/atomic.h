#pragma once
// A thin word for the compiler's atomics: libstdc++'s <atomic> is not there in a freestanding build.
#include "base/types.h"

namespace btrace {

template <class T>
class Atomic {
 public:
  T load_relaxed() const { return load_with<__ATOMIC_RELAXED>(); }
  T load_acquire() const { return load_with<__ATOMIC_ACQUIRE>(); }
  T load() const { return load_with<__ATOMIC_SEQ_CST>(); }
  void store_relaxed(T v) { __atomic_store(&value_, &v, __ATOMIC_RELAXED); }
  void store_release(T v) { __atomic_store(&value_, &v, __ATOMIC_RELEASE); }
  void store(T v) { __atomic_store(&value_, &v, __ATOMIC_SEQ_CST); }
  T exchange(T v) {
    T before;
    __atomic_exchange(&value_, &v, &before, __ATOMIC_SEQ_CST);
    return before;
  }
  T add_relaxed(T v) { return __atomic_fetch_add(&value_, v, __ATOMIC_RELAXED); }
  T add(T v) { return __atomic_fetch_add(&value_, v, __ATOMIC_SEQ_CST); }
  T subtract(T v) { return __atomic_fetch_sub(&value_, v, __ATOMIC_SEQ_CST); }
  void set_bits(T v) { __atomic_fetch_or(&value_, v, __ATOMIC_SEQ_CST); }
  void clear_bits(T v) { __atomic_fetch_and(&value_, ~v, __ATOMIC_SEQ_CST); }
  // On failure `expected` holds what was there.
  bool swap_if(T& expected, T desired) {
    return __atomic_compare_exchange(&value_, &expected, &desired, false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE);
  }

 private:
  template <int kOrder>
  T load_with() const {
    T value;
    __atomic_load(&value_, &value, kOrder);
    return value;
  }

  T value_;
};

}  // namespace btrace
