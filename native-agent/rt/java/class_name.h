#pragma once
#include "base/types.h"

namespace btrace {

// A Java class's internal name ("com/example/Shop$Cart", "[B", "Lcom/example/Shop;") as a person writes it.
void readable_class_name(const char* internal, char* name, size_t size);

}  // namespace btrace
