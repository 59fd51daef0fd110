// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/container/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "runtime/backends/process/pidfd.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/backends/run/spawn_settings.hpp"

extern char** environ;

namespace argosy::backends {

namespace {

constexpr std::size_t text_max = 64 << 10;
constexpr int look_period_ms = 100;

/// Takes what is in the pipe. Returns false at its end.
bool take(const unique_fd& from, std::string& to, bool keep_end) {
  char buffer[4096];
  for (;;) {
    const auto count = ::read(from.get(), buffer, sizeof buffer);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    if (to.size() < text_max || keep_end) to.append(buffer, static_cast<std::size_t>(count));
    if (to.size() > text_max)
      to = keep_end ? to.substr(to.size() - text_max) : to.substr(0, text_max);
  }
}

/// A program, and pipes from its outputs. It leads a process group of its own, so that what it has
/// started is killed with it.
struct started_child {
  pid_t pid = -1;
  unique_fd pidfd, out, err;

  ~started_child() {
    if (pid <= 0) return;
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
};

result<void> start(std::vector<std::string> words, started_child& to) {
  // The kernel has the program die with the thread that started it, so that an agent that is killed
  // leaves none behind.
  if (const auto wrapper = find_program("setpriv"); !wrapper.empty())
    words.insert(words.begin(), {wrapper, "--pdeathsig", "KILL", "--"});
  int out[2];
  int err[2];
  if (::pipe2(out, O_CLOEXEC) != 0) return fail(system_error("make a pipe", errno));
  to.out = unique_fd{out[0]};
  const unique_fd out_end{out[1]};
  if (::pipe2(err, O_CLOEXEC) != 0) return fail(system_error("make a pipe", errno));
  to.err = unique_fd{err[0]};
  const unique_fd err_end{err[1]};
  for (const int fd : {out[0], err[0]}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  sigset_t none;
  ::sigemptyset(&none);
  spawn_settings settings{spawn_settings::leads::group, none};
  settings.give(out_end.get(), 1);
  settings.give(err_end.get(), 2);
  settings.close_from(3);
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int failed = settings.spawn(to.pid, argv.front(), argv.data(), environ);
  if (failed != 0) {
    to.pid = -1;
    return fail(system_error("start '" + words.front() + "'", failed));
  }
  to.pidfd = unique_fd{::pidfd_open(to.pid, 0)};
  if (!to.pidfd) return fail(system_error("watch a process", errno));
  return {};
}

}  // namespace

result<child_end> run_child(const std::vector<std::string>& words, std::chrono::milliseconds limit,
                            const std::function<result<void>()>& obstacle) {
  if (auto ready = obstacle(); !ready) return fail(std::move(ready.error()));
  started_child child;
  if (auto started = start(words, child); !started) return fail(std::move(started.error()));
  child_end out;
  const auto end = boot_now() + limit;
  bool ended = false;
  while (!ended) {
    pollfd fds[3] = {
        {child.pidfd.get(), POLLIN, 0}, {child.out.get(), POLLIN, 0}, {child.err.get(), POLLIN, 0}};
    ::poll(fds, 3, look_period_ms);
    ended = fds[0].revents != 0;
    if (child.out && !take(child.out, out.out, false)) child.out.reset();
    if (child.err && !take(child.err, out.err, true)) child.err.reset();
    if (ended) break;
    if (auto stop = obstacle(); !stop) return fail(std::move(stop.error()));
    if (boot_now() > end)
      return fail(ec::timeout,
                  "it took longer than " + std::to_string(limit.count() / 1000) + " s");
  }
  int status = 0;
  ::waitpid(child.pid, &status, 0);
  ::kill(-child.pid, SIGKILL);
  child.pid = -1;
  out.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return out;
}

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  const auto all = (path ? std::string{path} : std::string{}) + ":/usr/sbin:/usr/bin:/sbin:/bin";
  for (std::size_t begin = 0; begin < all.size();) {
    const auto end = std::min(all.find(':', begin), all.size());
    const auto file = all.substr(begin, end - begin) + "/" + name;
    if (file.starts_with('/') && ::access(file.c_str(), X_OK) == 0) return file;
    begin = end + 1;
  }
  return {};
}

}  // namespace argosy::backends
