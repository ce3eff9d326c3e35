#include "os/unwind_table.h"

#include "base/libc.h"
#include "os/machine.h"

namespace btrace {

namespace {

#if defined(__x86_64__)
constexpr u64 kFrame = 6, kStack = 7, kReturn = 16;
#elif defined(__aarch64__)
constexpr u64 kFrame = 29, kStack = 31, kReturn = 30;
#else
constexpr u64 kFrame = 11, kStack = 13, kReturn = 14;
#endif

// How an address is written: absolute, or 4 or 8 bytes counted from where they lie.
constexpr u8 kAbsolute = 0x00, kNear = 0x1b, kFar = 0x1c;

// Copies parts of a library: plainly where it is known to stay.
class Source {
 public:
  Source(const UnwindTable& table, bool is_kept)
      : begin_(table.segment_begin), end_(is_kept ? table.segment_end : table.segment_begin) {}
  bool read(uintptr_t from, void* to, size_t bytes) const {
    if (from < begin_ || from > end_ || bytes > end_ - from)
      return read_memory(reinterpret_cast<const void*>(from), to, bytes);
    memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return true;
  }

 private:
  uintptr_t begin_, end_;
};

// A copy of an entry of the tables (CIE or FDE). Beyond its end it gives zeros, and says so.
class Copy {
 public:
  // As much of it as there is room for; most are as short as can be read without knowing how long they are.
  bool take_entry(const Source& source, uintptr_t from) {
    constexpr u32 kWide = 0xffffffff;
    constexpr size_t kUsual = 256;
    const auto read = [&](size_t begin, size_t end) { return source.read(from + begin, bytes_ + begin, end - begin); };
    u32 length;
    const size_t got = read(0, kUsual) ? kUsual : sizeof length;
    if (got != kUsual && !read(0, got)) return false;
    memcpy(&length, bytes_, sizeof length);
    if (!length || length == kWide) return false;
    const size_t size = sizeof length + length;
    from_ = from;
    at_ = sizeof length;
    end_ = min_of(size, sizeof bytes_);
    is_cut_ = end_ < size;
    return end_ <= got || read(got, end_);
  }
  template <class T>
  T get() {
    T value{};
    if (end_ - at_ >= sizeof value) memcpy(&value, bytes_ + at_, sizeof value);
    skip(sizeof value);
    return value;
  }
  u64 unsigned_number() {
    u32 bits = 0;
    return number(bits);
  }
  i64 signed_number() {
    u32 bits = 0;
    const u64 value = number(bits);
    const bool negative = bits < 64 && value >> (bits - 1) & 1;
    return static_cast<i64>(negative ? value | ~u64{0} << bits : value);
  }
  u64 address(u8 encoding) {
    const u64 from = here();
    if (encoding == kNear) return from + static_cast<u64>(i64{get<i32>()});
    return encoding == kFar ? from + get<u64>() : get<u64>();
  }
  void skip(u64 bytes) {
    if (bytes > end_ - at_) is_whole_ = false;
    at_ += min_of<u64>(bytes, end_ - at_);
  }
  void go_to(u64 place) {
    if (place < here())
      is_whole_ = false;
    else
      skip(place - here());
  }
  u64 here() const { return from_ + at_; }
  bool at_end() const { return at_ == end_; }
  bool is_whole() const { return is_whole_; }  // nobody has read beyond its end
  bool is_cut() const { return is_cut_; }      // there was no room for all of it

 private:
  u64 number(u32& bits) {
    u64 value = 0;
    u8 byte;
    do {
      byte = get<u8>();
      if (bits < 64) value |= u64{byte & 0x7fu} << bits;
      bits += 7;
    } while (byte & 0x80);
    return value;
  }

  u8 bytes_[1024];
  uintptr_t from_ = 0;
  size_t at_ = 0, end_ = 0;
  bool is_whole_ = true, is_cut_ = false;
};

// What all functions of a compilation have in common (CIE).
struct Common {
  u64 code_step;
  i64 data_step;
  u8 encoding;
};

// Executes the instructions by which a table tells how a function's frame comes and goes.
class Program {
 public:
  Program(const Common& common, u64 begin, u64 address) : common_(common), at_(begin), address_(address) {}

  // As far as it concerns the address; false: it says what is not understood.
  bool run(Copy& code) {
    while (at_ <= address_ && !code.at_end())
      if (!step(code) || !code.is_whole()) return false;
    return true;
  }
  // What has been said so far holds where each function begins.
  void end_of_common() { initial_ = rule_; }
  // It was cut off before the address.
  bool passed() const { return at_ > address_; }
  const UnwindRule& rule() const { return rule_; }

 private:
  using Saved = UnwindRule::Saved;
  using Base = UnwindRule::Base;

  bool step(Copy& code) {
    const u8 byte = code.get<u8>();
    switch (byte >> 6) {
      case 1: return advance(byte & 0x3f);
      case 2: return save(byte & 0x3f, scaled(code.unsigned_number()));
      case 3: return restore(byte & 0x3f);
      default: break;
    }
    switch (byte) {
      case 0x00:  // nothing
      case 0x2d:  // the return address is signed from here on, or is not any more
        return true;
      case 0x02: return advance(code.get<u8>());
      case 0x03: return advance(code.get<u16>());
      case 0x04: return advance(code.get<u32>());
      case 0x0a: return remember();
      case 0x0b: return recall();
      case 0x0e: return count(static_cast<i64>(code.unsigned_number()));
      case 0x0f: return count_by_expression(code);
      case 0x13: return count(scaled(code.signed_number()));
      case 0x2e: code.unsigned_number(); return true;  // bytes of arguments
      default: break;
    }
    const u64 number = code.unsigned_number();
    switch (byte) {
      case 0x05: return save(number, scaled(code.unsigned_number()));
      case 0x06: return restore(number);
      case 0x07: return set(number, Saved::Lost);
      case 0x08: return set(number, Saved::Kept);
      case 0x0c: return count_from(number) && count(static_cast<i64>(code.unsigned_number()));
      case 0x0d: return count_from(number);
      case 0x10: return save_by_expression(number, code);
      case 0x11: return save(number, scaled(code.signed_number()));
      case 0x12: return count_from(number) && count(scaled(code.signed_number()));
      case 0x09:  // in another register
      case 0x14:  // a value that lies nowhere
      case 0x15: code.unsigned_number(); return set(number, Saved::Lost);
      case 0x16: code.skip(code.unsigned_number()); return set(number, Saved::Lost);
      default: return false;
    }
  }

  i64 scaled(u64 steps) const { return static_cast<i64>(steps * static_cast<u64>(common_.data_step)); }
  i64 scaled(i64 steps) const { return scaled(static_cast<u64>(steps)); }

  bool advance(u64 by) {
    at_ += by * common_.code_step;
    return true;
  }
  bool remember() {
    if (depth_ == kRemembered) return false;
    remembered_[depth_++] = rule_;
    return true;
  }
  bool recall() {
    if (!depth_) return false;
    rule_ = remembered_[--depth_];
    return true;
  }

  static UnwindRule::Word* word_of(UnwindRule& rule, u64 number) {
    return number == kFrame ? &rule.frame : number == kReturn ? &rule.link : nullptr;
  }
  bool set(u64 number, Saved how, i64 offset = 0) {
    const auto small = static_cast<i16>(offset);
    if (UnwindRule::Word* word = word_of(rule_, number)) *word = {offset == small ? how : Saved::Lost, small};
    return true;
  }
  bool save(u64 number, i64 offset) { return set(number, Saved::AtCfa, offset); }
  bool restore(u64 number) {
    if (UnwindRule::Word* word = word_of(rule_, number)) *word = *word_of(initial_, number);
    return true;
  }

  bool count_from(u64 number) {
    rule_.base = number == kFrame ? Base::Frame : number == kStack ? Base::Stack : Base::Elsewhere;
    rule_.by_word = false;
    return true;
  }
  bool count(i64 offset) {
    rule_.offset = static_cast<i32>(offset);
    return offset == rule_.offset;
  }

  // Of expressions those are understood by which a function that aligns its stack finds what lies above: a register and
  // so much, and the word that lies there.
  struct Expression {
    u64 number;
    i64 offset;
    bool is_word, is_understood;
  };
  static Expression expression(Copy& code) {
    constexpr u8 kFirstRegister = 0x70, kLastRegister = 0x8f, kReadWord = 0x06;
    const u64 bytes = code.unsigned_number(), end = code.here() + bytes;
    const u8 what = code.get<u8>();
    Expression found{what - u64{kFirstRegister}, code.signed_number(), false, false};
    if (code.here() + 1 == end) found.is_word = code.get<u8>() == kReadWord;
    found.is_understood = what >= kFirstRegister && what <= kLastRegister && code.here() == end;
    code.go_to(end);
    return found;
  }
  bool count_by_expression(Copy& code) {
    const Expression found = expression(code);
    count_from(found.number);
    if (!found.is_understood) rule_.base = Base::Elsewhere;
    rule_.by_word = found.is_word;
    return count(found.offset);
  }
  bool save_by_expression(u64 number, Copy& code) {
    const Expression found = expression(code);
    const bool is_ours = found.is_understood && !found.is_word && found.number == kFrame;
    return set(number, is_ours ? Saved::AtFrame : Saved::Lost, found.offset);
  }

  static constexpr u32 kRemembered = 8;
  const Common& common_;
  u64 at_;
  const u64 address_;
  UnwindRule rule_{}, initial_{};
  UnwindRule remembered_[kRemembered];
  u32 depth_ = 0;
};

// Leaves the copy at the instructions that hold for all its functions.
bool read_common(const Source& source, Copy& entry, uintptr_t at, Common& common) {
  if (!entry.take_entry(source, at) || entry.get<u32>() != 0) return false;
  const u8 version = entry.get<u8>();
  if ((version != 1 && version != 3) || entry.get<u8>() != 'z') return false;
  char letters[8] = {};
  u32 count = 0;
  while (const char letter = static_cast<char>(entry.get<u8>())) {
    if (count == sizeof letters) return false;
    letters[count++] = letter;
  }
  common.code_step = entry.unsigned_number();
  common.data_step = entry.signed_number();
  if ((version == 1 ? entry.get<u8>() : entry.unsigned_number()) != kReturn) return false;
  const u64 bytes = entry.unsigned_number(), end = entry.here() + bytes;
  common.encoding = kAbsolute;
  for (u32 i = 0; i < count; i++) {
    switch (letters[i]) {
      case 'R': common.encoding = entry.get<u8>(); break;
      case 'L': entry.get<u8>(); break;
      case 'P': entry.skip((entry.get<u8>() & 7) == 3 ? 4 : 8); break;  // 4 bytes in 0x9b, as all have it
      case 'B': break;                                                  // how return addresses are signed
      default: return false;                                            // 'S': where a signal's handler returns to
    }
  }
  entry.go_to(end);
  return entry.is_whole() && (common.encoding == kAbsolute || common.encoding == kNear || common.encoding == kFar);
}

// Where the entry of the function lies that begins last before the address.
bool find_entry(const UnwindTable& table, const Source& source, uintptr_t address, uintptr_t& entry) {
  struct Head {
    u8 version, pointer, count, table;
    i32 frames;
    u32 entries;
  } head;
  // Both counted from the table's begin.
  struct Entry {
    i32 function, at;
  };
  constexpr u32 kRun = 128;  // so many are read at once
  constexpr u8 kHeadEncoding = 0x1b, kCountEncoding = 0x03, kTableEncoding = 0x3b;
  const auto read = [&](size_t offset, void* to, size_t bytes) { return source.read(table.begin + offset, to, bytes); };
  const i64 wide = static_cast<i64>(address - table.begin);
  const auto function = static_cast<i32>(wide);
  if (table.bytes < sizeof head || wide != function || !read(0, &head, sizeof head)) return false;
  if (head.version != 1 || head.pointer != kHeadEncoding || head.count != kCountEncoding ||
      head.table != kTableEncoding || head.entries > (table.bytes - sizeof head) / sizeof(Entry))
    return false;
  u32 low = 0, high = head.entries;
  while (high - low > kRun) {
    const u32 middle = low + (high - low) / 2;
    i32 begin;
    if (!read(sizeof head + middle * sizeof(Entry), &begin, sizeof begin)) return false;
    (begin <= function ? low : high) = middle;
  }
  Entry run[kRun];
  if (low == high || !read(sizeof head + low * sizeof(Entry), run, (high - low) * sizeof(Entry)))
    return false;
  u32 before = 0;  // how many begin before
  while (before < high - low && run[before].function <= function) before++;
  if (!before) return false;
  entry = table.begin + static_cast<u64>(i64{run[before - 1].at});
  return true;
}

}  // namespace

bool find_unwind_rule(const UnwindTable& table, uintptr_t address, bool is_kept, UnwindRule& rule) {
  const Source source(table, is_kept);
  uintptr_t at;
  Copy entry, common_entry;
  if (!find_entry(table, source, address, at) || !entry.take_entry(source, at)) return false;
  const u64 here = entry.here();
  Common common;
  if (!read_common(source, common_entry, here - entry.get<u32>(), common)) return false;
  const u64 begin = entry.address(common.encoding);
  const u64 bytes = common.encoding == kNear ? entry.get<u32>() : entry.get<u64>();
  if (address - begin >= bytes) return false;
  entry.skip(entry.unsigned_number());
  Program program(common, begin, address);
  if (!program.run(common_entry) || program.passed()) return false;
  program.end_of_common();
  if (!program.run(entry) || (entry.is_cut() && !program.passed())) return false;
  rule = program.rule();
  return rule.base == UnwindRule::Base::Stack || rule.base == UnwindRule::Base::Frame;
}

}  // namespace btrace
