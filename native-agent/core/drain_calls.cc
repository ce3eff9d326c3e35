// How often imported functions were called: what a survey is made for.
#include "base/pages.h"
#include "core/drain.h"

namespace btrace {

// A function is told before, or with, the first counts that name it.
void Drain::put_called_function(Bytes& out, u32 number) {
  if (told_functions_.find(u64{number} + 1)) return;
  told_functions_.insert(u64{number} + 1, 1);
  const CalledFunction function = runtime_->called_function(number);
  const auto image = [&](u32 of) { return of == Images::kNone ? 0 : image_id(of); };
  const u32 caller = image(function.caller), library = image(function.library);
  Nested entry(out, 1);
  put_field(out, 1, number + 1);
  put_text_field(out, 2, function.name);
  put_field(out, 3, caller);
  put_field(out, 4, library);
  put_field(out, 5, function.is_point);
}

void Drain::cut_calls(Bytes& out) {
  if (!session_->config.survey) return;
  CallCount* rows = map_array<CallCount>(kBatchRows);
  if (!rows) return;
  u64 at = 0;
  for (bool more = true; more;) {
    u32 count = 0;
    while (count < kBatchRows && (more = runtime_->next_call_count(at, rows[count]))) count++;
    if (!count) break;
    call_part_.clear();
    for (u32 row = 0; row < count; row++) put_called_function(call_part_, rows[row].function);
    const auto put_rows = [&](u32 field, auto value) {
      Nested column(call_part_, field);
      for (u32 row = 0; row < count; row++) put_varint(call_part_, value(rows[row]));
    };
    put_rows(2, [](const CallCount& row) { return u64{row.function} + 1; });
    put_rows(3, [](const CallCount& row) { return u64{row.tid}; });
    put_rows(4, [](const CallCount& row) { return row.count; });
    put_field(call_part_, 5, runtime_->uncounted_imports());
    cut_names(out);
    const size_t begin = begin_chunk(out);
    out.append(call_part_.data(), call_part_.size());
    end(out, begin, ChunkKind::Calls);
  }
  unmap_array(rows, kBatchRows);
}

}  // namespace btrace
