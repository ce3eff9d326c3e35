#include "core/chunk.h"

#include "base/crc32.h"

namespace btrace {

namespace {

void put_le(u8* at, u32 value, int bytes) {
  for (int i = 0; i < bytes; i++) at[i] = static_cast<u8>(value >> (8 * i));
}
u32 get_le(const u8* at, int bytes) {
  u32 value = 0;
  for (int i = 0; i < bytes; i++) value |= static_cast<u32>(at[i]) << (8 * i);
  return value;
}
u32 chunk_crc(const u8* chunk, u32 length) {
  return crc32(crc32(0, chunk + 4, 16), chunk + kChunkHeaderBytes, length);
}

}  // namespace

size_t begin_chunk(Bytes& out) {
  size_t begin = out.size();
  static constexpr u8 kRoom[kChunkHeaderBytes] = {};
  out.append(kRoom, sizeof kRoom);
  return begin;
}

void end_chunk(Bytes& out, size_t begin, ChunkKind kind, u32 sequence) {
  if (out.failed()) return;
  u8* at = out.data() + begin;
  u32 length = static_cast<u32>(out.size() - begin - kChunkHeaderBytes);
  put_le(at, kChunkSync, 4);
  put_le(at + 4, sequence, 4);
  put_le(at + 8, static_cast<u32>(kind), 2);
  put_le(at + 10, 0, 2);
  put_le(at + 12, length, 4);
  put_le(at + 16, length, 4);
  put_le(at + 20, chunk_crc(at, length), 4);
}

void put_open_chunk(Bytes& out, ChunkKind kind, u32 payload_bytes) {
  const size_t begin = begin_chunk(out);
  if (out.failed()) return;
  u8* at = out.data() + begin;
  put_le(at, kChunkSync, 4);
  put_le(at + 4, 0, 4);
  put_le(at + 8, static_cast<u32>(kind), 2);
  put_le(at + 10, kFlagOpen, 2);
  put_le(at + 12, payload_bytes, 4);
  put_le(at + 16, payload_bytes, 4);
  put_le(at + 20, chunk_crc(at, 0), 4);
}

ChunkResult parse_chunk(const u8* data, size_t size, ChunkView& chunk, size_t& used) {
  used = kChunkHeaderBytes;
  if (size < kChunkHeaderBytes) return ChunkResult::NeedMore;
  u32 length = get_le(data + 12, 4);
  if (get_le(data, 4) != kChunkSync || get_le(data + 10, 2) != 0 || length > kMaxChunkPayload ||
      get_le(data + 16, 4) != length)
    return ChunkResult::Broken;
  used += length;
  if (size < used) return ChunkResult::NeedMore;
  if (get_le(data + 20, 4) != chunk_crc(data, length)) return ChunkResult::Broken;
  chunk = {static_cast<ChunkKind>(get_le(data + 8, 2)), data + kChunkHeaderBytes, length};
  return ChunkResult::Complete;
}

}  // namespace btrace
