// Texts of markers: numbered once a recording, told once.
#include "core/texts.h"

#include "core/proto.h"
#include "core/session.h"
#include "harness.h"

using namespace btrace;

namespace {

struct Recording {
  Session* session = open_session({});
  Recording() {
    CHECK(session != nullptr);
    activate_session(*session);
  }
  ~Recording() {
    deactivate_session();
    close_session(*session);
  }
};

u32 number(const std::string& text) {
  return number_of_text(text.data(), text.size());
}

std::vector<std::string> told(u32 session) {
  std::vector<std::string> texts;
  Bytes out;
  take_new_texts(session, out);
  FieldReader entry(out.data(), out.size());
  while (entry.next()) {
    FieldReader field(entry.bytes(), entry.size());
    while (field.next())
      if (field.field() == 2) texts.emplace_back(reinterpret_cast<const char*>(field.bytes()), field.size());
  }
  CHECK(!entry.broken());
  out.release();
  return texts;
}

}  // namespace

TEST("texts: each is numbered and told once in a recording, also after it was stopped") {
  CHECK_EQUAL(number("nothing is recorded"), 0u);
  u32 session;
  {
    Recording recording;
    session = recording.session->id;
    CHECK_EQUAL(number("cart"), 1u);
    CHECK_EQUAL(number("pay"), 2u);
    CHECK_EQUAL(number("cart"), 1u);
    CHECK(told(session) == (std::vector<std::string>{"cart", "pay"}));
    CHECK(told(session).empty());
    CHECK_EQUAL(number("last"), 3u);
  }
  CHECK(told(session) == std::vector<std::string>{"last"});
  Recording next;
  CHECK_EQUAL(number("pay"), 1u);
  CHECK(told(session).empty());
}

TEST("texts: who comes when a recording is over takes nothing from the next one") {
  const auto session = [] { return Recording().session->id; }();
  Recording next;
  CHECK_EQUAL(number("cart"), 1u);
  CHECK_EQUAL(number_of_text(session, "late", 4), 0u);
  CHECK_EQUAL(number("pay"), 2u);
  CHECK(told(next.session->id) == (std::vector<std::string>{"cart", "pay"}));
}

TEST("texts: a long one is cut between characters, and there are not more than there is room for") {
  Recording recording;
  const std::string part = "\xc3\xa9\xc3\xa9\xc3\xa9";
  std::string text = "x";
  while (text.size() < 2000) text += part;
  CHECK_EQUAL(number(text), 1u);
  CHECK_EQUAL(told(recording.session->id).at(0), text.substr(0, 1023));
  for (u32 i = 2; i <= 16 * 1024; i++) CHECK_EQUAL(number(std::to_string(i)), i);
  CHECK_EQUAL(number("one more"), 0u);
  CHECK_EQUAL(number("2"), 2u);
}
