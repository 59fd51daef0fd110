// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-shim/launch.hpp"

#include <grp.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace argosy::shim {

namespace {

using backends::shim_plan;

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

}  // namespace

void report(const launch_data& data, step at, int number) {
  const step_failure failure{at, number};
  static_cast<void>(!::write(data.error_write.get(), &failure, sizeof failure));
}
void give_up(const launch_data& data, step at) {
  report(data, at, errno);
  ::_exit(127);
}

void run_child(const launch_data& data, pid_t parent) {
  const auto join = [&data](const std::string& group, const backends::unique_fd& procs, step at) {
    if (!group.empty() && ::write(procs.get(), "0", 1) < 0) report(data, at, errno);
  };
  join(data.plan->cgroup, data.cgroup_procs, step::contain);
  join(data.plan->memory_group, data.memory_procs, step::limit_memory);
  join(data.plan->cpu_group, data.cpu_procs, step::limit_cpu);
  join(data.plan->pids_group, data.pids_procs, step::limit_pids);
  if (::setsid() < 0) give_up(data, step::prepare);
  ::umask(022);
  if (::chdir(data.place.c_str()) != 0) give_up(data, step::place);
  if (::chdir(data.directory.c_str()) != 0) give_up(data, step::directory);
  if (::dup2(data.null_input.get(), 0) < 0 || ::dup2(data.stdout_write.get(), 1) < 0 ||
      ::dup2(data.stderr_write.get(), 2) < 0)
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

}  // namespace argosy::shim
