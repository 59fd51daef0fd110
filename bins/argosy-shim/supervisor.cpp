// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-shim/supervisor.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "bins/argosy-shim/timer.hpp"
#include "runtime/backends/run/cgroup.hpp"
#include "runtime/backends/run/children.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/backends/run/limit_group.hpp"

namespace argosy::shim {

namespace {

using backends::shim_status;
using model::output_stream;

sigset_t watched_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) ::sigaddset(&set, number);
  return set;
}

/// Says in the lock file that the command will now be executed.
result<void> announce(int lock) {
  const std::string_view line{backends::shim_executes};
  if (::lseek(lock, 0, SEEK_END) < 0 || ::write(lock, line.data(), line.size()) < 0)
    return fail(backends::system_error("write the run's lock file", errno));
  return {};
}

/// The lease file, which follows the folder of all runs when that is renamed.
std::filesystem::path lease_beside(const std::filesystem::path& records,
                                   const std::filesystem::path& folder,
                                   const std::filesystem::path& file) {
  if (file.parent_path() != folder.parent_path()) return file;
  return records / ".." / file.filename();
}

}  // namespace

supervisor::supervisor(const backends::shim_plan& plan, std::filesystem::path folder,
                       std::filesystem::path records, int lock)
    : plan_(plan),
      folder_(std::move(folder)),
      records_(std::move(records)),
      lease_file_(lease_beside(records_, folder_, plan.lease_file)),
      lock_(lock),
      output_(records_, plan.output_max) {}

void supervisor::block_signals() {
  const auto set = watched_signals();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

shim_status supervisor::not_started(std::string reason, std::string message) const {
  shim_status out;
  out.reason = std::move(reason);
  out.message = std::move(message);
  out.finished_ns = backends::wall_now_ns();
  out.notes = notes_;
  return out;
}

std::optional<shim_status> supervisor::obstacle() {
  const auto lease = backends::read_lease(lease_file_);
  if (!lease || lease->until <= backends::boot_now())
    return not_started(shim_status::lease_expired, "the agent had no lease when the run started");
  if (!plan_.keep_on_disconnect) lease_ = *lease;
  if (const auto stop =
          backends::read_record<backends::stop_order>(records_ / backends::run_file::stop))
    return not_started(stop->reason, stop->message);
  return std::nullopt;
}

void supervisor::prepare_cgroup() {
  if (!plan_.limits_note.empty()) notes_.push_back(plan_.limits_note);
  // If one of the groups fails, the others are made all the same.
  auto ready = backends::make_memory_group(plan_.memory_group, plan_.memory_bytes);
  const auto also = [&ready](result<void> next) {
    if (ready) ready = std::move(next);
  };
  also(backends::make_cpu_group(plan_.cpu_group, plan_.cpu_millis));
  also(backends::make_pids_group(plan_.pids_group, plan_.pids_max));
  if (!plan_.cgroup.empty()) {
    also(backends::make_cgroup(plan_.cgroup));
    also(backends::limit_cgroup(plan_.cgroup, plan_.cpu_group.empty() ? plan_.cpu_millis : 0,
                                plan_.memory_group.empty() ? plan_.memory_bytes : 0));
    backends::limit_processes(plan_.cgroup, plan_.pids_max);
  }
  if (!ready)
    notes_.push_back("cpu, memory and processes may not be limited: " + ready.error().detail);
}

shim_status supervisor::run() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const auto set = watched_signals();
  signals_ = backends::unique_fd{::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)};
  timer_ = backends::unique_fd{::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)};
  wall_set_ = watch_wall_clock();
  if (!signals_ || !timer_)
    return not_started(shim_status::machine_error, backends::system_error("watch", errno).detail);
  if (auto status = obstacle()) return std::move(*status);
  prepare_cgroup();
  if (auto said = announce(lock_); !said)
    return not_started(shim_status::machine_error, said.error().detail);
  told_dead_by_ = lease_ ? lease_->dead_by() : boot_time::max();
  auto command = start_command(plan_, folder_, told_dead_by_);
  if (!command) {
    auto status = not_started(
        command.error().of_machine ? shim_status::machine_error : shim_status::start_error,
        command.error().message);
    status.exit_code = command.error().exit_code;
    remove_groups();
    return status;
  }
  command_ = std::move(*command);
  notes_.insert(notes_.end(), command_.notes.begin(), command_.notes.end());
  notes_.insert(notes_.end(), plan_.pod.notes.begin(), plan_.pod.notes.end());
  started_ns_ = backends::wall_now_ns();
  ending_.emplace(lease_, boot_time{plan_.grace_ns}, boot_time{plan_.deadline_ns},
                  backends::boot_now());
  write_started();
  on_time(backends::boot_now());
  loop();
  finish();
  return outcome();
}

void supervisor::write_started() {
  const auto bytes = encode(backends::shim_started{::getpid(), command_.init, started_ns_, notes_});
  // If this cannot be announced, the command still runs; the agent then learns of it from the
  // status.
  if (bytes)
    static_cast<void>(backends::write_file(records_ / backends::run_file::started, *bytes,
                                           backends::sync_mode::no));
}

/// Tells the init by when the run has to be dead, so that this holds while the shim is stopped.
void supervisor::tell_dead_by() {
  const auto time = ending_->dead_by();
  if (time == told_dead_by_) return;
  told_dead_by_ = time;
  tell_init(command_.control, init_order::kind::dead_by, time);
}

void supervisor::loop() {
  while (!wait_status_) {
    arm_timer();
    tell_dead_by();
    wait_for_events();
    if (lapsed_) ending_->lapse(backends::boot_now());
    // An init that did not report was killed, perhaps for a lease that has lapsed since.
    if (!wait_status_ || !reported_) on_time(backends::boot_now());
  }
}

void supervisor::wait_for_events() {
  pollfd fds[5] = {{signals_.get(), POLLIN, 0},
                   {timer_.get(), POLLIN, 0},
                   {wall_set_.get(), POLLIN, 0},
                   {command_.err.get(), POLLIN, 0},
                   {command_.out.get(), POLLIN, 0}};
  if (::poll(fds, 5, -1) < 0) return;
  std::uint64_t ignored = 0;
  if (fds[2].revents != 0) static_cast<void>(!::read(wall_set_.get(), &ignored, sizeof ignored));
  take_output(fds[4].revents != 0, fds[3].revents != 0);
  if (fds[0].revents != 0) on_signals();
}

/// The system looks at stderr first, and it is read last: what was written to stdout before what
/// stands in stderr is there as well, and comes before it.
void supervisor::take_output(bool out, bool err) {
  if (out && !output_.pump(command_.out.get(), output_stream::out)) command_.out.reset();
  if (err && !output_.pump(command_.err.get(), output_stream::err)) command_.err.reset();
}

void supervisor::on_signals() {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info))
    if (info.ssi_signo != SIGCHLD && info.ssi_signo != SIGHUP) on_stop_order();
  reap();
}

void supervisor::on_stop_order() {
  const auto order =
      backends::read_record<backends::stop_order>(records_ / backends::run_file::stop);
  const backends::stop_order by_signal{plan_.grace_ns,
                                       "the run's shim was told to stop by a signal"};
  send(ending_->stop(order ? *order : by_signal, backends::boot_now()));
}

void supervisor::on_time(boot_time now) {
  send(ending_->on_time(
      now, [this] { return backends::read_lease(lease_file_); },
      boot_time{backends::wall_now_ns()} - now));
}

void supervisor::send(backends::run_signal signal) {
  if (signal == backends::run_signal::kill) kill_all();
  if (signal != backends::run_signal::terminate || wait_status_) return;
  tell_init(command_.control, init_order::kind::terminate);
  notes_.push_back("SIGTERM was sent at " + utc_text(backends::wall_now_ns()));
}

void supervisor::kill_all() const {
  backends::kill_cgroup(plan_.cgroup);
  backends::kill_children_of(::getpid());
}

void supervisor::reap() {
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) children_left_ = false;
    if (pid <= 0) return;
    if (pid == command_.init) note_end(status);
  }
}

/// The command ended as its init says; an init that was killed took the command with it.
void supervisor::note_end(int status_of_init) {
  // If the init left orders unread, the first recv() fails with ECONNRESET, so that it is tried
  // twice.
  init_report report;
  for (int i = 0; i < 2 && !reported_; ++i)
    reported_ = ::recv(command_.control.get(), &report, sizeof report, MSG_DONTWAIT) ==
                static_cast<ssize_t>(sizeof report);
  // The lease may have been renewed since: the init had not been told, and the run is dead.
  lapsed_ = !reported_ && WIFEXITED(status_of_init) && WEXITSTATUS(status_of_init) == exit_lapsed;
  const int killed = WIFSIGNALED(status_of_init) ? status_of_init : SIGKILL;
  wait_status_ = reported_ ? report.wait_status : killed;
}

void supervisor::arm_timer() {
  shim::arm_timer(timer_.get(), ending_->due().count());
}

bool supervisor::all_gone() const {
  return !children_left_ && !backends::cgroup_populated(plan_.cgroup);
}

/// Ends the run: the command has ended, and the processes that it left behind are killed first.
void supervisor::finish() {
  for (reap(); !all_gone(); reap()) {
    kill_all();
    pollfd fds[3] = {{signals_.get(), POLLIN, 0},
                     {command_.err.get(), POLLIN, 0},
                     {command_.out.get(), POLLIN, 0}};
    ::poll(fds, 3, 10);
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) > 0) {
    }
    take_output(fds[2].revents != 0, fds[1].revents != 0);
  }
  output_.drain(command_.out.get(), output_stream::out);
  output_.drain(command_.err.get(), output_stream::err);
  if (auto note = output_.note(); !note.empty()) notes_.push_back(std::move(note));
}

/// Adds how the containers of a pod ended. Returns the first that failed, whose end is the run's.
const backends::container_end* supervisor::note_containers(shim_status& to) const {
  if (plan_.pod.containers.empty()) return nullptr;
  if (auto ends = backends::read_record<backends::pod_ends>(records_ / backends::run_file::ends))
    to.containers = std::move(ends->all);
  for (const auto& each : to.containers) {
    if (each.reason == shim_status::completed) continue;
    to.exit_code = each.exit_code;
    to.signal = each.signal;
    return &each;
  }
  return nullptr;
}

shim_status supervisor::outcome() const {
  shim_status out;
  out.started_ns = started_ns_;
  out.finished_ns = backends::wall_now_ns();
  out.notes = notes_;
  out.output_size = output_.written();
  const int status = wait_status_.value_or(0);
  out.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  out.exit_code = out.signal != 0 ? 128 + out.signal : WEXITSTATUS(status);
  const auto* failed = note_containers(out);
  if (const auto& why = ending_->ending()) {
    out.reason = why->reason;
    out.message = why->message;
  } else if (failed != nullptr) {
    out.reason = failed->reason;
    out.message = failed->message;
  } else if (out.signal == SIGKILL && backends::cgroup_oom_kills(plan_.cgroup) +
                                              backends::memory_group_kills(plan_.memory_group) >
                                          0) {
    out.reason = shim_status::oom_killed;
    out.message =
        "used more memory than its limit of " + std::to_string(plan_.memory_bytes) + " bytes";
  } else if (out.signal != 0) {
    out.reason = shim_status::failed;
    out.message =
        "killed by signal " + std::to_string(out.signal) + " (" + ::strsignal(out.signal) + ")";
  } else if (out.exit_code != 0) {
    out.reason = shim_status::failed;
    out.message = "exited with code " + std::to_string(out.exit_code);
  } else {
    out.reason = shim_status::completed;
  }
  remove_groups();
  return out;
}

void supervisor::remove_groups() const {
  for (const auto& path : {plan_.cgroup, plan_.memory_group, plan_.cpu_group, plan_.pids_group})
    backends::remove_cgroup(path);
}

}  // namespace argosy::shim
