#pragma once
// Just enough JSON to read the test vectors.
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace json {

struct Value {
  std::string text;  // of a string or a number
  std::vector<Value> items;
  std::map<std::string, Value> fields;

  const Value& operator[](const std::string& name) const;
  bool has(const std::string& name) const { return fields.count(name) > 0; }
  long long number() const { return std::stoll(text); }
};

Value read_file(const std::string& path);
std::string from_hex(const std::string& hex);
std::string to_hex(const void* data, size_t size);

}  // namespace json
