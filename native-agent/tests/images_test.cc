// Addresses of this process and the images that they lie in.
#include "os/images.h"

#include <dlfcn.h>

#include <cstring>
#include <filesystem>

#include "harness.h"
#include "os/linux/elf.h"

using namespace btrace;

TEST("images: code lies in the file that it was loaded from, the stack and what is nowhere in none") {
  Images images{};
  CHECK(images.init());
  images.refresh();
  u32 own = images.find(reinterpret_cast<uintptr_t>(&harness::cases));
  // One that no sanitizer has a version of.
  u32 library = images.find(reinterpret_cast<uintptr_t>(&std::rand));
  CHECK(own != Images::kNone && library != Images::kNone && own != library);
  // However this program was started, and though it has changed its folder since. Under qemu /proc/self/exe does not tell.
  const std::filesystem::path file = images.at(own).path;
  CHECK(file.is_absolute() && std::filesystem::is_regular_file(file));
  std::error_code untold;
  const std::string told = std::filesystem::read_symlink("/proc/self/exe", untold).string();
  CHECK_EQUAL(file.string(), untold ? file.string() : told);
  CHECK(strstr(images.at(library).path, "libc") != nullptr);
  CHECK(images.at(library).build_id_size > 0);
  int on_stack = 0;
  CHECK_EQUAL(images.find(reinterpret_cast<uintptr_t>(&on_stack)), Images::kNone);
  CHECK_EQUAL(images.find(1), Images::kNone);
  images.release();
}

TEST("images: a library that was loaded by a relative path has its file where it lay, wherever the program is now") {
  namespace fs = std::filesystem;
  const fs::path begins_in = fs::current_path();
  fs::create_directory("there");
  fs::copy_file(fs::path(BTRACE_TEST_LIBRARIES) / "libimporter-now.so", "there/relative.so");
  void* const loaded = dlopen("there/relative.so", RTLD_NOW | RTLD_LOCAL);
  CHECK(loaded != nullptr);
  fs::current_path("/");
  Images images{};
  CHECK(images.init());
  images.refresh();
  const u32 number = images.find(reinterpret_cast<uintptr_t>(dlsym(loaded, "btrace_test_parent")));
  Library library;
  const bool opens = library.open("relative.so");
  void* const symbol = opens ? library.symbol("btrace_test_parent") : nullptr;
  library.close();
  const std::string path = number == Images::kNone ? "" : images.at(number).path;
  void* const there = dlsym(loaded, "btrace_test_parent");
  images.release();
  fs::current_path(begins_in);
  dlclose(loaded);
  CHECK_EQUAL(path, fs::canonical("there/relative.so").string());
  CHECK(opens);
  CHECK(symbol == there);
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
