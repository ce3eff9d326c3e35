#pragma once
// Protocol buffers by hand: the few wire types the recording uses. Fields that are zero are left out, as proto3 does.
#include "base/bytes.h"
#include "base/varint.h"

namespace btrace {

enum WireType : u32 { kWireVarint = 0, kWireFixed64 = 1, kWireBytes = 2, kWireFixed32 = 5 };

inline void put_key(Bytes& out, u32 field, WireType type) {
  put_varint(out, field << 3 | type);
}

inline void put_field(Bytes& out, u32 field, u64 value) {
  if (!value) return;
  put_key(out, field, kWireVarint);
  put_varint(out, value);
}
inline void put_signed_field(Bytes& out, u32 field, i64 value) {
  put_field(out, field, zigzag(value));
}

inline void put_fixed32_field(Bytes& out, u32 field, u32 value) {
  if (!value) return;
  put_key(out, field, kWireFixed32);
  for (int shift = 0; shift < 32; shift += 8) out.put(static_cast<u8>(value >> shift));
}

inline void put_bytes_field(Bytes& out, u32 field, const void* bytes, size_t size) {
  if (!size) return;
  put_key(out, field, kWireBytes);
  put_varint(out, size);
  out.append(bytes, size);
}
inline void put_text_field(Bytes& out, u32 field, const char* text) {
  if (text) put_bytes_field(out, field, text, strlen(text));
}

// A field with a length in front that is known only when it is closed.
class Nested {
 public:
  Nested(Bytes& out, u32 field) : out_(out) {
    put_key(out, field, kWireBytes);
    out.put(0);
    begin_ = out.size();
  }
  ~Nested() {
    if (out_.failed()) return;
    size_t length = out_.size() - begin_;
    size_t width = varint_size(length);
    if (width > 1) out_.open_gap(begin_, width - 1);
    if (out_.failed()) return;
    u8* at = out_.data() + begin_ - 1;
    for (; length >= 0x80; length >>= 7) *at++ = static_cast<u8>(length | 0x80);
    *at = static_cast<u8>(length);
  }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

 private:
  Bytes& out_;
  size_t begin_;
};

// Walks the fields of a message. Unknown fields are for the caller to ignore; broken bytes end it with broken().
class FieldReader {
 public:
  FieldReader(const u8* data, size_t size) : at_(data), end_(data + size) {}
  bool next() {
    u64 key;
    if (at_ == end_ || broken_) return false;
    if (!get_varint(at_, end_, key)) return fail();
    field_ = static_cast<u32>(key >> 3);
    type_ = static_cast<u32>(key & 7);
    switch (type_) {
      case kWireVarint: return get_varint(at_, end_, value_) || fail();
      case kWireBytes:
        if (!get_varint(at_, end_, value_) || value_ > static_cast<u64>(end_ - at_)) return fail();
        bytes_ = at_;
        at_ += value_;
        return true;
      case kWireFixed32: return skip(4);
      case kWireFixed64: return skip(8);
      default: return fail();
    }
  }
  u32 field() const { return field_; }
  bool is_bytes() const { return type_ == kWireBytes; }
  bool is_varint() const { return type_ == kWireVarint; }
  u64 value() const { return value_; }
  const u8* bytes() const { return bytes_; }
  size_t size() const { return static_cast<size_t>(value_); }
  bool broken() const { return broken_; }

 private:
  bool fail() {
    broken_ = true;
    return false;
  }
  bool skip(size_t bytes) {
    if (static_cast<size_t>(end_ - at_) < bytes) return fail();
    bytes_ = at_;
    value_ = bytes;
    at_ += bytes;
    return true;
  }

  const u8* at_;
  const u8* end_;
  const u8* bytes_ = nullptr;
  u64 value_ = 0;
  u32 field_ = 0;
  u32 type_ = 0;
  bool broken_ = false;
};

}  // namespace btrace
