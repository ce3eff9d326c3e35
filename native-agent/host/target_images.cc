#include "host/target_images.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "os/machine.h"

namespace btrace::host {

namespace {

constexpr u32 kMostSegments = 256;
constexpr size_t kMostNoteBytes = 4096, kMostBuildIdBytes = 64;

class File {
 public:
  explicit File(const std::string& path) : fd_(open_to_read(path.c_str())) {
    struct stat found{};
    if (fd_ < 0) return;
    if (!fstat(fd_, &found) && S_ISREG(found.st_mode))
      bytes_ = static_cast<size_t>(found.st_size);
    else
      close();
  }
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  size_t bytes() const { return bytes_; }
  bool read(u64 at, void* to, size_t bytes) const {
    return pread(fd_, to, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
  }

 private:
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  int fd_;
  size_t bytes_ = 0;
};

std::vector<u8> build_id_in(const File& file, const Elf64_Phdr& segment) {
  u8 notes[kMostNoteBytes];
  const size_t bytes = min_of<size_t>(segment.p_filesz, sizeof notes);
  if (!file.read(segment.p_offset, notes, bytes)) return {};
  for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= bytes;) {
    Elf64_Nhdr head;
    memcpy(&head, notes + at, sizeof head);
    const u64 name = at + sizeof head, content = name + ((u64{head.n_namesz} + 3) & ~u64{3});
    const u64 next = content + ((u64{head.n_descsz} + 3) & ~u64{3});
    if (content + head.n_descsz > bytes) return {};
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && !memcmp(notes + name, "GNU", 4) &&
        head.n_descsz <= kMostBuildIdBytes)
      return {notes + content, notes + content + head.n_descsz};
    at = next;
  }
  return {};
}

}  // namespace

TargetImages::~TargetImages() {
  for (const auto& image : all_)
    if (image->map) munmap(image->map, image->map_bytes);
}

void TargetImages::forget() {
  by_begin_.clear();
  version_++;
}

void TargetImages::add(const Mapping& mapping) {
  if (all_.size() >= kMost || mapping.begin >= mapping.end) return;
  // What it lies over is gone, or a part of it: the rest of that is not looked for.
  auto at = by_begin_.lower_bound(mapping.begin);
  if (at != by_begin_.begin() && std::prev(at)->second->end > mapping.begin) --at;
  while (at != by_begin_.end() && at->first < mapping.end) {
    const TargetImage& old = *at->second;
    if (old.begin == mapping.begin && old.end >= mapping.end && old.path == mapping.path) return;
    at = by_begin_.erase(at);
  }
  auto image = std::make_unique<TargetImage>();
  *image = {};
  image->id = static_cast<u32>(all_.size() + 1);
  image->path = mapping.path;
  image->begin = mapping.begin;
  image->end = mapping.end;
  open(*image, mapping);
  by_begin_[mapping.begin] = image.get();
  all_.push_back(std::move(image));
  version_++;
}

// Segments, build id and unwind tables. Without a file that can be read, an offset is the address itself.
void TargetImages::open(TargetImage& image, const Mapping& mapping) {
  if (mapping.path.empty() || mapping.path[0] != '/') {
    // No path: the desktop opens what an image's path names.
    if (mapping.path.empty()) image.path = "[code made at run time]";
    return;
  }
  const File file(process_.reachable(mapping.path));
  Elf64_Ehdr head;
  if (!file.is_open() || !file.read(0, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
      head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(Elf64_Phdr) || head.e_phnum > kMostSegments)
    return;
  std::vector<Elf64_Phdr> segments(head.e_phnum);
  if (!file.read(head.e_phoff, segments.data(), segments.size() * sizeof(Elf64_Phdr))) return;
  const u64 page = page_bytes();
  bool is_found = false;
  const Elf64_Phdr* tables = nullptr;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_NOTE && image.build_id.empty()) image.build_id = build_id_in(file, segment);
    if (segment.p_type == PT_GNU_EH_FRAME) tables = &segment;
    if (segment.p_type != PT_LOAD || is_found) continue;
    // The kernel maps whole pages: the mapping may begin before the segment does.
    const u64 page_offset = segment.p_offset & ~(page - 1);
    if (mapping.file_offset < page_offset || mapping.file_offset >= segment.p_offset + segment.p_filesz) continue;
    if (!(segment.p_flags & PF_X)) continue;
    image.load_address = mapping.begin - (mapping.file_offset - segment.p_offset + segment.p_vaddr);
    is_found = true;
  }
  if (!is_found || !tables || !file.bytes()) return;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_LOAD || tables->p_vaddr < segment.p_vaddr ||
        tables->p_vaddr + tables->p_filesz > segment.p_vaddr + segment.p_filesz)
      continue;
    void* map = mmap(nullptr, file.bytes(), PROT_READ, MAP_PRIVATE, file.fd(), 0);
    if (map == MAP_FAILED) return;
    image.map = map;
    image.map_bytes = file.bytes();
    // What the tables say is counted from where they lie; so the copy's addresses are those of their segment.
    image.unwind_bias = reinterpret_cast<u64>(map) + segment.p_offset - segment.p_vaddr;
    image.unwind.begin = image.unwind_bias + tables->p_vaddr;
    image.unwind.bytes = tables->p_filesz;
    image.unwind.segment_begin = image.unwind_bias + segment.p_vaddr;
    image.unwind.segment_end = image.unwind.segment_begin + segment.p_filesz;
    return;
  }
}

const TargetImage* TargetImages::at(u64 address) {
  auto at = by_begin_.upper_bound(address);
  if (at == by_begin_.begin()) return nullptr;
  const TargetImage* image = std::prev(at)->second;
  return address < image->end ? image : nullptr;
}

}  // namespace btrace::host
