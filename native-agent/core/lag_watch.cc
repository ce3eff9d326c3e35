#include "core/lag_watch.h"

namespace btrace {

// ---------------------------------------------------------------- the costliest stack

void RecentStacks::add(i64 time_ns, const LagStack& stack) {
  stacks_[taken_ % kStacks] = {time_ns, stack};
  taken_++;
}

RecentStacks::Costliest RecentStacks::costliest(i64 begin_ns, i64 end_ns) const {
  Costliest best{};
  const u32 count = min_of(taken_, kStacks);
  // From the latest on: an earlier one is taken only if it has more repeats.
  for (u32 age = 0; age < count; age++) {
    const Taken taken = at(age);
    if (taken.time_ns < begin_ns || taken.time_ns > end_ns || !taken.stack.innermost) continue;
    best.of++;
    u32 repeats = 0;
    for (u32 other = 0; other < count; other++) {
      const Taken equal = at(other);
      repeats += equal.time_ns >= begin_ns && equal.time_ns <= end_ns &&
                 equal.stack.innermost == taken.stack.innermost;
    }
    if (repeats > best.repeats) {
      best.stack = taken.stack;
      best.repeats = repeats;
    }
  }
  return best;
}

// ---------------------------------------------------------------- annealing

bool Annealing::is_known(u64 stack) const {
  for (u32 i = 0; i < min_of(known_count_, kKnown); i++)
    if (known_[i] == stack) return true;
  return false;
}

bool Annealing::should_write(i64 now, u64 stack, bool is_new) {
  if (is_new) pause_ = next_pause_ = 1;
  const bool known = is_known(stack);
  if (known) {
    unwritten_ += is_new;
    next_ns_ = now + look_ns_ * pause_;
    const u32 after = pause_ + next_pause_;
    pause_ = next_pause_;
    next_pause_ = after;
    return false;
  }
  if (is_new) known_count_ = 0;
  known_[known_count_++ % kKnown] = stack;
  unwritten_ = 0;
  // 1, 1, 2, 3, 5 … from here.
  next_ns_ = now + look_ns_;
  pause_ = 1;
  next_pause_ = 2;
  return true;
}

void Annealing::end() {
  next_ns_ = 0;
  pause_ = next_pause_ = 1;
}

// ---------------------------------------------------------------- messages

void MessageWatch::note(i64 begin_ns, i64 end_ns) {
  if (end_ns - begin_ns < limit_ns_ || begin_ns == reported_ns_) return;
  // Of more than these the watch's thread was held up itself: the oldest are counted, and no more.
  if (ended_count_ == kEnded) {
    lags_++;
    for (u32 i = 1; i < kEnded; i++) ended_[i - 1] = ended_[i];
    ended_count_--;
  }
  ended_[ended_count_++] = {begin_ns, end_ns, true};
}

void MessageWatch::end_message(i64 end_ns) {
  if (since_ns_ && end_ns > since_ns_) note(since_ns_, end_ns);
  since_ns_ = 0;
}

void MessageWatch::waited(i64 begin_ns, i64 end_ns) {
  if (end_ns <= told_ns_) return;
  end_message(begin_ns);
  since_ns_ = told_ns_ = end_ns;
}

void MessageWatch::waits_since(i64 begin_ns) {
  end_message(begin_ns);
}

void MessageWatch::works_at(i64 now) {
  if (!since_ns_) since_ns_ = now;
}

void MessageWatch::handled(i64 begin_ns, i64 end_ns) {
  if (end_ns <= told_ns_) return;
  note(begin_ns, end_ns);
  told_ns_ = end_ns;
  if (since_ns_ <= begin_ns) since_ns_ = 0;
}

void MessageWatch::handles_since(i64 begin_ns) {
  since_ns_ = begin_ns;
}

bool MessageWatch::look(i64 now, Lag& lag, bool is_known) {
  if (ended_count_) {
    lag = ended_[0];
    for (u32 i = 1; i < ended_count_; i++) ended_[i - 1] = ended_[i];
    ended_count_--;
    lags_++;
    reported_ns_ = lag.begin_ns;
    return true;
  }
  if (!is_known || !since_ns_ || now - since_ns_ < limit_ns_) return false;
  lag = {since_ns_, 0, since_ns_ != reported_ns_};
  lags_ += lag.is_new;
  reported_ns_ = since_ns_;
  return true;
}

// ---------------------------------------------------------------- processors

u32 CpuWatch::look(i64 now, i64 cpu_ns) {
  const i64 took_ns = now - last_ns_;
  const bool is_first = !last_ns_;
  percent_ = is_first || took_ns <= 0 ? 0 : static_cast<u32>(max_of<i64>(cpu_ns - last_cpu_ns_, 0) * 100 / took_ns);
  if (limit_percent_ && percent_ > limit_percent_) {
    if (!above_++) since_ns_ = last_ns_;
  } else {
    above_ = 0;
  }
  last_ns_ = now;
  last_cpu_ns_ = cpu_ns;
  return above_;
}

// ---------------------------------------------------------------- who writes

namespace {

constexpr u64 kFnvBasis = 0xcbf29ce484222325, kFnvPrime = 0x100000001b3;

// The low bits of FNV alone are no good lot.
u64 mixed(u64 hash) {
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

}  // namespace

u64 stable_hash(const char* text) {
  u64 hash = kFnvBasis;
  while (*text) hash = (hash ^ static_cast<u8>(*text++)) * kFnvPrime;
  return mixed(hash);
}

bool LagQuota::is_drawn(u64 user, i64 day) const {
  return always || share_permille >= 1000 ||
         mixed(user ^ (static_cast<u64>(day) * kFnvPrime + kFnvBasis)) % 1000 < share_permille;
}

}  // namespace btrace
