// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/credentials/run_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string_view>
#include <system_error>

namespace argosy::kube {

namespace {

using steady = std::chrono::steady_clock;

/// Owns a file descriptor.
class descriptor {
 public:
  explicit descriptor(int fd = -1) : fd_(fd) {}
  ~descriptor() { close(); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

/// What the functions of posix_spawn need, which have to be undone.
struct spawn_plan {
  explicit spawn_plan(int output) {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    sigset_t pipes;
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &pipes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~spawn_plan() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  spawn_plan(const spawn_plan&) = delete;
  spawn_plan& operator=(const spawn_plan&) = delete;

  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};
};

/// The strings of an argv or an environment, with the null at the end.
std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (auto& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environment_with(const program_run& what) {
  std::vector<std::string> out;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view text{*one};
    const auto name = text.substr(0, text.find('='));
    const auto replaces = [&](const auto& entry) { return entry.first == name; };
    if (std::ranges::none_of(what.environment, replaces)) out.emplace_back(text);
  }
  for (const auto& [name, value] : what.environment) out.push_back(name + "=" + value);
  return out;
}

/// One run. Whatever happens, the process is gone and reaped at its end.
class running {
 public:
  running(const program_run& what, pid_t pid, int output)
      : what_(what),
        pid_(pid),
        output_(output),
        ended_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}

  result<std::string> finish() {
    const auto wrong = watch();
    // Also what the program may have left behind in its group.
    if (wrong) ::kill(-pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    if (wrong) return fail(*wrong);
    if (WIFSIGNALED(status))
      return fail(ec::denied, "was ended by signal " + std::to_string(WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0)
      return fail(ec::denied, "ended with exit code " + std::to_string(WEXITSTATUS(status)));
    return std::move(text_);
  }

 private:
  /// Reads until the program has ended; else returns what is wrong.
  std::optional<error> watch() {
    const auto until = steady::now() + what_.within;
    while (true) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(until - steady::now());
      if (left.count() <= 0)
        return error{ec::denied,
                     "did not end within " + std::to_string(what_.within.count()) + " ms"};
      std::array<pollfd, 3> at{{{output_closed_ ? -1 : output_, POLLIN, 0},
                                {ended_.get(), POLLIN, 0},
                                {what_.stop_fd, POLLIN, 0}}};
      if (::poll(at.data(), at.size(), static_cast<int>(left.count()) + 1) < 0 && errno != EINTR)
        return error{ec::internal, "cannot be waited for"};
      if (at[2].revents != 0) return error{ec::cancelled, "is no longer needed"};
      if (at[0].revents != 0 && !take()) return error{ec::denied, "printed too much"};
      // What it printed before its end is in the pipe by now.
      if (at[1].revents != 0) {
        while (!output_closed_ && !drained_)
          if (!take()) return error{ec::denied, "printed too much"};
        return std::nullopt;
      }
    }
  }

  /// Takes a piece of the output; false if there is too much of it.
  bool take() {
    std::array<char, 4096> piece{};
    const auto size = ::read(output_, piece.data(), piece.size());
    if (size == 0) output_closed_ = true;
    if (size < 0) drained_ = errno != EINTR;
    if (size > 0) text_.append(piece.data(), static_cast<std::size_t>(size));
    return text_.size() <= what_.output_bytes_max;
  }

  const program_run& what_;
  pid_t pid_;
  int output_;
  descriptor ended_;
  bool output_closed_ = false;
  bool drained_ = false;
  std::string text_;
};

}  // namespace

result<std::string> run_program(const program_run& what) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail(ec::internal, "no pipe: " + std::system_category().message(errno));
  const descriptor output{ends[0]};
  descriptor input{ends[1]};
  ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
  std::vector<std::string> words{what.command};
  words.insert(words.end(), what.arguments.begin(), what.arguments.end());
  auto variables = environment_with(what);
  const spawn_plan plan{input.get()};
  pid_t pid = 0;
  const int why = ::posix_spawnp(&pid, what.command.c_str(), &plan.files, &plan.attributes,
                                 pointers(words).data(), pointers(variables).data());
  input.close();
  if (why == ENOENT) return fail(ec::not_found, "is not installed");
  if (why != 0) return fail(ec::denied, "cannot be run: " + std::system_category().message(why));
  return running{what, pid, output.get()}.finish();
}

}  // namespace argosy::kube
