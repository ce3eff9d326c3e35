#pragma once
#include <vector>

#include "core/row.h"

inline btrace::u32 captures_in(const std::vector<btrace::Row>& rows) {
  btrace::u32 sum = 0;
  for (const btrace::Row& row : rows) sum += row.stands_for();
  return sum;
}
