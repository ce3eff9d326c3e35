#include "rt/java/class_name.h"

#include "base/libc.h"

namespace btrace {

namespace {

const char* primitive(char code) {
  switch (code) {
    case 'Z': return "boolean";
    case 'B': return "byte";
    case 'C': return "char";
    case 'S': return "short";
    case 'I': return "int";
    case 'J': return "long";
    case 'F': return "float";
    case 'D': return "double";
    default: return nullptr;
  }
}

// Hidden classes end in ".0x0000000800c03000" or "/0x…": an address, different in every run.
size_t without_address(const char* text, size_t size) {
  for (size_t at = 1; at + 2 < size; at++)
    if ((text[at] == '.' || text[at] == '/' || text[at] == '+') && text[at + 1] == '0' && text[at + 2] == 'x')
      return at;
  return size;
}

}  // namespace

void readable_class_name(const char* internal, char* name, size_t size) {
  u32 dimensions = 0;
  while (*internal == '[') internal++, dimensions++;
  const char* text = internal;
  size_t length = strlen(internal);
  const char* simple = dimensions && length == 1 ? primitive(*internal) : nullptr;
  if (simple) {
    text = simple;
    length = strlen(simple);
  } else {
    if (length > 2 && internal[0] == 'L' && internal[length - 1] == ';') text++, length -= 2;
    length = without_address(text, length);
  }
  size_t at = 0;
  for (size_t i = 0; i < length && at + 1 < size; i++) name[at++] = text[i] == '/' ? '.' : text[i];
  for (; dimensions && at + 3 < size; dimensions--) {
    name[at++] = '[';
    name[at++] = ']';
  }
  name[at] = 0;
}

}  // namespace btrace
