#include "agent/desktop.h"

#include "base/clock.h"
#include "base/libc.h"
#include "core/proto.h"

namespace btrace {

namespace {

// So often it is seen what others ask for.
constexpr i64 kLookEveryNs = 100 * kNsPerMs;
constexpr i64 kPatientLookEveryNs = 500 * kNsPerMs;

// Of the ring's stretch alone; every other kind holds for the whole recording.
bool is_of_ring(ChunkKind kind) {
  return kind == ChunkKind::Samples || kind == ChunkKind::Links || kind == ChunkKind::Counters ||
         kind == ChunkKind::Losses || kind == ChunkKind::OffCarrierWaits ||
         kind == ChunkKind::HeldMemory;
}

// The monotonic clock at the recording's begin; 0 when the header does not tell it.
i64 origin_in(const ChunkView& header) {
  u64 origin_ns = 0;
  FieldReader field(header.payload, header.size);
  while (field.next()) {
    if (field.field() != 4 || !field.is_bytes()) continue;
    FieldReader clock(field.bytes(), field.size());
    while (clock.next())
      if (clock.field() == 1) origin_ns = clock.value();
  }
  return static_cast<i64>(origin_ns);
}

}  // namespace

OwnResult Desktop::run() {
  origin_ns_ = now_ns();
  say_hello();
  const OwnResult result = converse();
  end_dump(OwnResult::NotRecording);
  connection_.release();
  status_.release();
  return result;
}

i64 Desktop::elapsed_ns() const {
  return now_ns() - origin_ns_;
}

// ---------------------------------------------------------------- what is said

void Desktop::say_hello() {
  Bytes& out = connection_.out();
  const size_t begin = begin_chunk(out);
  put_field(out, 1, kFormatMajor);
  put_bytes_field(out, 2, options_.token, sizeof options_.token);
  {
    Nested config(out, 3);
    put_config(out, recording_.config);
  }
  end_chunk(out, begin, ChunkKind::Hello, sequence_++);
}

void Desktop::command(CommandKind kind, u64 dump_ns) {
  Bytes& out = connection_.out();
  const size_t begin = begin_chunk(out);
  put_field(out, 1, static_cast<u64>(kind));
  put_field(out, 2, dump_ns);
  end_chunk(out, begin, ChunkKind::Command, sequence_++);
}

OwnResult Desktop::converse() {
  i64 ends_ns = INT64_MAX;
  while (connection_.is_open()) {
    if (now_ns() >= ends_ns) return OwnResult::TimedOut;
    if (!stopping_) full_ = recording_.max_bytes && file_.bytes() >= recording_.max_bytes;
    if (!stopping_ && (asked_.stop_asked.load() || full_)) {
      stopping_ = true;
      ends_ns = now_ns() + kEndNs;
      command(CommandKind::Stop);
    }
    if (!stopping_ && !dumping_ && asked_.dump.load() == DesktopSwitch::Dump::Asked) begin_dump();
    connection_.pump(recording_.config.is_patient() ? kPatientLookEveryNs : kLookEveryNs);
    ChunkView chunk;
    while (connection_.next(chunk))
      if (!take(chunk)) return file_.failed() ? OwnResult::FileFailed : result_;
  }
  return OwnResult::BrokenOff;
}

// ---------------------------------------------------------------- what is heard

// False when the conversation is over.
bool Desktop::take(const ChunkView& chunk) {
  if (chunk.kind == ChunkKind::Welcome) return is_ours(chunk);
  if (chunk.kind == ChunkKind::Goodbye) return take_goodbye(chunk);
  if (chunk.kind == ChunkKind::Header)
    if (i64 origin_ns = origin_in(chunk)) origin_ns_ = origin_ns;
  if (chunk.kind == ChunkKind::RingSamples || chunk.kind == ChunkKind::RingOffCarrierWaits) {
    const bool samples = chunk.kind == ChunkKind::RingSamples;
    if (file_.has_ring())
      file_.put_in_ring(samples ? ChunkKind::Samples : ChunkKind::OffCarrierWaits, chunk.payload, chunk.size);
    return !file_.failed();
  }
  if (dump_.is_open()) {
    dump_.put(chunk.kind, chunk.payload, chunk.size);
    if (dump_.failed()) end_dump(OwnResult::FileFailed);
  }
  if (dumping_ && is_of_ring(chunk.kind)) return true;
  // Such a file would grow by these for as long as the program runs.
  if (recording_.is_for_dumps && (is_of_ring(chunk.kind) || chunk.kind == ChunkKind::Status)) {
    if (chunk.kind != ChunkKind::Status) return true;
    status_.clear();
    status_.append(chunk.payload, chunk.size);
    return true;
  }
  // All that the agent's own ring holds comes at the end.
  if (file_.has_ring() && (chunk.kind == ChunkKind::Samples || chunk.kind == ChunkKind::OffCarrierWaits))
    file_.leave_ring();
  if (!file_.failed()) file_.put(chunk.kind, chunk.payload, chunk.size);
  return !file_.failed();
}

bool Desktop::is_ours(const ChunkView& welcome) const {
  FieldReader field(welcome.payload, welcome.size);
  while (field.next())
    if (field.field() == 1 && field.is_bytes())
      return field.size() == sizeof options_.answer && !memcmp(field.bytes(), options_.answer, sizeof options_.answer);
  return false;
}

// True when it is a dump that has ended: the recording goes on.
bool Desktop::take_goodbye(const ChunkView& chunk) {
  auto reason = EndReason::Stopped;
  const u8* detail = nullptr;
  size_t detail_size = 0;
  FieldReader field(chunk.payload, chunk.size);
  while (field.next()) {
    if (field.field() == 1) reason = static_cast<EndReason>(field.value());
    if (field.field() == 2 && field.is_bytes()) detail = field.bytes(), detail_size = field.size();
  }
  if (reason == EndReason::Dumped) {
    end_dump(OwnResult::Done);
    dumping_ = false;
    return true;
  }
  result_ = OwnResult::Done;
  if (file_.has_ring()) file_.leave_ring();
  if (file_.failed()) return false;
  if (full_ && reason == EndReason::Stopped) {
    static constexpr char kWhy[] = "the limit of the file's size was reached";
    file_.finish(elapsed_ns(), EndReason::Limit, reinterpret_cast<const u8*>(kWhy), sizeof kWhy - 1);
  } else {
    file_.finish(elapsed_ns(), reason, detail, detail_size);
  }
  return false;
}

// ---------------------------------------------------------------- a ring's dump

void Desktop::begin_dump() {
  asked_.dump.store(DesktopSwitch::Dump::Begun);
  if (!dump_.open(asked_.dump_path)) return end_dump(OwnResult::NoFile);
  if (!dump_.copy(file_, path_)) return end_dump(OwnResult::FileFailed);
  command(CommandKind::Dump, asked_.dump_back_ns);
  dumping_ = true;
}

// Does nothing when none is under way.
void Desktop::end_dump(OwnResult how) {
  if (asked_.dump.load() != DesktopSwitch::Dump::Begun) return;
  if (dump_.is_open()) {
    if (how == OwnResult::Done && status_.size() && !status_.failed())
      dump_.put(ChunkKind::Status, status_.data(), status_.size());
    if (how == OwnResult::Done && asked_.has_note)
      dump_.put(asked_.note_kind, asked_.note.data(), asked_.note.size());
    if (how == OwnResult::Done) dump_.finish(elapsed_ns(), EndReason::Dumped, nullptr, 0);
    if (dump_.failed()) how = OwnResult::FileFailed;
    dump_.close();
  }
  asked_.dump_result.store(how);
  asked_.dump.store(DesktopSwitch::Dump::None);
}

}  // namespace btrace
