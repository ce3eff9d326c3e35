// btrace-external: records a native program externally and sends the recording to the desktop.
//   btrace-external OPTIONS --pid PID
//   btrace-external OPTIONS -- COMMAND…     starts it and records it from its first instruction
// Or loads the agent into it, which records it from inside (agent_loader.h):
//   btrace-external OPTIONS --load LIBRARY PID
// Or tells of the switches of a program's threads, to be laid beside a recording of it (program_switches.h):
//   btrace-external --switches
// OPTIONS are the agent's own (docs/FORMAT.md, Conversation). A refusal is two lines on the standard error: what
// happened and what to do, with exit code 3. Else the exit code is that of COMMAND.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/connection.h"
#include "core/options.h"
#include "core/proto.h"
#include "host/agent_loader.h"
#include "host/external_recording.h"
#include "host/program_switches.h"
#include "os/machine.h"
#include "os/socket.h"

using namespace btrace;
using namespace btrace::host;

namespace {

constexpr int kRefused = 3, kWrongUse = 2;
constexpr int kNice = -10;
constexpr i64 kRoundNs = 10 * kNsPerMs;
constexpr i64 kCutEveryNs = 300 * kNsPerMs;
constexpr i64 kStatusEveryNs = 900 * kNsPerMs;
constexpr i64 kHelloNs = 10 * kNsPerSecond, kFarewellNs = 10 * kNsPerSecond;
// A reader that is this much behind gets no new rows; they wait, and are counted where there is no room.
constexpr size_t kUnsentLimit = 8 << 20;

int refuse(const Refusal& why) {
  fprintf(stderr, "%s\n%s\n", why.what.c_str(), why.next_step.c_str());
  return kRefused;
}

// A program that is started for the recording: it waits for a byte before it becomes the command.
struct Command {
  pid_t pid;
  int go;
};

Command prepare(char** words) {
  int both[2];
  if (pipe2(both, O_CLOEXEC)) return {-1, -1};
  const pid_t pid = fork();
  if (pid) {
    close(both[0]);
    return {pid, both[1]};
  }
  close(both[1]);
  char byte;
  if (read(both[0], &byte, 1) != 1) _exit(kRefused);
  execvp(words[0], words);
  fprintf(stderr, "btrace: %s: %s\n", words[0], strerror(errno));
  _exit(errno == ENOENT ? 127 : 126);
}

bool receive_hello(Connection& connection, const Options& options, Config& config) {
  ChunkView chunk;
  for (const i64 until = now_ns() + kHelloNs; !connection.next(chunk); connection.pump(kRoundNs))
    if (!connection.is_open() || now_ns() >= until) return false;
  bool is_known = false;
  u64 major = 0;
  FieldReader field(chunk.payload, chunk.size);
  while (chunk.kind == ChunkKind::Hello && field.next()) {
    if (field.field() == 1) major = field.value();
    if (field.field() == 2 && field.is_bytes() && field.size() == Options::kTokenBytes) {
      u8 difference = 0;
      for (u32 i = 0; i < Options::kTokenBytes; i++) difference |= field.bytes()[i] ^ options.token[i];
      is_known = !difference;
    }
    if (field.field() == 3 && field.is_bytes() && !parse_config(field.bytes(), field.size(), config)) return false;
  }
  return is_known && major == kFormatMajor;
}

// What the desktop says: true for the end.
bool is_asked_to_end(Connection& connection) {
  ChunkView chunk;
  bool ends = false;
  while (connection.next(chunk)) {
    if (chunk.kind != ChunkKind::Command) continue;
    u64 kind = 0;
    FieldReader field(chunk.payload, chunk.size);
    while (field.next())
      if (field.field() == 1) kind = field.value();
    ends |= kind != static_cast<u64>(CommandKind::Dump);
  }
  return ends || !connection.is_open();
}

bool is_on_processor(const TargetProcess& process, u32 tid) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%u/task/%u/stat", process.pid(), tid);
  if (read_small_file(path, text, sizeof text) <= 0) return false;
  const char* name_end = strrchr(text, ')');
  return name_end && name_end[1] && name_end[2] == 'R';
}

class Recorder {
 public:
  Recorder(Connection& connection, const Options& options, const Config& config, TargetProcess& process)
      : connection_(connection), options_(options), config_(config), process_(process), images_(process),
        recording_(process, images_, config) {}

  bool open(bool on_exec, Refusal& why) {
    if (!recording_.init()) {
      why = {"There is no memory for stacks.", "Ask for less with --memory."};
      return false;
    }
    std::vector<u32> threads = process_.threads();
    if (config_.main_only) threads = {process_.pid()};
    if (!events_.open(process_.pid(), threads, {config_.async_interval_ns, on_exec}, why)) return false;
    if (!on_exec)
      for (const Mapping& mapping : process_.mappings()) images_.add(mapping);
    std::vector<u32> later;
    for (const u32 tid : config_.main_only ? threads : process_.threads()) {
      bool is_new = true;
      for (const u32 known : threads) is_new &= known != tid;
      // Threads of threads that had their events come with them; this one's creator had none yet.
      if (is_new) later.push_back(tid);
      recording_.meet(tid, on_exec || is_on_processor(process_, tid));
    }
    events_.add(later);
    return true;
  }

  void run(int go) {
    Bytes& out = connection_.out();
    size_t begin = begin_chunk(out);
    put_bytes_field(out, 1, options_.answer, sizeof options_.answer);
    put_field(out, 2, process_.pid());
    recording_.end_chunk_of(out, begin, ChunkKind::Welcome);
    recording_.cut_header(out);
    recording_.cut_hooks(out, events_.has_switch_stacks());
    events_.enable();
    if (go >= 0 && write(go, "g", 1) != 1) return;
    EndReason reason = EndReason::Stopped;
    i64 next_cut = 0, next_status = 0;
    while (true) {
      connection_.pump(events_.fill_percent() > 25 ? 0 : kRoundNs);
      if (is_asked_to_end(connection_)) break;
      take_round(false);
      const i64 now = now_ns();
      if (now < next_cut) continue;
      next_cut = now + kCutEveryNs;
      if (connection_.unsent() < kUnsentLimit) recording_.cut(out);
      if (now >= next_status) {
        next_status = now + kStatusEveryNs;
        recording_.cut_load(out);
        recording_.cut_status(out, connection_.bytes_sent(), connection_.held_bytes() + events_.buffer_bytes());
      }
      if (!process_.is_alive()) {
        reason = EndReason::TargetExited;
        break;
      }
    }
    take_round(true);
    recording_.cut_last(out);
    recording_.cut_load(out);
    recording_.cut_status(out, connection_.bytes_sent(), connection_.held_bytes() + events_.buffer_bytes());
    recording_.cut_goodbye(out, reason, nullptr);
    for (const i64 until = now_ns() + kFarewellNs; connection_.is_open() && connection_.unsent() && now_ns() < until;)
      connection_.pump(kRoundNs);
  }

 private:
  void take_round(bool is_last) {
    if (is_last)
      events_.begin_last_round();
    else
      events_.begin_round();
    KernelRecord record;
    while (events_.next(record)) recording_.take(record);
    events_.end_round();
  }

  Connection& connection_;
  const Options& options_;
  const Config& config_;
  TargetProcess& process_;
  TargetImages images_;
  KernelEvents events_;
  ExternalRecording recording_;
};

int exit_code_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int main(int count, char** words) {
  if (count == 5 && !strcmp(words[2], "--load")) {
    signal(SIGINT, SIG_IGN);
    (void)setpriority(PRIO_PROCESS, 0, kNice);
    const AgentLoad load{static_cast<u32>(strtoul(words[4], nullptr, 10)), words[3], words[1]};
    Refusal why;
    return load_agent(load, why) ? 0 : refuse(why);
  }
  if (count == 2 && !strcmp(words[1], "--switches")) {
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    raise_open_files();
    (void)setpriority(PRIO_PROCESS, 0, kNice);
    Refusal why;
    return stream_switches(STDIN_FILENO, STDOUT_FILENO, why) ? 0 : refuse(why);
  }
  Options options;
  if (count < 4 || !parse_options(words[1], options)) {
    fprintf(stderr, "This program is part of BTrace and is started by it.\nUse: btrace record --pid PID\n");
    return kWrongUse;
  }
  const bool starts = !strcmp(words[2], "--");
  // First of all: the command inherits limits and which signals are ignored.
  const Command command = starts ? prepare(words + 3) : Command{-1, -1};
  if (starts && command.pid < 0)
    return refuse({"No process could be started.", "See the limit of processes (ulimit -u)."});
  // Ctrl-C in a terminal is for the program and for btrace, which then asks us to end.
  signal(SIGINT, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  raise_open_files();
  // On a busy machine samples are lost while this program waits for a processor. Not everyone may ask for a better
  // place.
  (void)setpriority(PRIO_PROCESS, 0, kNice);
  const u32 pid = starts ? static_cast<u32>(command.pid) : static_cast<u32>(strtoul(words[3], nullptr, 10));
  const int socket = connect_path(options.socket);
  if (socket < 0) return refuse({"The desktop does not listen any more.", "Try again."});
  Connection connection(socket);
  Config config;
  if (!receive_hello(connection, options, config))
    return refuse({"The desktop did not say what to record.", "Try again."});
  TargetProcess process(pid, starts ? words[3] : "");
  {
    auto recorder = std::make_unique<Recorder>(connection, options, config, process);
    Refusal why;
    if (!recorder->open(starts, why)) return refuse(why);
    recorder->run(command.go);
  }
  connection.release();
  return starts ? exit_code_of(command.pid) : 0;
}
