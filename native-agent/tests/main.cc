// unit-tests --list | unit-tests [part of a name …]. One line a case: "ok NAME" or "FAILED NAME: why".
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>

#include "harness.h"

void harness::fail(const char* file, int line, const char* what) {
  throw Failure{std::string(file) + ":" + std::to_string(line) + ": " + what};
}

void harness::differ(const char* file, int line, const char* text, const std::string& actual,
                     const std::string& expected) {
  fail(file, line, std::string(text) + " is " + actual + ", expected " + expected);
}

int main(int count, char** arguments) {
  if (count > 1 && !strcmp(arguments[1], "--list")) {
    for (const auto& test : harness::cases()) printf("%s\n", test.name);
    return 0;
  }
  // Two of these programs may run at once, of two builds: their files lie in folders of their own.
  std::string folder = (std::filesystem::temp_directory_path() / "btrace-unit-tests-XXXXXX").string();
  if (!mkdtemp(folder.data())) return perror("mkdtemp"), 2;
  std::filesystem::current_path(folder);
  int failed = 0;
  for (const auto& test : harness::cases()) {
    bool wanted = count == 1;
    for (int i = 1; i < count; i++) wanted |= strstr(test.name, arguments[i]) != nullptr;
    if (!wanted) continue;
    std::string why;
    try {
      test.run();
    } catch (const harness::Failure& failure) {
      why = failure.what;
    } catch (const std::exception& thrown) {  // of the standard library, as by a file that is not there
      why = std::string("threw ") + thrown.what();
    }
    if (why.empty())
      printf("ok %s\n", test.name);
    else
      printf("FAILED %s: %s\n", test.name, why.c_str());
    failed += !why.empty();
    fflush(stdout);
  }
  std::filesystem::current_path("/");
  std::filesystem::remove_all(folder);
  return failed ? 1 : 0;
}
