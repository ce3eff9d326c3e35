#include "host/kernel_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/machine.h"

namespace btrace::host {

namespace {

// Of one processor: a busy thread fills some 800 kB a second at 10 ms, and a reader may be late by a second.
constexpr u64 kMostBufferBytes = 4 * kMiB;
constexpr u64 kLeastBufferBytes = 64 * 1024;
// Of switches alone, at 24 bytes each. It leaves most of what a user may lock (perf_event_mlock_kb) to the samples.
constexpr u64 kMostSwitchBytes = 256 * 1024;
constexpr u64 kLeastSwitchBytes = 16 * 1024;
// A record of a thread's begin or end with one of a loss before it has 88.
constexpr u64 kRoomForRecord = 128;
// Records are multiples of it.
constexpr u64 kRecordUnit = sizeof(u64);
// A sample has its ids and time behind its header and address; other records end with them.
constexpr u64 kIdsAndTimeBytes = 16;
constexpr u64 kSampleIdsAt = sizeof(perf_event_header) + sizeof(u64);
constexpr u64 kSampleTimeAt = kSampleIdsAt + sizeof(u64);
constexpr u64 kSampleHeadBytes = kSampleTimeAt + sizeof(u64);
constexpr u64 kFormatLost = 1 << 4;  // PERF_FORMAT_LOST, which older headers do not have
// What is copied of a thread's stack: at a sample, and at a switch, of which there may be thousands a second.
constexpr u32 kSampleStackBytes = 16 * 1024;
constexpr u32 kSwitchStackBytes = 4 * 1024;

#if defined(__x86_64__)
constexpr u64 kRegisters = 1 << 6 | 1 << 7 | 1 << 8;  // BP, SP, IP
constexpr u32 kRegisterCount = 3;
#elif defined(__aarch64__)
constexpr u64 kRegisters = u64{1} << 29 | u64{1} << 30 | u64{1} << 31 | u64{1} << 32;  // x29, x30, SP, PC
constexpr u32 kRegisterCount = 4;
#endif

int perf_event_open(perf_event_attr& attr, u32 tid, u32 processor) {
  return static_cast<int>(syscall(SYS_perf_event_open, &attr, tid, processor, -1, PERF_FLAG_FD_CLOEXEC));
}

std::vector<u32> online_processors() {
  std::vector<u32> found;
  char text[4096] = "0";
  read_small_file("/sys/devices/system/cpu/online", text, sizeof text);
  for (char* at = text; *at >= '0' && *at <= '9';) {
    u32 first = static_cast<u32>(strtoul(at, &at, 10)), last = first;
    if (*at == '-') last = static_cast<u32>(strtoul(at + 1, &at, 10));
    for (; first <= last && found.size() < 4096; first++) found.push_back(first);
    if (*at == ',') at++;
  }
  return found;
}

int paranoid() {
  char text[32];
  return read_small_file("/proc/sys/kernel/perf_event_paranoid", text, sizeof text) > 0 ? atoi(text) : -1;
}

Refusal refusal_of(int error) {
  const int level = paranoid();
  if ((error == EACCES || error == EPERM) && level > 2)
    return {"The kernel lets no user sample programs: kernel.perf_event_paranoid is " + std::to_string(level) + ".",
            "Allow it for one's own programs: sudo sysctl kernel.perf_event_paranoid=2"};
  if (error == EACCES || error == EPERM)
    return {"The kernel does not let this user sample that program: it belongs to another user, runs with more rights, "
            "or a container's policy forbids perf_event_open.",
            "Run btrace as the program's user; in a container allow perf_event_open (docker: --cap-add PERFMON, or a "
            "seccomp profile that has it)."};
  if (error == ENOSYS || error == ENOENT || error == EOPNOTSUPP)
    return {"This kernel has no perf_event_open.", "Record on a kernel that was built with CONFIG_PERF_EVENTS."};
  if (error == EMFILE || error == ENFILE)
    return {"There are too few open files for one event a thread and processor.",
            "Raise the limit (ulimit -n), or record a program with fewer threads."};
  if (error == ENOMEM)
    return {"The kernel gives no memory for samples.", "Raise kernel.perf_event_mlock_kb or the limit ulimit -l."};
  return {std::string("The program cannot be sampled: ") + strerror(error) + ".",
          "See what the kernel logged (dmesg)."};
}

}  // namespace

void raise_open_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit)) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

perf_event_attr KernelEvents::sample_event() const {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  // Where no samples by CPU time are wanted the event tells of all else.
  attr.config = options_.interval_ns ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_DUMMY;
  attr.sample_period = options_.interval_ns ? static_cast<u64>(options_.interval_ns) : 1;
  attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |
                     PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  attr.sample_regs_user = kRegisters;
  attr.sample_stack_user = kSampleStackBytes;
  attr.disabled = 1;
  attr.inherit = 1;
  attr.enable_on_exec = options_.on_exec;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.exclude_callchain_kernel = 1;
  attr.mmap = attr.mmap2 = 1;
  attr.comm = attr.comm_exec = 1;
  attr.task = 1;
  attr.context_switch = 1;
  attr.sample_id_all = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  return attr;
}

// Tells of switches, and of threads that begin and end. It counts nothing and so never samples.
perf_event_attr KernelEvents::switch_event() const {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  attr.read_format = counts_lost_ ? kFormatLost : 0;
  attr.disabled = 1;
  attr.inherit = 1;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.task = 1;
  attr.context_switch = 1;
  attr.sample_id_all = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  return attr;
}

// The first event of a processor owns its buffer; the others write into it.
KernelEvents::Opened KernelEvents::open_for(u32 tid, u32 processor, const perf_event_attr& wanted) {
  perf_event_attr attr = wanted;
  int fd = perf_event_open(attr, tid, processors_[processor]);
  if (fd < 0 && errno == EINVAL && attr.read_format) {
    counts_lost_ = false;
    attr.read_format = 0;
    fd = perf_event_open(attr, tid, processors_[processor]);
  }
  if (fd < 0) {
    error_ = errno;
    return error_ == ESRCH ? Opened::Gone : Opened::Failed;
  }
  Buffer& buffer = buffers_[processor];
  if (!buffer.page) {
    buffer.fd = fd;
    if (!map(buffer)) {
      error_ = errno == EPERM ? ENOMEM : errno;  // beyond what this user may lock
      ::close(fd);
      return Opened::Failed;
    }
  } else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, buffer.fd)) {
    error_ = errno;
    ::close(fd);
    return Opened::Failed;
  }
  fds_.push_back(fd);
  return Opened::Yes;
}

bool KernelEvents::map(Buffer& buffer) {
  const u64 most = options_.switches_only ? kMostSwitchBytes : kMostBufferBytes;
  const u64 least = options_.switches_only ? kLeastSwitchBytes : kLeastBufferBytes;
  for (u64 bytes = most; bytes >= least; bytes /= 2) {
    void* at = mmap(nullptr, page_bytes() + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, buffer.fd, 0);
    if (at == MAP_FAILED) continue;
    buffer.page = static_cast<perf_event_mmap_page*>(at);
    buffer.data = static_cast<const u8*>(at) + page_bytes();
    buffer.bytes = bytes;
    buffer.copy.resize(65536);
    return true;
  }
  return false;
}

KernelEvents::Opened KernelEvents::open_thread(u32 tid) {
  const perf_event_attr samples = options_.switches_only ? switch_event() : sample_event();
  for (u32 processor = 0; processor < processors_.size(); processor++) {
    const Opened how = open_for(tid, processor, samples);
    if (how != Opened::Yes) return how;
    if (!has_switch_stacks_) continue;
    // The switch itself happens in the kernel, and exclude_kernel would leave all of them out.
    perf_event_attr switches = samples;
    switches.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    switches.sample_period = 1;
    switches.sample_stack_user = kSwitchStackBytes;
    switches.exclude_kernel = 0;
    switches.mmap = switches.mmap2 = switches.comm = switches.comm_exec = switches.task = switches.context_switch = 0;
    const Opened stacks = open_for(tid, processor, switches);
    if (stacks == Opened::Gone) return stacks;
    if (stacks == Opened::Failed) has_switch_stacks_ = false;
  }
  return Opened::Yes;
}

bool KernelEvents::open(u32 pid, const std::vector<u32>& tids, const EventOptions& options, Refusal& why) {
  options_ = options;
  has_switch_stacks_ &= !options.switches_only;
  processors_ = online_processors();
  buffers_.resize(processors_.size());
  size_t opened = 0;
  for (const u32 tid : tids) {
    const Opened how = open_thread(tid);
    if (how == Opened::Yes) opened++;
    if (how != Opened::Failed) continue;
    why = refusal_of(error_);
    return false;
  }
  if (opened) return true;
  why = {"Process " + std::to_string(pid) + " has ended.", "See what runs with: btrace list"};
  return false;
}

void KernelEvents::add(const std::vector<u32>& tids) {
  for (const u32 tid : tids) open_thread(tid);
}

void KernelEvents::enable() {
  next_until_ns_ = now_ns();
  if (options_.on_exec) return;
  for (const int fd : fds_) ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

void KernelEvents::close() {
  for (Buffer& buffer : buffers_)
    if (buffer.page) munmap(buffer.page, page_bytes() + buffer.bytes);
  buffers_.clear();
  for (const int fd : fds_) ::close(fd);
  fds_.clear();
}

void KernelEvents::begin_round() {
  until_ns_ = next_until_ns_;
  next_until_ns_ = now_ns();
  for (Buffer& buffer : buffers_) {
    if (!buffer.page) continue;
    buffer.head = __atomic_load_n(&buffer.page->data_head, __ATOMIC_ACQUIRE);
    if (buffer.head - buffer.tail + kRoomForRecord > buffer.bytes) buffer.full_at = buffer.head;
    look(buffer);
  }
  last_ = nullptr;
}

void KernelEvents::begin_last_round() {
  for (const int fd : fds_) ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
  begin_round();
  until_ns_ = INT64_MAX;
}

u64 KernelEvents::fill_percent() const {
  u64 most = 0;
  for (const Buffer& buffer : buffers_) {
    if (!buffer.page) continue;
    const u64 head = __atomic_load_n(&buffer.page->data_head, __ATOMIC_ACQUIRE);
    most = max_of(most, (head - buffer.tail) * 100 / buffer.bytes);
  }
  return most;
}

std::vector<u32> KernelEvents::full_to_the_end() const {
  std::vector<u32> full;
  for (size_t at = 0; at < buffers_.size(); at++)
    if (buffers_[at].full_at) full.push_back(processors_[at]);
  return full;
}

bool KernelEvents::read_lost(u64& count) const {
  count = 0;
  for (const int fd : fds_) {
    u64 values[2] = {};  // of the event, and what it lost
    if (!counts_lost_ || read(fd, values, sizeof values) != sizeof values) return false;
    count += values[1];
  }
  return true;
}

size_t KernelEvents::buffer_bytes() const {
  size_t sum = 0;
  for (const Buffer& buffer : buffers_) sum += buffer.bytes;
  return sum;
}

// For the ids and the time that it must have.
u64 KernelEvents::least_bytes(const perf_event_header& header) {
  return header.type == PERF_RECORD_SAMPLE ? kSampleHeadBytes : sizeof header + kIdsAndTimeBytes;
}

// Makes the buffer's next record readable in one piece.
void KernelEvents::look(Buffer& buffer) {
  buffer.record = nullptr;
  if (buffer.tail == buffer.head) return;
  const u64 at = buffer.tail % buffer.bytes;
  const auto* header = reinterpret_cast<const perf_event_header*>(buffer.data + at);
  const u64 size = header->size;
  const bool is_whole = size >= least_bytes(*header) && size % kRecordUnit == 0 &&
                        size <= min_of(buffer.head - buffer.tail, buffer.bytes);
  if (!is_whole) {  // never seen; all behind it is lost
    buffer.tail = buffer.head;
    return;
  }
  buffer.record = buffer.data + at;
  if (at + size > buffer.bytes) {
    const u64 front = buffer.bytes - at;
    memcpy(buffer.copy.data(), buffer.data + at, front);
    memcpy(buffer.copy.data() + front, buffer.data, size - front);
    buffer.record = buffer.copy.data();
  }
  const u64 time_at = header->type == PERF_RECORD_SAMPLE ? kSampleTimeAt : size - sizeof(u64);
  memcpy(&buffer.time_ns, buffer.record + time_at, sizeof buffer.time_ns);
}

bool KernelEvents::next(KernelRecord& record) {
  if (last_) {
    if (last_->full_at && last_->tail >= last_->full_at) last_->full_at = 0;
    last_->tail += reinterpret_cast<const perf_event_header*>(last_->record)->size;
    look(*last_);
    last_ = nullptr;
  }
  Buffer* first = nullptr;
  for (Buffer& buffer : buffers_)
    if (buffer.page && buffer.record && (!first || buffer.time_ns < first->time_ns)) first = &buffer;
  if (!first || first->time_ns > until_ns_) return false;
  last_ = first;
  const auto* header = reinterpret_cast<const perf_event_header*>(first->record);
  const u64 ids_at = header->type == PERF_RECORD_SAMPLE ? kSampleIdsAt : header->size - kIdsAndTimeBytes;
  u32 ids[2];
  memcpy(ids, first->record + ids_at, sizeof ids);
  const u32 processor = processors_[static_cast<size_t>(first - buffers_.data())];
  const bool filled = first->full_at > first->tail && first->full_at <= first->tail + header->size;
  record = {header, ids[0], ids[1], processor, first->time_ns, filled};
  return true;
}

void KernelEvents::end_round() {
  for (Buffer& buffer : buffers_)
    if (buffer.page) __atomic_store_n(&buffer.page->data_tail, buffer.tail, __ATOMIC_RELEASE);
}

// The kernel's order: address, ids, time, period, call chain, registers, stack.
bool KernelEvents::read_sample(const KernelRecord& record, KernelSample& sample) {
  const u8* const begin = reinterpret_cast<const u8*>(record.header);
  const u8* const end = begin + record.header->size;
  const u8* at = begin + kSampleHeadBytes;
  const auto word = [&](u64& value) {
    if (static_cast<size_t>(end - at) < sizeof value) return false;
    memcpy(&value, at, sizeof value);
    at += sizeof value;
    return true;
  };
  sample = {};
  if (!word(sample.period) || !word(sample.chain_length)) return false;
  if (sample.chain_length > static_cast<u64>(end - at) / sizeof(u64)) return false;
  sample.chain = reinterpret_cast<const u64*>(at);
  at += sample.chain_length * sizeof(u64);
  u64 abi;
  if (!word(abi)) return false;
  if (abi) {
    u64 values[4] = {};
    for (u32 i = 0; i < kRegisterCount; i++)
      if (!word(values[i])) return false;
    sample.registers = kRegisterCount == 3 ? UserRegisters{values[0], 0, values[1], values[2]}
                                           : UserRegisters{values[0], values[1], values[2], values[3]};
    sample.has_registers = abi == PERF_SAMPLE_REGS_ABI_64;
  }
  u64 room;
  if (!word(room)) return true;
  if (!room) return true;
  if (room > static_cast<u64>(end - at)) return false;
  sample.stack = at;
  at += room;
  u64 copied;
  if (!word(copied)) return false;
  sample.stack_bytes = min_of(copied, room);
  return true;
}

}  // namespace btrace::host
