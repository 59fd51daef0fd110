// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/crash_page.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "runtime/backends/run/file.hpp"

namespace argosy {

/// What stands in the file, as this machine has it in memory.
struct crash_content {
  std::uint64_t format;
  std::uint64_t start;
  std::array<char, 40> boot;   ///< The id of the machine's boot.
  std::uint64_t memory_kills;  ///< count_memory_kills() when the start began.
  std::atomic<int> signal;     ///< Set once `crashed` is complete.
  work_slot work;              ///< What is being worked on.
  work_slot crashed;           ///< What the thread worked on that got the signal.
};

namespace {

constexpr std::size_t page_bytes = 4096;
static_assert(sizeof(crash_content) <= page_bytes);
/// What crash_content::format is; it changes with the members.
constexpr std::uint64_t page_format = 0x6172'676f'7379'0001;
constexpr std::array crash_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

std::atomic<crash_content*> content_of_process{nullptr};

/// Whether the process brought the signal upon itself: others can only send it.
bool is_own(const siginfo_t& info) noexcept {
  return info.si_code > 0 || info.si_pid == ::getpid();
}

std::array<char, 40> boot_text() {
  std::array<char, 40> out{};
  const auto id = backends::boot_id();
  id.copy(out.data(), out.size() - 1);
  return out;
}

/// Makes only calls that are allowed in a signal handler.
void note_signal(crash_content& at, int number) noexcept {
  int none = 0;
  if (at.signal.load() != none) return;
  if (slot_of_thread != nullptr) {
    const auto work = slot_of_thread->read();
    at.crashed.begin(work.kind, work.number);
    at.crashed.set_job(work.job);
  }
  at.signal.compare_exchange_strong(none, number);
}

/// The signal has its usual effect after this: the handler is gone by then.
extern "C" void on_crash(int number, siginfo_t* info, void*) {
  auto* const at = content_of_process.load();
  if (at != nullptr && is_own(*info)) note_signal(*at, number);
  ::raise(number);
}

void watch_signals() {
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
  for (const int number : crash_signals) ::sigaction(number, &action, nullptr);
}

}  // namespace

result<std::shared_ptr<crash_page>> crash_page::open(const std::filesystem::path& path) {
  std::error_code none;
  // A page that the file system has no room for would crash the process when it is written.
  if (std::filesystem::file_size(path, none) != page_bytes)
    if (auto made =
            backends::write_file(path, std::string(page_bytes, '\0'), backends::sync_mode::yes);
        !made)
      return fail(made.error());
  const backends::unique_fd file{::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)};
  if (!file) return fail(backends::system_error("open '" + path.string() + "'", errno));
  auto* const mapped =
      ::mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED)
    return fail(backends::system_error("map '" + path.string() + "'", errno));
  std::shared_ptr<crash_page> out{new crash_page{static_cast<crash_content*>(mapped)}};
  content_of_process = out->at_;
  prepare_thread_for_crash();
  watch_signals();
  return out;
}

crash_page::~crash_page() {
  auto* mine = at_;
  content_of_process.compare_exchange_strong(mine, nullptr);
  ::munmap(at_, page_bytes);
}

start_traces crash_page::traces() const {
  if (at_->format != page_format) return {};
  start_traces out;
  out.start = at_->start;
  out.signal = at_->signal;
  out.work = out.signal != 0 ? at_->crashed.read() : at_->work.read();
  const auto kills = count_memory_kills();
  out.out_of_memory = kills && at_->boot == boot_text() && *kills > at_->memory_kills;
  return out;
}

void crash_page::begin(std::uint64_t start) {
  at_->format = page_format;
  at_->start = start;
  at_->boot = boot_text();
  at_->memory_kills = count_memory_kills().value_or(0);
  at_->work.end();
  at_->crashed.end();
  at_->signal = 0;
}

void crash_page::note_crash() {
  note_signal(*at_, SIGABRT);
}

std::shared_ptr<work_slot> crash_page::work() {
  return {shared_from_this(), &at_->work};
}

void prepare_thread_for_crash() {
  static thread_local std::array<char, 16 * 1024> room;
  stack_t stack{};
  stack.ss_sp = room.data();
  stack.ss_size = room.size();
  ::sigaltstack(&stack, nullptr);
}

std::optional<std::uint64_t> count_memory_kills(const std::filesystem::path& statistics) {
  std::ifstream in{statistics};
  std::string name;
  std::uint64_t value = 0;
  while (in >> name >> value)
    if (name == "oom_kill") return value;
  return {};
}

std::string what_was_under_way(const work_note& work) {
  switch (work.kind) {
    case work_kind::replay:
      return "while it applied record " + std::to_string(work.number) + " of the log";
    case work_kind::round:
      return "while it decided round " + std::to_string(work.number) +
             (work.job.is_nil() ? std::string{} : ", at job " + to_string(work.job));
    case work_kind::none:
      break;
  }
  return "while no round was decided";
}

}  // namespace argosy
