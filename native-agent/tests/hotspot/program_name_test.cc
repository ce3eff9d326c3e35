// The desktop names programs by the same table: test/unit/targets/local.test.ts.
#include "rt/hotspot/program_name.h"

#include "harness.h"
#include "json.h"

using btrace::hotspot::name_program;

TEST("program name: as the desktop has it") {
  const json::Value commands = json::read_file(BTRACE_JAVA_COMMANDS);
  CHECK(!commands.items.empty());
  for (const json::Value& one : commands.items) {
    const std::string& command = one["command"].text;
    char name[256];
    name_program(command.c_str(), name, sizeof name);
    harness::equal(std::string(name), one["name"].text, command.c_str(), __FILE__, __LINE__);
  }
}

TEST("program name: one that is longer than its room is cut") {
  char name[8];
  name_program("/opt/com.example.Shop.jar", name, sizeof name);
  CHECK_EQUAL(std::string(name), "com.exa");
}
