#pragma once
// Frames of docs/FORMAT.md: what travels on the socket and lies in the file.
#include "base/bytes.h"
#include "core/format.h"

namespace btrace {

inline constexpr u32 kChunkSync = 0x1A5442A7;  // A7 42 54 1A
inline constexpr size_t kChunkHeaderBytes = 24;
inline constexpr u32 kMaxChunkPayload = 16 * 1024 * 1024;

// Begins a chunk at the end of `out`; its payload is appended there and closed by end_chunk with what this returned.
size_t begin_chunk(Bytes& out);
void end_chunk(Bytes& out, size_t begin, ChunkKind kind, u32 sequence);

// The head alone of a chunk whose payload is written over again and again: its checksum covers only the head.
inline constexpr u32 kFlagOpen = 2;
void put_open_chunk(Bytes& out, ChunkKind kind, u32 payload_bytes);

struct ChunkView {
  ChunkKind kind;
  const u8* payload;
  u32 size;
};
enum class ChunkResult { Complete, NeedMore, Broken };
// Looks at the front of `data`. Complete: `chunk` is filled, and `used` is what it took. NeedMore: `used` is what is
// needed at least.
ChunkResult parse_chunk(const u8* data, size_t size, ChunkView& chunk, size_t& used);

}  // namespace btrace
