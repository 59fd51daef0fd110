// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-shim/command.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace argosy::shim {

namespace {

using backends::shim_plan;
using backends::unique_fd;

/// The step at which the child failed. A failure at any step but `contain` ends the child.
enum class step : int { contain, directory, identity, prepare, execute };

struct step_failure {
  step at = step::prepare;
  int number = 0;
};

/// Everything that the child needs; it is made before the fork.
struct launch_data {
  std::vector<char*> argv;
  std::vector<char*> env;
  std::vector<std::string> env_text;
  std::vector<std::string> paths;
  std::string directory;
  unique_fd cgroup_procs;
  unique_fd null_input;
  unique_fd output_read, output_write;
  unique_fd error_read, error_write;
  const shim_plan* plan = nullptr;
  pid_t shim = 0;
};

std::string describe(const step_failure& failure, const launch_data& data) {
  const std::string why = std::strerror(failure.number);
  switch (failure.at) {
    case step::contain:
      return "processes are not contained: cannot join the run's cgroup: " + why;
    case step::directory:
      return "cannot enter the working directory '" + data.directory + "': " + why;
    case step::identity:
      return "cannot take on the user or group of podSpec.securityContext (the agent has to run as "
             "root for this): " +
             why;
    case step::prepare:
      return "cannot prepare the process: " + why;
    case step::execute:
      break;
  }
  return "cannot execute '" + data.plan->argv.front() + "': " + why;
}

result<void> make_pipe(unique_fd& read_end, unique_fd& write_end) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return fail(backends::system_error("make a pipe", errno));
  read_end = unique_fd{fds[0]};
  write_end = unique_fd{fds[1]};
  return {};
}

result<void> prepare(launch_data& data, const shim_plan& plan,
                     const std::filesystem::path& folder) {
  data.plan = &plan;
  data.shim = ::getpid();
  for (const auto& word : plan.argv) data.argv.push_back(const_cast<char*>(word.c_str()));
  data.argv.push_back(nullptr);
  data.env_text.reserve(plan.env.size());
  for (const auto& [name, value] : plan.env) data.env_text.push_back(name + "=" + value);
  for (auto& item : data.env_text) data.env.push_back(item.data());
  data.env.push_back(nullptr);
  data.paths = command_paths(plan.argv.front(), plan.env);
  data.directory = (folder / plan.working_dir).string();
  if (!plan.cgroup.empty())
    data.cgroup_procs =
        unique_fd{::open((plan.cgroup + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC)};
  data.null_input = unique_fd{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  if (!data.null_input) return fail(backends::system_error("open '/dev/null'", errno));
  if (auto made = make_pipe(data.output_read, data.output_write); !made) return made;
  return make_pipe(data.error_read, data.error_write);
}

// The functions from here to run_child() run in the child, between fork and exec.

void report(const launch_data& data, step at, int number) {
  const step_failure failure{at, number};
  static_cast<void>(!::write(data.error_write.get(), &failure, sizeof failure));
}

[[noreturn]] void give_up(const launch_data& data, step at) {
  report(data, at, errno);
  ::_exit(127);
}

void take_identity(const launch_data& data) {
  const auto& plan = *data.plan;
  if (!plan.user && !plan.group) return;
  const gid_t group = plan.group.value_or(::getegid());
  const uid_t user = plan.user.value_or(::geteuid());
  if (user == ::geteuid() && group == ::getegid()) return;
  if (::setgroups(0, nullptr) != 0 || ::setresgid(group, group, group) != 0 ||
      ::setresuid(user, user, user) != 0)
    give_up(data, step::identity);
}

/// Resets signals without the C library, which hides two signals and leaves them ignored after
/// posix_spawn().
void reset_signals() {
  struct {
    void* handler = nullptr;  // This is SIG_DFL.
    unsigned long flags = 0;
    void* restorer = nullptr;
    unsigned long mask = 0;
  } action;
  for (int number = 1; number < NSIG; ++number)
    ::syscall(SYS_rt_sigaction, number, &action, nullptr, sizeof action.mask);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Resets the limit of descriptors: programs that close all possible descriptors or use select()
/// rely on a small limit.
void reset_limits() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 1024);
  ::setrlimit(RLIMIT_NOFILE, &files);
}

void execute(const launch_data& data) {
  int denied = 0;
  for (const auto& path : data.paths) {
    ::execve(path.c_str(), data.argv.data(), data.env.data());
    if (errno == EACCES) denied = errno;
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) return;
  }
  if (denied != 0) errno = denied;
}

[[noreturn]] void run_child(const launch_data& data) {
  if (!data.plan->cgroup.empty() && ::write(data.cgroup_procs.get(), "0", 1) < 0)
    report(data, step::contain, errno);
  if (::setsid() < 0) give_up(data, step::prepare);
  ::umask(022);
  if (::chdir(data.directory.c_str()) != 0) give_up(data, step::directory);
  if (::dup2(data.null_input.get(), 0) < 0 || ::dup2(data.output_write.get(), 1) < 0 ||
      ::dup2(data.output_write.get(), 2) < 0)
    give_up(data, step::prepare);
  if (::close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) != 0) give_up(data, step::prepare);
  take_identity(data);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) give_up(data, step::prepare);
  // This comes after the change of identity, which would clear it.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(data, step::prepare);
  if (::getppid() != data.shim) ::_exit(127);
  reset_limits();
  reset_signals();
  execute(data);
  give_up(data, step::execute);
}

/// Reads what the child reports until it has executed the command or ended.
std::vector<step_failure> read_failures(const unique_fd& from) {
  std::vector<step_failure> out;
  step_failure one;
  for (;;) {
    const auto count = ::read(from.get(), &one, sizeof one);
    if (count < 0 && errno == EINTR) continue;
    if (count != static_cast<ssize_t>(sizeof one)) return out;
    out.push_back(one);
  }
}

}  // namespace

std::vector<std::string> command_paths(
    const std::string& name, const std::vector<std::pair<std::string, std::string>>& env) {
  if (name.find('/') != std::string::npos) return {name};
  std::string search;
  for (const auto& [key, value] : env)
    if (key == "PATH") search = value;
  std::vector<std::string> out;
  std::size_t begin = 0;
  while (begin <= search.size() && !name.empty()) {
    const auto end = std::min(search.find(':', begin), search.size());
    if (end > begin) out.push_back(search.substr(begin, end - begin) + "/" + name);
    begin = end + 1;
  }
  return out;
}

tl::expected<running_command, start_failure> start_command(const shim_plan& plan,
                                                           const std::filesystem::path& folder) {
  launch_data data;
  if (auto ready = prepare(data, plan, folder); !ready)
    return tl::unexpected(start_failure{126, ready.error().detail});
  const pid_t pid = ::fork();
  if (pid == 0) run_child(data);
  if (pid < 0)
    return tl::unexpected(start_failure{126, backends::system_error("fork", errno).detail});
  data.output_write.reset();
  data.error_write.reset();
  running_command out;
  for (const auto& failure : read_failures(data.error_read)) {
    if (failure.at != step::contain) {
      ::waitpid(pid, nullptr, 0);
      const bool missing = failure.at == step::execute && failure.number == ENOENT;
      return tl::unexpected(start_failure{missing ? 127 : 126, describe(failure, data)});
    }
    out.notes.push_back(describe(failure, data));
  }
  ::fcntl(data.output_read.get(), F_SETFL, O_NONBLOCK);
  out.pid = pid;
  out.output = std::move(data.output_read);
  return out;
}

}  // namespace argosy::shim
