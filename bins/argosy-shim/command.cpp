// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-shim/command.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "bins/argosy-shim/namespaces.hpp"

namespace argosy::shim {

namespace {

using backends::shim_plan;
using backends::unique_fd;

/// The step at which a child failed. After a failure up to `hide` the command runs all the same.
enum class step : int { contain, proc, hide, directory, identity, prepare, execute };

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
  unique_fd shim_end, init_end;  ///< The socket between shim and init.
  const shim_plan* plan = nullptr;
  std::filesystem::path folder;
};

std::string describe(const step_failure& failure, const launch_data& data) {
  const std::string why = std::strerror(failure.number);
  switch (failure.at) {
    case step::contain:
      return "processes are not contained: cannot join the run's cgroup: " + why;
    case step::proc:
      return "the run sees processes of others in /proc: cannot mount a /proc of its own: " + why;
    case step::hide:
      return "the run may see files of the agent and of other runs: cannot cover them: " + why;
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
  data.folder = folder;
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
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return fail(backends::system_error("make a socket", errno));
  data.shim_end = unique_fd{ends[0]};
  data.init_end = unique_fd{ends[1]};
  if (auto made = make_pipe(data.output_read, data.output_write); !made) return made;
  return make_pipe(data.error_read, data.error_write);
}

// The functions down to run_init() run in the init, or in its child between fork and exec.

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
/// rely on a small limit. The kernel counts processes by user, so that a user of its own bounds a
/// run where cgroups cannot.
void reset_limits(const shim_plan& plan) {
  const auto count = static_cast<rlim_t>(plan.pids_max);
  const rlimit processes{count, count};
  if (plan.user.value_or(0) != 0 && count > 0) ::setrlimit(RLIMIT_NPROC, &processes);
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

[[noreturn]] void run_child(const launch_data& data, pid_t parent) {
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
  if (::getppid() != parent) ::_exit(127);
  reset_limits(*data.plan);
  reset_signals();
  execute(data);
  give_up(data, step::execute);
}

void isolate(const launch_data& data) {
  if (!detach_mounts()) return report(data, step::proc, errno);
  if (!hide(data.plan->hidden, (data.folder / backends::work_folder).string()))
    report(data, step::hide, errno);
  if (!mount_proc()) report(data, step::proc, errno);
}

/// A shim that ends before the init has asked for its death signal is noticed by its closed socket.
[[noreturn]] void run_init(launch_data& data, isolation kind) {
  data.shim_end.reset();
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(data, step::prepare);
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  init_order begin;
  if (::recv(data.init_end.get(), &begin, sizeof begin, 0) != static_cast<ssize_t>(sizeof begin))
    ::_exit(127);
  // Nobody of the run's user may look into the init or trace it.
  ::prctl(PR_SET_DUMPABLE, 0);
  ::umask(022);
  name_init();
  if (kind != isolation::none) isolate(data);
  const pid_t self = ::getpid();
  const pid_t command = ::fork();
  if (command == 0) run_child(data, self);
  if (command < 0) give_up(data, step::prepare);
  data.error_write.reset();
  ::close_range(0, static_cast<unsigned>(data.init_end.get()) - 1, 0);
  ::close_range(static_cast<unsigned>(data.init_end.get()) + 1, ~0u, 0);
  follow_command(command, data.init_end.get(), kind);
}

/// Makes the init's namespaces complete and lets it begin.
void release_init(const launch_data& data, const split_process& init,
                  std::vector<std::string>& notes) {
  if (init.kind == isolation::none)
    notes.push_back(std::string{"the run has no PID namespace: "} + std::strerror(init.refusal));
  if (init.kind == isolation::user_pid)
    if (auto mapped = map_ids(init.pid); !mapped) notes.push_back(mapped.error().detail);
  ::prctl(PR_SET_DUMPABLE, 0);
  tell_init(data.shim_end, init_order::kind::begin);
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

void tell_init(const unique_fd& control, init_order::kind what, boot_time time) {
  const init_order order{what, time.count()};
  // An init that has ended is reaped by the caller.
  static_cast<void>(!::send(control.get(), &order, sizeof order, MSG_NOSIGNAL));
}

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
  const auto init = split();
  if (init.pid == 0) run_init(data, init.kind);
  if (init.pid < 0)
    return tl::unexpected(start_failure{126, backends::system_error("fork", errno).detail});
  data.output_write.reset();
  data.error_write.reset();
  data.init_end.reset();
  running_command out;
  release_init(data, init, out.notes);
  for (const auto& failure : read_failures(data.error_read)) {
    if (failure.at > step::hide) {
      ::waitpid(init.pid, nullptr, 0);
      const bool missing = failure.at == step::execute && failure.number == ENOENT;
      return tl::unexpected(start_failure{missing ? 127 : 126, describe(failure, data)});
    }
    out.notes.push_back(describe(failure, data));
  }
  ::fcntl(data.output_read.get(), F_SETFL, O_NONBLOCK);
  out.init = init.pid;
  out.control = std::move(data.shim_end);
  out.output = std::move(data.output_read);
  return out;
}

}  // namespace argosy::shim
