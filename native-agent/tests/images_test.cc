// Addresses of this process and the images that they lie in.
#include "os/images.h"

#include <cstring>
#include <filesystem>

#include "harness.h"

using namespace btrace;

TEST("images: code lies in the file that it was loaded from, the stack and what is nowhere in none") {
  Images images{};
  CHECK(images.init());
  images.refresh();
  u32 own = images.find(reinterpret_cast<uintptr_t>(&harness::cases));
  // One that no sanitizer has a version of.
  u32 library = images.find(reinterpret_cast<uintptr_t>(&std::rand));
  CHECK(own != Images::kNone && library != Images::kNone && own != library);
  // Empty under qemu if this program was started by a relative path.
  std::error_code untold;
  CHECK_EQUAL(images.at(own).path, std::filesystem::read_symlink("/proc/self/exe", untold).string());
  CHECK(strstr(images.at(library).path, "libc") != nullptr);
  CHECK(images.at(library).build_id_size > 0);
  int on_stack = 0;
  CHECK_EQUAL(images.find(reinterpret_cast<uintptr_t>(&on_stack)), Images::kNone);
  CHECK_EQUAL(images.find(1), Images::kNone);
  images.release();
}

TEST("images: what lies in the one that is left out is in none") {
  Images images{};
  CHECK(images.init());
  images.refresh();
  uintptr_t own = reinterpret_cast<uintptr_t>(&harness::cases);
  u32 library = images.find(reinterpret_cast<uintptr_t>(&std::rand));
  CHECK(images.find(own) != Images::kNone);
  images.leave_out(own);
  CHECK_EQUAL(images.find(own), Images::kNone);
  CHECK_EQUAL(images.find(reinterpret_cast<uintptr_t>(&std::rand)), library);
  images.release();
}

TEST("images: looking again for what was missed takes in only what is new") {
  Images images{};
  CHECK(images.init());
  images.refresh_if_missed();
  CHECK_EQUAL(images.touched_bytes(), size_t{0});
  uintptr_t own = reinterpret_cast<uintptr_t>(&harness::cases);
  CHECK_EQUAL(images.find(own), Images::kNone);
  images.refresh_if_missed();
  u32 number = images.find(own);
  CHECK(number != Images::kNone);
  size_t bytes = images.touched_bytes();
  images.find(1);
  images.refresh_if_missed();
  CHECK_EQUAL(images.touched_bytes(), bytes);
  CHECK_EQUAL(images.find(own), number);
  images.release();
}
