// unit-tests --list | unit-tests [part of a name …]. One line a case: "ok NAME" or "FAILED NAME: why".
#include <cstring>

#include "harness.h"

int main(int count, char** arguments) {
  if (count > 1 && !strcmp(arguments[1], "--list")) {
    for (const auto& test : harness::cases()) printf("%s\n", test.name);
    return 0;
  }
  int failed = 0;
  for (const auto& test : harness::cases()) {
    bool wanted = count == 1;
    for (int i = 1; i < count; i++) wanted |= strstr(test.name, arguments[i]) != nullptr;
    if (!wanted) continue;
    try {
      test.run();
      printf("ok %s\n", test.name);
    } catch (const harness::Failure& failure) {
      printf("FAILED %s: %s\n", test.name, failure.what.c_str());
      failed++;
    }
    fflush(stdout);
  }
  return failed ? 1 : 0;
}
