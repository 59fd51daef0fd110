// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-shim/command.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "bins/argosy-shim/launch.hpp"
#include "bins/argosy-shim/namespaces.hpp"

namespace argosy::shim {

namespace {

using backends::shim_plan;
using backends::unique_fd;

std::string describe(const step_failure& failure, const launch_data& data) {
  const std::string why = std::strerror(failure.number);
  switch (failure.at) {
    case step::contain:
      return "processes are not contained: cannot join the run's cgroup: " + why;
    case step::limit_memory:
      return "memory is not limited: cannot join the run's group for it: " + why;
    case step::limit_cpu:
      return "cpu is not limited: cannot join the run's group for it: " + why;
    case step::limit_pids:
      return "processes are not counted: cannot join the run's group for them: " + why;
    case step::proc:
      return "the run sees processes of others in /proc: cannot mount a /proc of its own: " + why;
    case step::hide:
      return "the run may see files of the agent and of other runs: cannot cover them: " + why;
    case step::place:
      return "cannot enter the run's own folder '" + data.place + "': " + why;
    case step::directory:
      return "cannot enter the working directory '" + data.directory + "': " + why;
    case step::identity:
      return ::geteuid() == 0
                 ? "the agent is root and may not take on the user or group of the run: " + why
                 : "cannot take on the user or group of podSpec.securityContext (the agent has to "
                   "run as root for this): " +
                       why;
    case step::prepare:
      return "cannot prepare the process: " + why;
    case step::execute:
      break;
  }
  return "cannot execute '" + data.plan->argv.front() + "': " + why;
}

/// Folder, user and command are the job's, so that only a machine that lacks something, or whose
/// disk fails, is to blame there: root without its capabilities, or without the folder that the
/// agent made. A command that gets no memory has too low a limit.
bool is_of_machine(const step_failure& failure) {
  if (failure.at == step::prepare || failure.at == step::place) return true;
  if (failure.at == step::identity && ::geteuid() == 0) return true;
  const int why = failure.number;
  return why == EIO || why == EMFILE || why == ENFILE || why == EAGAIN;
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
  data.place = (folder / backends::work_folder).string();
  data.directory = (folder / plan.working_dir).string();
  const auto procs_of = [](const std::string& group) {
    return group.empty()
               ? unique_fd{}
               : unique_fd{::open((group + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC)};
  };
  data.cgroup_procs = procs_of(plan.cgroup);
  data.memory_procs = procs_of(plan.memory_group);
  data.cpu_procs = procs_of(plan.cpu_group);
  data.pids_procs = procs_of(plan.pids_group);
  data.null_input = unique_fd{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  if (!data.null_input) return fail(backends::system_error("open '/dev/null'", errno));
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return fail(backends::system_error("make a socket", errno));
  data.shim_end = unique_fd{ends[0]};
  data.init_end = unique_fd{ends[1]};
  if (auto made = make_pipe(data.stdout_read, data.stdout_write); !made) return made;
  if (auto made = make_pipe(data.stderr_read, data.stderr_write); !made) return made;
  return make_pipe(data.error_read, data.error_write);
}

void isolate(const launch_data& data) {
  if (!detach_mounts()) {
    const int why = errno;
    report(data, step::hide, why);
    return report(data, step::proc, why);
  }
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
  // A copy of the memory would cost more than the rest of the start. The child changes nothing that
  // the init reads, and an agent that kills the init while it waits ends both.
  const pid_t command = ::vfork();
  if (command == 0) run_child(data, self);
  if (command < 0) give_up(data, step::prepare);
  data.error_write.reset();
  ::close_range(0, static_cast<unsigned>(data.init_end.get()) - 1, 0);
  ::close_range(static_cast<unsigned>(data.init_end.get()) + 1, ~0u, 0);
  follow_command(command, data.init_end.get(), kind, boot_time{begin.time_ns});
}

/// Makes the init's namespaces complete and lets it begin.
void release_init(const launch_data& data, const split_process& init, boot_time dead_by,
                  std::vector<std::string>& notes) {
  if (init.kind == isolation::none)
    notes.push_back(std::string{"the run has no PID namespace and may see files of the agent and "
                                "of other runs: "} +
                    std::strerror(init.refusal));
  if (init.kind == isolation::user_pid)
    if (auto mapped = map_ids(init.pid); !mapped) notes.push_back(mapped.error().detail);
  ::prctl(PR_SET_DUMPABLE, 0);
  tell_init(data.shim_end, init_order::kind::begin, dead_by);
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
                                                           const std::filesystem::path& folder,
                                                           boot_time dead_by) {
  launch_data data;
  if (auto ready = prepare(data, plan, folder); !ready)
    return tl::unexpected(start_failure{126, ready.error().detail, true});
  const auto init = split();
  if (init.pid == 0) run_init(data, init.kind);
  if (init.pid < 0)
    return tl::unexpected(start_failure{126, backends::system_error("fork", errno).detail, true});
  data.stdout_write.reset();
  data.stderr_write.reset();
  data.error_write.reset();
  data.init_end.reset();
  running_command out;
  release_init(data, init, dead_by, out.notes);
  for (const auto& failure : read_failures(data.error_read)) {
    if (failure.at > step::hide) {
      ::waitpid(init.pid, nullptr, 0);
      const bool missing = failure.at == step::execute && failure.number == ENOENT;
      return tl::unexpected(
          start_failure{missing ? 127 : 126, describe(failure, data), is_of_machine(failure)});
    }
    out.notes.push_back(describe(failure, data));
  }
  ::fcntl(data.stdout_read.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(data.stderr_read.get(), F_SETFL, O_NONBLOCK);
  out.init = init.pid;
  out.control = std::move(data.shim_end);
  out.out = std::move(data.stdout_read);
  out.err = std::move(data.stderr_read);
  return out;
}

}  // namespace argosy::shim
