// A program that works in a library of the system's alone.
#include "libsystem.h"

extern "C" void shelf_use();

int main() asm("_main");
int main() {
  shelf_use();
  return 0;
}
