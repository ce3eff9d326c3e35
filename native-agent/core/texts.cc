#include "core/texts.h"

#include "base/id_map.h"
#include "base/spin.h"
#include "core/proto.h"
#include "core/session.h"

namespace btrace {

namespace {

constexpr u32 kMostTexts = 16 * 1024;
constexpr size_t kLongestText = 1024;

struct Table {
  Spin lock;
  u32 session;
  IdMap numbers;  // by the text's hash
  Bytes untold;

  // False: that one is over, and another has begun.
  bool turn_to(u32 current) {
    if (session == current) return true;
    if (current < session) return false;
    session = current;
    numbers.release();
    untold.clear();
    return true;
  }
};
Table g_table;

// FNV-1a. Two texts of one hash would be taken for one: of 16,384 that is one in 10^11.
u64 hash_of(const char* text, size_t size) {
  u64 hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < size; i++) hash = (hash ^ static_cast<u8>(text[i])) * 0x100000001b3;
  return hash | 1;  // 0 is no key
}

// Where a text that is too long may be cut: not within a character.
size_t bounded(const char* text, size_t size) {
  if (size <= kLongestText) return size;
  size = kLongestText;
  while (size && (static_cast<u8>(text[size]) & 0xc0) == 0x80) size--;
  return size;
}

}  // namespace

u32 number_of_text(const char* text, size_t size) {
  return number_of_text(active_session_id(), text, size);
}

u32 number_of_text(u32 session, const char* text, size_t size) {
  if (!session) return 0;
  size = bounded(text, size);
  const u64 key = hash_of(text, size);
  SpinScope scope(g_table.lock);
  if (!g_table.turn_to(session)) return 0;
  if (const u32* known = g_table.numbers.find(key)) return *known;
  const u32 number = g_table.numbers.size() + 1;
  if (number > kMostTexts || !g_table.numbers.insert(key, number)) return 0;
  Nested entry(g_table.untold, 1);
  put_field(g_table.untold, 1, number);
  put_bytes_field(g_table.untold, 2, text, size);
  return number;
}

bool take_new_texts(u32 session, Bytes& out) {
  SpinScope scope(g_table.lock);
  if (g_table.session != session || !g_table.untold.size()) return false;
  if (!g_table.untold.failed()) out.append(g_table.untold.data(), g_table.untold.size());
  g_table.untold.clear();
  return true;
}

}  // namespace btrace
