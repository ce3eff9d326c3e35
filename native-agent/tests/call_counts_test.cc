// Counts what libraries call, which are linked in each of the usual ways.
#include "rt/native/call_counts.h"

#include <dlfcn.h>
#include <unistd.h>

#include <map>
#include <string>
#include <thread>

#include "harness.h"

using namespace btrace;
using btrace::native::CallCounts;

namespace {

using Parent = int (*)();
using Format = int (*)(char*, unsigned long, int);

struct Importer {
  explicit Importer(const char* way) : file(std::string("libimporter-") + way + ".so") {
    handle = dlopen((std::string(BTRACE_TEST_LIBRARIES "/") + file).c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!handle) harness::fail(__FILE__, __LINE__, dlerror());
    parent = reinterpret_cast<Parent>(dlsym(handle, "btrace_test_parent"));
    format = reinterpret_cast<Format>(dlsym(handle, "btrace_test_format"));
  }
  ~Importer() { dlclose(handle); }
  bool formats(int first) const {
    char text[128];
    format(text, sizeof text, first);
    return std::to_string(first) + " 8 9 10 11 0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5 8.5 9.5" == text;
  }
  std::string file;
  void* handle;
  Parent parent;
  Format format;
};

// As in the agent, one for the whole process: its stubs are never given back.
CallCounts g_counts;

struct Survey {
  Survey() {
    CHECK(images.init());
    images.refresh();
    CHECK(g_counts.begin());
    g_counts.count_imports(images, "libc.so");
  }
  ~Survey() {
    end();
    images.release();
  }
  u32 end() { return g_counts.end(); }
  bool is_of(u32 image, const std::string& file) const {
    const std::string path = image == Images::kNone ? "" : images.at(image).path;
    return path.size() >= file.size() && path.compare(path.size() - file.size(), file.size(), file) == 0;
  }
  // Calls of one function by one library since the last time, by thread.
  std::map<u32, u64> counted(const std::string& caller, const std::string& name) {
    std::map<u32, u64> by_thread;
    CallCount count;
    for (u64 at = 0; g_counts.next(at, count);) {
      const CalledFunction& function = g_counts.function(count.function);
      if (name == function.name && is_of(function.caller, caller)) by_thread[count.tid] += count.count;
    }
    return by_thread;
  }
  Images images{};
};

}  // namespace

TEST("call counts: each call is counted by its thread, and gets its arguments as they were given") {
  for (const char* way : {"now", "lazy"}) {
    Importer importer(way);
    importer.parent();
    CHECK(importer.formats(7));
    Survey survey;
    CHECK(survey.counted(importer.file, "getppid").empty());
    for (int i = 0; i < 1000; i++) CHECK_EQUAL(importer.parent(), getppid());
    u32 other = 0;
    std::thread thread([&] {
      other = static_cast<u32>(gettid());
      for (int i = 0; i < 77; i++) importer.parent();
    });
    thread.join();
    const std::map<u32, u64> expected{{static_cast<u32>(gettid()), 1000}, {other, 77}};
    CHECK(survey.counted(importer.file, "getppid") == expected);
    CHECK(survey.counted(importer.file, "getppid").empty());
    // The first call of this thread: it takes its column with the arguments in their registers.
    bool is_whole = false;
    std::thread([&] { is_whole = importer.formats(7); }).join();
    CHECK(is_whole);
    CHECK(importer.formats(7));
    u64 formatted = 0;
    for (const auto& [tid, count] : survey.counted(importer.file, "snprintf")) formatted += count;
    CHECK_EQUAL(formatted, 2u);
  }
}

TEST("call counts: a function that is bound at its first call is counted once, and again from the next look on") {
  Importer importer("lazy");
  Survey survey;
  const u32 tid = static_cast<u32>(gettid());
  for (int i = 0; i < 5; i++) CHECK_EQUAL(importer.parent(), getppid());
  CHECK(survey.counted(importer.file, "getppid") == (std::map<u32, u64>{{tid, 1}}));
  g_counts.count_imports(survey.images, "libc.so");
  for (int i = 0; i < 5; i++) CHECK_EQUAL(importer.parent(), getppid());
  CHECK(survey.counted(importer.file, "getppid") == (std::map<u32, u64>{{tid, 5}}));
}

TEST("call counts: pointers are as before when it ends, and the next survey begins at nothing") {
  Importer importer("now");
  {
    Survey survey;
    importer.parent();
    CHECK_EQUAL(survey.end(), 0u);
    importer.parent();
    CHECK(survey.counted(importer.file, "getppid") == (std::map<u32, u64>{{static_cast<u32>(gettid()), 1}}));
  }
  // Whoever redirects it now finds the C library's function there.
  Imports imports;
  CHECK(imports.init());
  const Import import{"getppid", dlsym(RTLD_DEFAULT, "getppid"), reinterpret_cast<void*>(&gettid)};
  const Imports::Count count = imports.bind(importer.file.c_str(), import);
  CHECK_EQUAL(count.bound, 1u);
  CHECK_EQUAL(count.refused, 0u);
  CHECK_EQUAL(imports.undo(), 0u);
  imports.release();
  importer.parent();
  const u32 functions = g_counts.functions();
  Survey again;
  CHECK_EQUAL(g_counts.functions(), functions);
  importer.parent();
  CHECK(again.counted(importer.file, "getppid") == (std::map<u32, u64>{{static_cast<u32>(gettid()), 1}}));
}

TEST("call counts: what is imported by address is left alone, because it may be compared") {
  Importer importer("noplt");
  Survey survey;
  for (int i = 0; i < 3; i++) CHECK_EQUAL(importer.parent(), getppid());
  CHECK(survey.counted(importer.file, "getppid").empty());
  CHECK(g_counts.left_out() >= 2);
}

// Last: it takes all columns.
TEST("call counts: threads beyond those that have a column are counted together") {
  Importer importer("now");
  Survey survey;
  constexpr u32 kThreads = CallCounts::kColumns + 20;
  for (u32 i = 0; i < kThreads; i++) std::thread([&] { importer.parent(); }).join();
  u64 all = 0;
  const std::map<u32, u64> counted = survey.counted(importer.file, "getppid");
  for (const auto& [tid, count] : counted) all += count;
  CHECK_EQUAL(all, u64{kThreads});
  CHECK(counted.contains(0) && counted.at(0) >= 20);
}
