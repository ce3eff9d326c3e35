// Redirects a function that a library imports, in libraries that are linked in each of the usual ways.
#include "os/imports.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>

#include "harness.h"

using namespace btrace;

namespace {

using Parent = int (*)();
constexpr int kReplaced = -123;

int replacement() {
  return kReplaced;
}
int other_replacement() {
  return kReplaced - 1;
}

Import parent_import() {
  return {"getppid", dlsym(RTLD_DEFAULT, "getppid"), reinterpret_cast<void*>(&replacement)};
}

struct Importer {
  explicit Importer(const char* way) : name(std::string("libimporter-") + way + ".so") {
    handle = dlopen((std::string(BTRACE_TEST_LIBRARIES "/") + name).c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!handle) harness::fail(__FILE__, __LINE__, dlerror());
    parent = reinterpret_cast<Parent>(dlsym(handle, "btrace_test_parent"));
  }
  ~Importer() { close(); }
  void close() {
    if (handle) dlclose(handle);
    handle = nullptr;
  }
  std::string name;
  void* handle;
  Parent parent;
};

const char* const kWays[] = {"now", "lazy", "noplt"};

}  // namespace

TEST("imports: a call leads to the replacement until it is undone, however the library is linked") {
  for (const char* way : kWays) {
    Importer importer(way);
    for (bool was_called : {false, true}) {
      if (was_called) CHECK_EQUAL(importer.parent(), getppid());
      Imports imports;
      CHECK(imports.init());
      Imports::Count count = imports.bind(importer.name.c_str(), parent_import());
      CHECK_EQUAL(count.bound, 1u);
      CHECK_EQUAL(count.refused, 0u);
      CHECK_EQUAL(importer.parent(), kReplaced);
      CHECK_EQUAL(imports.undo(), 0u);
      CHECK_EQUAL(importer.parent(), getppid());
      imports.release();
    }
  }
}

TEST("imports: pages that the loader made read-only are read-only again, and others are still writable") {
  Importer importer("now");
  std::ifstream before("/proc/self/maps");
  const std::string maps{std::istreambuf_iterator<char>(before), {}};
  Imports imports;
  CHECK(imports.init());
  CHECK_EQUAL(imports.bind(importer.name.c_str(), parent_import()).bound, 1u);
  std::ifstream after("/proc/self/maps");
  const std::string bound{std::istreambuf_iterator<char>(after), {}};
  // The lines of the library itself: others come and go with allocations.
  auto lines_of = [&](const std::string& text) {
    std::string lines;
    for (size_t at = 0; at < text.size();) {
      size_t end = text.find('\n', at);
      std::string line = text.substr(at, end - at);
      if (line.find(importer.name) != std::string::npos) lines += line + "\n";
      at = end + 1;
    }
    return lines;
  };
  CHECK(!lines_of(maps).empty());
  CHECK_EQUAL(lines_of(bound), lines_of(maps));
  CHECK_EQUAL(imports.undo(), 0u);
  imports.release();
}

TEST("imports: a later call takes in libraries that came since, and binds nothing twice") {
  Importer first("now");
  Imports imports;
  CHECK(imports.init());
  const u32 bound = imports.bind(nullptr, parent_import()).bound;
  CHECK(bound >= 1);
  CHECK_EQUAL(first.parent(), kReplaced);
  Importer second("lazy");
  CHECK_EQUAL(second.parent(), getppid());
  CHECK_EQUAL(imports.bind(nullptr, parent_import()).bound, bound + 1);
  CHECK_EQUAL(second.parent(), kReplaced);
  CHECK_EQUAL(imports.undo(), 0u);
  CHECK_EQUAL(first.parent(), getppid());
  CHECK_EQUAL(second.parent(), getppid());
  imports.release();
}

TEST("imports: a library that is unloaded in between is left alone, and is bound anew when it comes back") {
  Imports imports;
  CHECK(imports.init());
  {
    Importer importer("now");
    CHECK_EQUAL(imports.bind(importer.name.c_str(), parent_import()).bound, 1u);
  }
  Importer again("now");
  CHECK_EQUAL(again.parent(), getppid());
  CHECK_EQUAL(imports.bind(again.name.c_str(), parent_import()).bound, 1u);
  CHECK_EQUAL(again.parent(), kReplaced);
  again.close();
  CHECK_EQUAL(imports.undo(), 0u);
  imports.release();
}

TEST("imports: what somebody else has put there is neither replaced nor taken out") {
  Importer importer("now");
  Imports ours, theirs;
  CHECK(ours.init() && theirs.init());
  Import other{"getppid", dlsym(RTLD_DEFAULT, "getppid"), reinterpret_cast<void*>(&other_replacement)};
  CHECK_EQUAL(theirs.bind(importer.name.c_str(), other).bound, 1u);
  Imports::Count count = ours.bind(importer.name.c_str(), parent_import());
  CHECK_EQUAL(count.bound, 0u);
  CHECK_EQUAL(count.refused, 1u);
  CHECK_EQUAL(importer.parent(), kReplaced - 1);
  CHECK_EQUAL(ours.undo(), 0u);
  CHECK_EQUAL(importer.parent(), kReplaced - 1);
  CHECK_EQUAL(theirs.undo(), 0u);
  CHECK_EQUAL(importer.parent(), getppid());
  ours.release();
  theirs.release();
}

TEST("imports: a function that the library does not import, or a library that is not there, binds nothing") {
  Importer importer("now");
  Imports imports;
  CHECK(imports.init());
  Import none{"getpgid", dlsym(RTLD_DEFAULT, "getpgid"), reinterpret_cast<void*>(&replacement)};
  CHECK_EQUAL(imports.bind(importer.name.c_str(), none).bound, 0u);
  CHECK_EQUAL(imports.bind("libnowhere.so", parent_import()).bound, 0u);
  Import unknown{"getppid", nullptr, reinterpret_cast<void*>(&replacement)};
  CHECK_EQUAL(imports.bind(importer.name.c_str(), unknown).bound, 0u);
  CHECK_EQUAL(importer.parent(), getppid());
  imports.release();
}

TEST("imports: another thread calls through the pointer all the while") {
  Importer importer("now");
  Imports imports;
  CHECK(imports.init());
  std::atomic<bool> ends{false}, wrong{false};
  const int parent = getppid();
  std::thread caller([&] {
    while (!ends) {
      int found = importer.parent();
      if (found != parent && found != kReplaced) wrong = true;
    }
  });
  for (int round = 0; round < 200; round++) {
    imports.bind(importer.name.c_str(), parent_import());
    imports.undo();
  }
  ends = true;
  caller.join();
  imports.release();
  CHECK(!wrong);
}

TEST("imports: a page that the loader has made read-only since the mappings were read is written all the same") {
  Imports imports;
  CHECK(imports.init());
  // The mappings are read for the first; the second is not among them when it is bound.
  Importer first("now");
  CHECK_EQUAL(imports.bind(first.name.c_str(), parent_import()).bound, 1u);
  Importer second("noplt");
  const Imports::Count count = imports.bind(second.name.c_str(), parent_import());
  CHECK_EQUAL(count.bound, 1u);
  CHECK_EQUAL(count.refused, 0u);
  CHECK_EQUAL(imports.undo(), 0u);
  imports.release();
}
