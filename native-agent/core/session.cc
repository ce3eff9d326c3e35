#include "core/session.h"

#include "base/clock.h"
#include "base/pages.h"
#include "base/tick.h"
#include "os/process.h"

namespace btrace {

namespace {

// Lies in a page that a forked child finds empty: it has no drain and shall not capture.
struct Switchboard {
  Atomic<Session*> active;
  Atomic<u32> active_id;
  Atomic<u32> readers;
};
Switchboard* switchboard;
Atomic<u32> sessions_opened;
Atomic<u32> opened;
Session the_session;

Switchboard* make_switchboard() {
  auto* made = static_cast<Switchboard*>(map_pages(sizeof(Switchboard)));
  if (made) empty_in_forked_children(made, sizeof(Switchboard));
  return made;
}

}  // namespace

LinkRing g_links;

Session* active_session() {
  Switchboard* board = __atomic_load_n(&switchboard, __ATOMIC_ACQUIRE);
  return board ? board->active.load() : nullptr;
}

SessionReader::SessionReader() : session_(nullptr) {
  Switchboard* board = __atomic_load_n(&switchboard, __ATOMIC_ACQUIRE);
  if (!board) return;
  board->readers.add(1);
  session_ = board->active.load();
  if (!session_) board->readers.subtract(1);
}

SessionReader::~SessionReader() {
  if (session_) switchboard->readers.subtract(1);
}

u32 active_session_id() {
  Switchboard* board = __atomic_load_n(&switchboard, __ATOMIC_ACQUIRE);
  return board ? board->active_id.load_relaxed() : 0;
}

Session* open_session(const Config& config) {
  if (!switchboard) __atomic_store_n(&switchboard, make_switchboard(), __ATOMIC_RELEASE);
  if (!switchboard) return nullptr;
  Session& session = the_session;
  memset(static_cast<void*>(&session), 0, sizeof session);
  session.id = sessions_opened.add(1) + 1;
  session.config = config;
  session.stretch.store(Session::kUnstretched);
  session.waits_stretch.store(Session::kUnstretched);
  session.agent_stretch.store(Session::kUnstretched);
  session.interrupts_stretch.store(Session::kUnstretched);
  // Of the bound: 3/8 for two stack tables (24 bytes a node), 3/8 samples, the rest for the drain's buffers and names.
  u64 share = config.memory_bytes * 3 / 8;
  u32 nodes = 1024;
  while (u64{nodes} * 2 * 2 * 24 <= share) nodes *= 2;
  session.walk_buffers = map_array<WalkBuffer>(Session::kWalkBuffers);
  g_links.clear();
  if (!session.pool.init(share) || !session.stacks.init(nodes) || !session.known.init() || !session.walk_buffers ||
      !session.images.init() || !session.natives.init()) {
    close_session(session);
    return nullptr;
  }
  opened.store(1);
  ticks_per_1024_ns();
  session.origin_boottime_ns = clock_ns(kClockBoottime);
  session.origin_ns = now_ns();
  session.origin_realtime_ns = clock_ns(kClockRealtime);
  return &session;
}

void activate_session(Session& session) {
  switchboard->active.store(&session);
  switchboard->active_id.store(session.id);
}

void deactivate_session() {
  if (!switchboard) return;
  switchboard->active_id.store(0);
  switchboard->active.store(nullptr);
  // A capture takes `busy` first and looks for the session then: whoever is not busy now sees no session any more.
  for (u32 slot = 0, end = g_threads.slots(); slot < end; slot++)
    while (g_threads.at(slot).busy.load() == Holder::Thread) sleep_ns(20 * kNsPerUs);
  while (switchboard->readers.load()) sleep_ns(20 * kNsPerUs);
}

bool session_is_open() {
  return opened.load() != 0;
}

void close_session(Session& session) {
  opened.store(0);
  session.pool.release();
  session.stacks.release();
  session.known.release();
  session.images.release();
  session.natives.release();
  session.off_carrier_waits.release();
  unmap_array(session.walk_buffers, Session::kWalkBuffers);
}

u64 held_bytes(const Session& session) {
  return session.pool.touched_bytes() + session.stacks.touched_bytes() + session.images.touched_bytes() +
         session.natives.touched_bytes() + session.off_carrier_waits.bytes() + KnownStacks::kBytes + g_threads.bytes() +
         sizeof(Session) + Session::kWalkBuffers * sizeof(WalkBuffer) + sizeof(LinkRing);
}

const HookReport* Session::hook(const char* name) const {
  for (u32 i = 0; i < hook_count; i++)
    if (strcmp(hooks[i].name, name) == 0) return hooks + i;
  return nullptr;
}

void Session::report_hook(const char* name, HookState state, const char* why) {
  u32 at = 0;
  while (at < hook_count && strcmp(hooks[at].name, name) != 0) at++;
  if (at == kMaxHooks) return;
  // What is said of a hook that is in goes for the recording: it holds when it is out again.
  if (state == HookState::Removed && !why && at < hook_count) why = hooks[at].why;
  hooks[at] = {name, state, why};
  if (at == hook_count) hook_count++;
  hooks_changed.store(1);
}

}  // namespace btrace
