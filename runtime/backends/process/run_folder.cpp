// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/process/run_folder.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <thread>

#include "runtime/backends/process/pidfd.hpp"
#include "runtime/backends/run/cgroup.hpp"
#include "runtime/backends/run/spawn_settings.hpp"

namespace argosy::backends {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds find_period{2};
constexpr int find_attempts = 2500;

/// The first line of the lock file, written by the shim; nothing while it is just starting.
std::optional<pid_t> read_lock_pid(const fs::path& folder) {
  const auto text = read_file(folder / run_file::lock, 256);
  if (!text) return std::nullopt;
  const auto end = text->find('\n');
  if (end == std::string::npos) return std::nullopt;
  pid_t pid = 0;
  const auto [last, code] = std::from_chars(text->data(), text->data() + end, pid);
  if (code != std::errc{} || last != text->data() + end || pid <= 1) return std::nullopt;
  return pid;
}

/// The processes that carry the run's mark in their environment. They are not looked for by session
/// or parent, since ids are used again and the command may have left both.
std::vector<pid_t> marked_processes(const fs::path& folder) {
  const auto mark = std::string{folder_variable} + "=" + folder.string() + std::string(1, '\0');
  std::vector<pid_t> out;
  std::error_code code;
  for (fs::directory_iterator it{"/proc", code}, end; !code && it != end; it.increment(code)) {
    const auto name = it->path().filename().string();
    pid_t pid = 0;
    const auto [last, parsed] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed != std::errc{} || last != name.data() + name.size()) continue;
    const auto env = read_file(it->path() / "environ");
    if (env && ((*env + '\0').find('\0' + mark) != std::string::npos || env->starts_with(mark)))
      out.push_back(pid);
  }
  return out;
}

/// Makes the run the owner of its working directory, from `work` down to `wanted`. If the shim
/// cannot become that user, it says why.
void give_to_run(const shim_plan& plan, const fs::path& work, fs::path wanted) {
  if (!plan.user && !plan.group) return;
  ::chmod(work.c_str(), 0700);
  for (; wanted.string().starts_with(work.string()); wanted = wanted.parent_path())
    static_cast<void>(!::lchown(wanted.c_str(), plan.user.value_or(-1u), plan.group.value_or(-1u)));
}

std::string join_notes(const std::vector<std::string>& notes) {
  std::string out;
  for (const auto& note : notes) out += (out.empty() ? "" : "; ") + note;
  return out;
}

model::run_phase phase_of(std::string_view reason) {
  if (reason == shim_status::completed) return model::run_phase::succeeded;
  if (reason == shim_status::stopped || reason == shim_status::lease_expired)
    return model::run_phase::stopped;
  if (reason == shim_status::machine_error) return model::run_phase::refused;
  return model::run_phase::failed;
}

}  // namespace

std::optional<model::run_key> parse_run_folder(std::string_view name) {
  const auto dash = name.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto job = parse_ulid(name.substr(0, dash));
  model::run_key key;
  const auto* end = name.data() + name.size();
  const auto [last, code] = std::from_chars(name.data() + dash + 1, end, key.number);
  if (!job || code != std::errc{} || last != end || key.number == 0) return std::nullopt;
  key.job = *job;
  return to_string(key) == name ? std::optional{key} : std::nullopt;
}

result<unique_fd> make_run_folder(const fs::path& folder, const shim_plan& plan) {
  auto bytes = encode(plan);
  if (!bytes) return fail(std::move(bytes.error()));
  if (::mkdir(folder.c_str(), 0700) != 0) {
    if (errno == EEXIST)
      return fail(ec::already_exists,
                  "'" + folder.string() + "' exists: the run was started before");
    return fail(system_error("make '" + folder.string() + "'", errno));
  }
  const auto work = folder / work_folder;
  std::error_code code;
  // An absolute folder is somebody else's and has to exist.
  const auto wanted = fs::path{plan.working_dir}.is_absolute() ? work : folder / plan.working_dir;
  fs::create_directories(wanted, code);
  if (code) return fail(system_error("make '" + work.string() + "'", code.value()));
  give_to_run(plan, work, wanted);
  // Whoever finds a lock that is free takes the run for ended, so that it gets its name when it is
  // held.
  const auto at = folder / run_file::lock;
  const auto unnamed = at.string() + ".new";
  unique_fd lock{::open(unnamed.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 ||
      ::rename(unnamed.c_str(), at.c_str()) != 0)
    return fail(system_error("lock '" + folder.string() + "'", errno));
  if (auto written = write_file(folder / run_file::plan, *bytes, sync_mode::no); !written)
    return fail(std::move(written.error()));
  return lock;
}

result<shim_process> spawn_shim(const fs::path& shim, const fs::path& folder, unique_fd lock) {
  // The signal is blocked until the shim watches for it, since an early SIGTERM must not kill it.
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  spawn_settings settings{spawn_settings::leads::session, blocked};
  settings.discard(1);
  settings.discard(2);
  settings.give(lock.get(), shim_lock_fd);
  settings.close_from(shim_lock_fd + 1);
  std::string program = shim.string();
  std::string argument = folder.string();
  char* const argv[] = {program.data(), argument.data(), nullptr};
  char* const env[] = {nullptr};
  shim_process out;
  if (const int failed = settings.spawn(out.pid, program.c_str(), argv, env); failed != 0)
    return fail(system_error("start '" + program + "'", failed));
  out.pidfd = unique_fd{::pidfd_open(out.pid, 0)};
  if (!out.pidfd) {
    const auto err = system_error("watch a process", errno);
    ::kill(out.pid, SIGKILL);
    ::waitpid(out.pid, nullptr, 0);
    return fail(err);
  }
  return out;
}

result<bool> shim_alive(const fs::path& folder) {
  const auto path = folder / run_file::lock;
  const unique_fd fd{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
  if (!fd && (errno == ENOENT || errno == ENOTDIR)) return false;
  if (!fd) return fail(system_error("look at '" + path.string() + "'", errno));
  // Several may look at once, so that nobody takes another who looks for the shim.
  if (::flock(fd.get(), LOCK_SH | LOCK_NB) == 0) return false;
  if (errno == EWOULDBLOCK) return true;
  return fail(system_error("try the lock '" + path.string() + "'", errno));
}

result<shim_process> find_shim(const fs::path& folder) {
  for (int i = 0; i < find_attempts; ++i) {
    const auto alive = shim_alive(folder);
    if (!alive) return fail(alive.error());
    if (!*alive) return fail(ec::not_found, "the shim has ended");
    if (const auto pid = read_lock_pid(folder)) {
      shim_process out{*pid, unique_fd{::pidfd_open(*pid, 0)}};
      if (!out.pidfd && errno != ESRCH) return fail(system_error("watch a process", errno));
      // The id was the shim's at the time of pidfd_open() only if the shim lives still.
      const auto still = shim_alive(folder);
      if (!still) return fail(still.error());
      if (out.pidfd && *still) return out;
      continue;
    }
    std::this_thread::sleep_for(find_period);
  }
  return fail(ec::timeout, "the shim of '" + folder.string() + "' does not tell its process id");
}

bool may_have_executed(const fs::path& folder) {
  const auto text = read_file(folder / run_file::lock, 256);
  return !text || text->find(shim_executes) != std::string::npos;
}

void kill_remains(const fs::path& folder) {
  if (const auto plan = read_record<shim_plan>(folder / run_file::plan)) kill_cgroup(plan->cgroup);
  for (const auto pid : marked_processes(folder)) ::kill(pid, SIGKILL);
}

bool remains_alive(const fs::path& folder) {
  if (const auto plan = read_record<shim_plan>(folder / run_file::plan)) {
    if (cgroup_populated(plan->cgroup)) return true;
    for (const auto& path : {plan->cgroup, plan->memory_group, plan->cpu_group, plan->pids_group})
      remove_cgroup(path);
  }
  return !marked_processes(folder).empty();
}

run_event final_event(const model::run_key& run, const std::string& container,
                      const shim_status& status) {
  run_event out;
  out.run = run;
  out.phase = phase_of(status.reason);
  out.outcome = {std::nullopt, status.signal, status.reason, status.message};
  // A command that was never executed has no exit code, except the shell's numbers for why it could
  // not be executed.
  if (status.started_ns > 0 || status.exit_code != 0) out.outcome.exit_code = status.exit_code;
  if (out.phase == model::run_phase::failed && !status.containers.empty())
    for (const auto& each : status.containers)
      out.outcome.containers.push_back({each.name, each.exit_code, each.reason, each.message});
  else if (out.phase == model::run_phase::failed && out.outcome.exit_code && !container.empty())
    out.outcome.containers = {{container, status.exit_code, status.reason, status.message}};
  out.note = join_notes(status.notes);
  out.time_ns = status.finished_ns;
  return out;
}

run_event made_event(const model::run_key& run, model::run_phase phase, const char* why,
                     std::string message) {
  run_event out;
  out.run = run;
  out.phase = phase;
  out.outcome.reason = why;
  out.outcome.message = std::move(message);
  out.time_ns = wall_now_ns();
  return out;
}

}  // namespace argosy::backends
