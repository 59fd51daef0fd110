// SPDX-License-Identifier: Apache-2.0
#include "tests/support/process/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "tests/support/signals.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const auto& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

void redirect(const std::filesystem::path& path, int flags, int to) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (fd < 0 || ::dup2(fd, to) < 0) ::_exit(126);
}

}  // namespace

child::child(const launch& how) {
  auto argv = pointers(how.words);
  auto envp = pointers(how.environment);
  pid_ = ::fork();
  if (pid_ != 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  redirect(how.in, O_RDONLY | O_NOCTTY, STDIN_FILENO);
  redirect(how.out, O_WRONLY | O_CREAT | O_APPEND, STDOUT_FILENO);
  redirect(how.err, O_WRONLY | O_CREAT | O_APPEND, STDERR_FILENO);
  ::execve(argv[0], argv.data(), envp.data());
  ::_exit(127);
}

child::child(child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), code_(other.code_) {}

child& child::operator=(child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(code_, other.code_);
  return *this;
}

child::~child() {
  kill();
}

bool child::running() {
  int status = 0;
  if (pid_ <= 0) return false;
  if (::waitpid(pid_, &status, WNOHANG) == 0) return true;
  code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  pid_ = -1;
  return false;
}

void child::signal(int number) {
  if (running()) send_signal(pid_, number);
}

std::optional<int> child::wait(std::chrono::milliseconds limit) {
  if (!eventually([this] { return !running(); }, limit)) return std::nullopt;
  return code_;
}

void child::kill() {
  signal(SIGKILL);
  static_cast<void>(wait(10s));
}

outcome run(launch how, const std::filesystem::path& folder, std::chrono::milliseconds limit) {
  // Tests that keep up a load call this on several threads.
  static std::atomic<int> serial = 0;
  const auto name = "call" + std::to_string(++serial);
  how.out = folder / (name + ".out");
  how.err = folder / (name + ".err");
  const auto start = steady_clock::now();
  child program{how};
  outcome got;
  const auto code = program.wait(limit);
  got.timed_out = !code;
  program.kill();
  got.code = code.value_or(128 + SIGKILL);
  got.took = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - start);
  got.out = content_of(how.out);
  got.err = content_of(how.err);
  std::error_code ignored;
  std::filesystem::remove(how.out, ignored);
  std::filesystem::remove(how.err, ignored);
  return got;
}

bool eventually(const std::function<bool()>& holds, std::chrono::milliseconds limit) {
  const auto end = steady_clock::now() + limit;
  steady_clock::duration pause = 1ms;
  while (true) {
    const auto begun = steady_clock::now();
    if (holds()) return true;
    const auto now = steady_clock::now();
    if (now > end) return false;
    // A look that starts a program takes time from what it waits for.
    std::this_thread::sleep_for(
        std::clamp<steady_clock::duration>(4 * (now - begun), pause, 200ms));
    pause = std::min<steady_clock::duration>(pause * 2, 8ms);
  }
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file{path};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<pid_t> processes_in(const std::filesystem::path& folder) {
  std::vector<pid_t> found;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc", problem}) {
    const auto name = entry.path().filename().string();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr !=
            name.data() + name.size() ||
        pid == ::getpid())
      continue;
    const auto text = content_of(entry.path() / "cmdline") + content_of(entry.path() / "environ") +
                      std::filesystem::read_symlink(entry.path() / "cwd", problem).string();
    if (text.find(folder.string()) != std::string::npos) found.push_back(pid);
  }
  return found;
}

std::string command_of(pid_t pid) {
  auto text = content_of("/proc/" + std::to_string(pid) + "/cmdline");
  std::ranges::replace(text, '\0', ' ');
  return text;
}

}  // namespace argosy::testing
