#pragma once
// The files whose code the process runs, and where it has them; a file that is mapped twice is one image each time.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/target_process.h"
#include "os/unwind_table.h"

namespace btrace::host {

struct TargetImage {
  u32 id;  // from 1, as in the recording
  std::string path;
  std::vector<u8> build_id;
  u64 load_address;  // an address minus this is an offset, as symbols have it
  u64 begin, end;
  // Our own copy of the file's tables; bytes 0: it has none.
  UnwindTable unwind;
  u64 unwind_bias;  // an offset plus this is an address in the copy
  void* map;
  size_t map_bytes;
};

class TargetImages {
 public:
  explicit TargetImages(const TargetProcess& process) : process_(process) {}
  ~TargetImages();
  // Replaces what lies there.
  void add(const Mapping& mapping);
  // The process runs another program from now on.
  void forget();
  // Null where no code is known.
  const TargetImage* at(u64 address);
  // Images that came since the last call.
  template <class Take>
  void take_new(Take take) {
    for (; told_ < all_.size(); told_++) take(*all_[told_]);
  }
  // A number that changes whenever an address may mean something else.
  u32 version() const { return version_; }

 private:
  void open(TargetImage& image, const Mapping& mapping);

  // What may be kept open: a process that loads and unloads for days must not fill memory here.
  static constexpr size_t kMost = 20000;

  const TargetProcess& process_;
  std::vector<std::unique_ptr<TargetImage>> all_;
  std::map<u64, TargetImage*> by_begin_;
  size_t told_ = 0;
  u32 version_ = 1;
};

}  // namespace btrace::host
