#include "json.h"

#include <cstring>
#include <fstream>
#include <sstream>

#include "harness.h"

namespace json {

namespace {

struct Parser {
  const std::string& text;
  size_t at = 0;

  char peek() {
    while (at < text.size() && isspace(static_cast<unsigned char>(text[at]))) at++;
    return at < text.size() ? text[at] : 0;
  }
  void expect(char c) {
    if (peek() != c) harness::fail("json", static_cast<int>(at), std::string("expected ") + c);
    at++;
  }
  std::string string() {
    expect('"');
    size_t begin = at;
    while (text.at(at) != '"') at++;  // the vectors escape nothing
    return text.substr(begin, at++ - begin);
  }
  Value value() {
    Value result;
    char first = peek();
    if (first == '"') {
      result.text = string();
    } else if (first == '[') {
      at++;
      while (peek() != ']') {
        result.items.push_back(value());
        if (peek() == ',') at++;
      }
      at++;
    } else if (first == '{') {
      at++;
      while (peek() != '}') {
        std::string name = string();
        expect(':');
        result.fields[name] = value();
        if (peek() == ',') at++;
      }
      at++;
    } else {
      while (at < text.size() && !strchr(",]} \n\r\t", text[at])) result.text += text[at++];
    }
    return result;
  }
};

}  // namespace

const Value& Value::operator[](const std::string& name) const {
  auto found = fields.find(name);
  if (found == fields.end()) harness::fail("json", 0, "no field " + name);
  return found->second;
}

Value read_file(const std::string& path) {
  std::ifstream in(path);
  std::stringstream all;
  all << in.rdbuf();
  std::string text = all.str();
  if (text.empty()) harness::fail("json", 0, "cannot read " + path);
  return Parser{text}.value();
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string to_hex(const void* data, size_t size) {
  static const char* digits = "0123456789abcdef";
  std::string hex;
  for (size_t i = 0; i < size; i++) {
    unsigned char byte = static_cast<const unsigned char*>(data)[i];
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  return hex;
}

}  // namespace json
