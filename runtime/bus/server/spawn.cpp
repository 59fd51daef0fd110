// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/server/spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/base/program.hpp"

namespace argosy::bus {

namespace {

/// A thread that runs functions until the process ends.
class lifelong_thread {
 public:
  /// The object is never destroyed, since the thread uses it. A forked process has none of its
  /// parent's threads and gets one of its own.
  static lifelong_thread& instance() {
    static std::mutex guard;
    static lifelong_thread* only = nullptr;
    static pid_t owner = 0;
    const std::lock_guard lock{guard};
    if (owner != getpid()) only = new lifelong_thread;
    owner = getpid();
    return *only;
  }

  void run(std::function<void()> job) {
    const std::lock_guard lock{mutex_};
    jobs_.push_back(std::move(job));
    changed_.notify_one();
  }

 private:
  lifelong_thread() {
    std::thread{[this] {
      std::unique_lock lock{mutex_};
      while (true) {
        changed_.wait(lock, [this] { return !jobs_.empty(); });
        auto job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        job();
        lock.lock();
      }
    }}.detach();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
};

/// Runs between fork and exec, so that it makes only calls that are safe there. It returns only on
/// failure.
void become(char* const* argv, int output_fd, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  // The parent may have died before that took effect.
  if (getppid() != parent) _exit(1);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  dup2(output_fd, STDOUT_FILENO);
  dup2(output_fd, STDERR_FILENO);
  execv(argv[0], argv);
}

/// The child's pid, or the errno of what failed.
std::pair<pid_t, int> fork_and_exec(char* const* argv, int output_fd) {
  std::array<int, 2> failed{};
  if (pipe2(failed.data(), O_CLOEXEC) != 0) return {-1, errno};
  const auto parent = getpid();
  const auto pid = fork();
  if (pid == 0) {
    become(argv, output_fd, parent);
    const int why = errno;
    static_cast<void>(!write(failed[1], &why, sizeof why));
    _exit(127);
  }
  int why = pid < 0 ? errno : 0;
  close(failed[1]);
  if (pid > 0) {
    // Nothing to read means that exec has closed the pipe.
    if (read(failed[0], &why, sizeof why) == static_cast<ssize_t>(sizeof why))
      waitpid(pid, nullptr, 0);
  }
  close(failed[0]);
  return {pid, why};
}

}  // namespace

result<pid_t> spawn_for_life(const std::vector<std::string>& argv,
                             const std::filesystem::path& output) {
  const int fd = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0)
    return fail(ec::internal,
                "cannot write '" + output.string() + "': " + std::system_category().message(errno));
  std::vector<std::string> words = argv;
  std::vector<char*> raw;
  for (auto& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  std::promise<std::pair<pid_t, int>> outcome;
  lifelong_thread::instance().run([&] { outcome.set_value(fork_and_exec(raw.data(), fd)); });
  const auto [pid, why] = outcome.get_future().get();
  close(fd);
  if (why == 0) return pid;
  const auto kind = why == ENOENT ? ec::not_found : why == EACCES ? ec::denied : ec::internal;
  return fail(kind, "cannot run '" + argv.front() + "': " + std::system_category().message(why));
}

result<std::filesystem::path> find_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::string folders = path == nullptr ? "" : path;
  folders += ":/usr/local/sbin:/usr/sbin:/usr/local/bin:/usr/bin";
  if (name.find('/') != std::string::npos) folders = "/";
  for (std::string_view rest = folders; !rest.empty();) {
    const auto colon = rest.find(':');
    const auto candidate = std::filesystem::path{rest.substr(0, colon)} / name;
    if (candidate.is_absolute() && ::access(candidate.c_str(), X_OK) == 0 &&
        !std::filesystem::is_directory(candidate))
      return candidate;
    rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
  }
  return fail(ec::not_found, "the program '" + name + "' is not installed");
}

bool is_running(pid_t pid) {
  std::ifstream stat{"/proc/" + std::to_string(pid) + "/stat"};
  const std::string text{std::istreambuf_iterator<char>{stat}, {}};
  // The line reads "pid (name) S ...", and the name may itself hold parentheses.
  const auto end = text.rfind(')');
  if (end == std::string::npos || end + 2 >= text.size()) return false;
  if (text[end + 2] != 'Z') return true;
  // The first thread has ended; others of the process may still be at work.
  std::error_code gone;
  const std::filesystem::directory_iterator tasks{"/proc/" + std::to_string(pid) + "/task", gone};
  return !gone && std::distance(begin(tasks), {}) > 1;
}

std::vector<std::string> arguments_of(pid_t pid) {
  std::ifstream source{"/proc/" + std::to_string(pid) + "/cmdline"};
  std::vector<std::string> out;
  for (std::string word; std::getline(source, word, '\0');) out.push_back(word);
  return without_loader(std::move(out));
}

bool wait_until_gone(pid_t pid, std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (is_running(pid)) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return true;
}

}  // namespace argosy::bus
