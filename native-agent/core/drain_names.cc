#include "core/drain.h"

// What methods and classes are called. One that is gone has a placeholder for a name; where it comes back it is named
// after all, by the id that it has.
namespace btrace {

namespace {
constexpr u32 kMaxNameBytes = 64 * 1024;

size_t bounded_length(const char* text) {
  return min_of<size_t>(strlen(text), kMaxNameBytes);
}
}  // namespace

u32 Drain::class_id(u64 key) {
  u32* id = classes_.find(key);
  return id ? *id : 0;
}

u32 Drain::add_class(u64 key, const char* name, const char* file) {
  u32 id = naming_class_;
  if (!id) classes_.insert(key, id = next_class_++);
  Nested entry(class_part_, 1);
  put_field(class_part_, 1, id);
  if (name) put_bytes_field(class_part_, 2, name, bounded_length(name));
  if (file) put_bytes_field(class_part_, 3, file, bounded_length(file));
  return id;
}

void Drain::set_method(u32 class_id, const char* name, const char* signature, MethodKind kind, const LineEntry* lines,
                       u32 line_count) {
  Nested entry(method_part_, 1);
  put_field(method_part_, 1, naming_);
  put_field(method_part_, 2, class_id);
  if (name) put_bytes_field(method_part_, 3, name, bounded_length(name));
  if (signature) put_bytes_field(method_part_, 4, signature, bounded_length(signature));
  put_field(method_part_, 5, static_cast<u64>(kind));
  put_delta_column(method_part_, 6, line_count, Coding::Plain, 0, [&](u32 row) { return lines[row].position; });
  put_delta_column(method_part_, 7, line_count, Coding::Plain, 0, [&](u32 row) { return i64{lines[row].line}; });
}

u32 Drain::method_id(u64 code) {
  if (!code) return 0;
  if (u32* known = methods_.find(code)) return *known;
  u32 id = next_method_++;
  methods_.insert(code, id);
  naming_ = id;
  if (!runtime_->name_method(code, *this)) miss({code, id, false});
  return id;
}

u32 Drain::image_id(u32 number) {
  u32& id = image_ids_[number];
  if (id) return id;
  id = next_image_++;
  const Image& image = session_->images.at(number);
  Nested entry(image_part_, 1);
  put_field(image_part_, 1, id);
  put_bytes_field(image_part_, 2, image.path, strlen(image.path));
  put_bytes_field(image_part_, 3, image.build_id, image.build_id_size);
  put_field(image_part_, 4, image.base);
  put_field(image_part_, 5, image.end - image.begin);
  return id;
}

void Drain::put_functions() {
  const auto image_of = [&](u32 number) -> const Image& { return session_->images.at(number); };
  functions_.look_up(image_of, [&](const KnownFunctions::Met& one) {
    const uintptr_t base = session_->images.at(one.image).base;
    const u32 image = image_id(one.image);
    Nested entry(function_part_, 1);
    put_field(function_part_, 1, image);
    put_field(function_part_, 2, one.begin - base);
    put_bytes_field(function_part_, 3, one.name, one.name_bytes);
    {
      Nested offsets(function_part_, 4);
      for (u32 at = 0; at < one.count; at++) put_varint(function_part_, one.addresses[at] - base);
    }
    put_field(function_part_, 8, 1);  // of memory
  });
}

u32 Drain::type_id(u64 key) {
  if (u32* known = classes_.find(key)) return *known;
  const bool named = runtime_->name_class(key, *this);
  u32* id = classes_.find(key);
  if (!id) return 0;
  if (!named) miss({key, *id, true});
  return *id;
}

// The oldest makes room.
void Drain::miss(const Missed& missed) {
  Missed& place = missed_[next_missed_++ % kMissed];
  if (place.id) names_lost_++;
  place = missed;
}

void Drain::cut_missed_names(Bytes& out) {
  for (Missed& missed : missed_) {
    if (!missed.id) continue;
    const size_t classes = class_part_.size(), methods = method_part_.size();
    bool named;
    if (missed.is_class) {
      naming_class_ = missed.id;
      named = runtime_->name_class(missed.key, *this);
      naming_class_ = 0;
      if (!named) class_part_.truncate(classes);
    } else {
      naming_ = missed.id;
      named = runtime_->name_method(missed.key, *this);
      if (!named) method_part_.truncate(methods);
    }
    if (named) missed = {};
  }
  cut_names(out);
}

void Drain::give_up_missed() {
  for (Missed& missed : missed_) {
    if (missed.id) names_lost_++;
    missed = {};
  }
}

void Drain::cut_names(Bytes& out) {
  if (class_part_.size()) {
    size_t begin = begin_chunk(out);
    out.append(class_part_.data(), class_part_.size());
    end(out, begin, ChunkKind::Classes);
    class_part_.clear();
  }
  if (method_part_.size()) {
    size_t begin = begin_chunk(out);
    out.append(method_part_.data(), method_part_.size());
    end(out, begin, ChunkKind::Methods);
    method_part_.clear();
  }
  if (image_part_.size()) {
    size_t begin = begin_chunk(out);
    out.append(image_part_.data(), image_part_.size());
    end(out, begin, ChunkKind::Images);
    image_part_.clear();
  }
  if (function_part_.size()) {
    size_t begin = begin_chunk(out);
    out.append(function_part_.data(), function_part_.size());
    end(out, begin, ChunkKind::Symbols);
    function_part_.clear();
  }
}

}  // namespace btrace
