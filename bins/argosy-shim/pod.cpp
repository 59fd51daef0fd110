// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-shim/pod.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "bins/argosy-shim/output_file.hpp"
#include "bins/argosy-shim/sandbox.hpp"
#include "runtime/backends/run/cgroup.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/backends/run/limit_group.hpp"
#include "runtime/backends/run/records.hpp"
#include "runtime/base/clock.hpp"

namespace argosy::shim {

namespace {

using backends::container_end;
using backends::container_plan;
using backends::shim_plan;
using backends::shim_status;
using backends::unique_fd;

constexpr int exit_not_started = 126;

/// A container that was started, or is about to be.
struct live_container {
  const container_plan* plan = nullptr;
  std::filesystem::path folder;
  /// Its groups, by paths that hold though the machine's are covered; empty: there are none.
  std::string cgroup, memory_group, cpu_group;
  pid_t pid = -1;
  unique_fd out, err;                   ///< The read ends, where its output has a place of its own.
  std::unique_ptr<output_file> output;  ///< Null: it has that of the run.
};

/// The sentence in the last line of a log that crun wrote as JSON.
std::string words_of_crun(const std::filesystem::path& log) {
  const auto text = backends::read_file(log).value_or(std::string{});
  constexpr std::string_view mark{R"("msg":)"};
  const auto at = text.rfind(mark);
  if (at == std::string::npos) return "crun does not say why";
  std::string out;
  for (auto i = text.find('"', at + mark.size()) + 1; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return out;
}

class pod_process {
 public:
  pod_process(const shim_plan& plan, std::filesystem::path folder)
      : plan_(plan), folder_(std::move(folder)), work_(folder_ / backends::work_folder) {}

  int run();

 private:
  result<void> prepare();
  void hold_cgroup();
  bool run_to_end(std::size_t begin, std::size_t end);
  result<void> start(std::size_t number);
  result<void> place_output(std::size_t number, live_container& to, int& out, int& err);
  [[nodiscard]] bool divides_groups() const;
  void make_groups(const container_plan& plan, std::size_t number, live_container& to) const;
  [[nodiscard]] std::int64_t oom_kills(const live_container& container) const;
  [[nodiscard]] result<void> crun(const live_container& container, std::size_t number, int out,
                                  int err);
  [[nodiscard]] pid_t start_crun(std::vector<std::string> words, int out, int err,
                                 const std::vector<std::string>& groups) const;
  [[nodiscard]] result<void> limit_cpu(std::int64_t millis) const;
  void wait();
  void take_output();
  void reap();
  void end_of(live_container& container, int status);
  void note(container_end end);
  [[nodiscard]] std::string called(const std::string& name, const std::string& what) const;
  [[nodiscard]] bool all_ended() const;
  [[nodiscard]] int finish();

  const shim_plan& plan_;
  std::filesystem::path folder_;
  std::filesystem::path work_;
  unique_fd signals_;
  unique_fd cgroup_, memory_group_, cpu_group_;
  unique_fd crun_;
  std::vector<live_container> live_;
  backends::pod_ends ends_;
  bool stopping_ = false;
};

int pod_process::run() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGCHLD, SIGTERM}) ::sigaddset(&set, number);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = unique_fd{::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)};
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const auto& all = plan_.pod.containers;
  if (auto ready = prepare(); !ready) {
    note({all.front().name, exit_not_started, 0, shim_status::start_error, ready.error().detail});
    return finish();
  }
  std::size_t next = 0;
  for (; next < all.size() && all[next].init; ++next)
    if (!run_to_end(next, next + 1)) return finish();
  static_cast<void>(run_to_end(next, all.size()));
  return finish();
}

result<void> pod_process::prepare() {
  hold_cgroup();
  if (auto entered = enter_sandbox(plan_.pod); !entered) return entered;
  crun_ = read_only(plan_.pod.crun);
  for (std::size_t i = 0; i < plan_.pod.volumes.size(); ++i)
    if (auto made = make_volume(plan_.pod.volumes[i], work_ / ("v" + std::to_string(i))); !made)
      return made;
  for (std::size_t i = 0; i < plan_.pod.host_paths.size(); ++i)
    if (auto shown = show_path(plan_.pod.host_paths[i], work_ / ("h" + std::to_string(i))); !shown)
      return shown;
  if (auto made = make_crun_folder(plan_.pod, folder_ / backends::crun_folder); !made) return made;
  live_.resize(plan_.pod.containers.size());
  return {};
}

/// Keeps the run's groups in reach. Its own group may hold no processes once containers have
/// theirs.
void pod_process::hold_cgroup() {
  const auto held = [](const std::string& path) {
    return path.empty() ? unique_fd{}
                        : unique_fd{::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  };
  cgroup_ = held(plan_.cgroup);
  memory_group_ = held(plan_.memory_group);
  cpu_group_ = held(plan_.cpu_group);
  if (cgroup_ && divides_groups()) backends::divide_cgroup(backends::descriptor_path(cgroup_));
}

/// Starts these containers and waits until they have ended. Returns whether all went well.
bool pod_process::run_to_end(std::size_t begin, std::size_t end) {
  const auto failures = [this] {
    std::size_t out = 0;
    for (const auto& each : ends_.all) out += each.reason == shim_status::completed ? 0 : 1;
    return out;
  };
  const auto before = failures();
  for (auto i = begin; i < end && !stopping_; ++i) {
    if (auto started = start(i); !started) {
      const auto& name = plan_.pod.containers[i].name;
      note({name, exit_not_started, 0, shim_status::start_error,
            called(name, started.error().detail)});
      // The others would wait for it.
      for (const auto& each : live_)
        if (each.pid > 0) ::kill(each.pid, SIGKILL);
      break;
    }
  }
  while (!all_ended()) wait();
  return failures() == before && !stopping_;
}

result<void> pod_process::start(std::size_t number) {
  const auto& plan = plan_.pod.containers[number];
  auto& container = live_[number];
  container.plan = &plan;
  container.folder = folder_ / backends::crun_folder / ("c" + std::to_string(number));
  if (auto made = mount_root(plan, container.folder, work_, number); !made) return made;
  for (std::size_t i = 0; i < plan_.pod.parts.size(); ++i)
    if (const auto& part = plan_.pod.parts[i]; part.container == static_cast<std::int64_t>(number))
      if (auto shown = show_part(work_ / ("v" + std::to_string(part.volume)), part.path,
                                 container.folder / ("s" + std::to_string(i)));
          !shown)
        return shown;
  if (auto written = backends::write_file(container.folder / "config.json", plan.config,
                                          backends::sync_mode::no);
      !written)
    return written;
  int out = STDOUT_FILENO;
  int err = STDERR_FILENO;
  unique_fd own_out;
  unique_fd own_err;
  if (!is_first(plan_.pod, number)) {
    if (auto placed = place_output(number, container, out, err); !placed) return placed;
    own_out = unique_fd{out};
    own_err = unique_fd{err};
  }
  if (divides_groups()) make_groups(plan, number, container);
  // With a tenth of a core it would take many periods to shut a container in, so that no quota
  // holds before that is done. Containers that run already would use what is lifted, and an image
  // can make crun wait.
  const bool lifted = all_ended() && limit_cpu(0).has_value();
  auto started = crun(container, number, out, err);
  if (lifted)
    if (auto held = limit_cpu(plan_.cpu_millis); !held) return held;
  if (!started) return started;
  // The run's holds in any case.
  if (!container.cpu_group.empty())
    static_cast<void>(backends::limit_cpu_group(container.cpu_group, plan.cpu_millis));
  else if (!container.cgroup.empty())
    static_cast<void>(backends::limit_cpu(container.cgroup, plan.cpu_millis));
  const auto text = backends::read_file(container.folder / "pid", 64).value_or(std::string{});
  std::from_chars(text.data(), text.data() + text.size(), container.pid);
  if (container.pid <= 0) return fail(ec::internal, "crun does not say what it started");
  return {};
}

/// Gives a container that is not the pod's first a file for its output.
result<void> pod_process::place_output(std::size_t number, live_container& to, int& out, int& err) {
  const auto all = folder_ / backends::outputs_folder;
  const auto folder = all / plan_.pod.containers[number].name;
  int one[2];
  int two[2];
  for (const auto& each : {all, folder})
    if (::mkdir(each.c_str(), 0700) != 0 && (each == folder || errno != EEXIST))
      return fail(backends::system_error("make '" + each.string() + "'", errno));
  if (::pipe2(one, O_CLOEXEC) != 0) return fail(backends::system_error("make a pipe", errno));
  to.out = unique_fd{one[0]};
  out = one[1];
  if (::pipe2(two, O_CLOEXEC) != 0) {
    ::close(out);
    return fail(backends::system_error("make a pipe", errno));
  }
  to.err = unique_fd{two[0]};
  err = two[1];
  for (const int fd : {one[0], two[0]}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  to.output = std::make_unique<output_file>(folder, plan_.output_max);
  return {};
}

/// Whether containers have groups of their own. The kernel makes, fills and removes groups one at a
/// time, so that a container to which the run's limits are its own does without.
bool pod_process::divides_groups() const {
  const auto& all = plan_.pod.containers;
  const auto differs = [](std::int64_t own, std::int64_t run) { return own > 0 && own != run; };
  return all.size() > 1 || differs(all.front().cpu_millis, plan_.cpu_millis) ||
         differs(all.front().memory_bytes, plan_.memory_bytes);
}

/// Makes the container's groups, with its limits. One that cannot be made is done without: those of
/// the run hold in any case.
void pod_process::make_groups(const container_plan& plan, std::size_t number,
                              live_container& to) const {
  const auto below = [number](const unique_fd& group) {
    return group ? backends::descriptor_path(group) + "/c" + std::to_string(number) : std::string{};
  };
  to.cgroup = below(cgroup_);
  to.memory_group = below(memory_group_);
  to.cpu_group = below(cpu_group_);
  if (!backends::make_memory_group(to.memory_group, plan.memory_bytes)) to.memory_group.clear();
  if (!backends::make_cpu_group(to.cpu_group, 0)) to.cpu_group.clear();
  if (to.cgroup.empty() || !backends::make_cgroup(to.cgroup)) return to.cgroup.clear();
  static_cast<void>(backends::limit_cgroup(to.cgroup, 0, memory_group_ ? 0 : plan.memory_bytes));
}

/// Sets the run's quota of cpu again, or takes it away with 0. Fails where it has none.
result<void> pod_process::limit_cpu(std::int64_t millis) const {
  if (plan_.cpu_millis <= 0) return fail(ec::not_found, "no quota");
  return cpu_group_ ? backends::limit_cpu_group(backends::descriptor_path(cpu_group_), millis)
                    : backends::limit_cpu(backends::descriptor_path(cgroup_), millis);
}

/// Has crun start the container, and returns once its program is executed.
result<void> pod_process::crun(const live_container& container, std::size_t number, int out,
                               int err) {
  const auto log = (container.folder / "crun.log").string();
  const auto child =
      start_crun({"--log-format=json", "--log=" + log, "run", "--detach", "--pid-file",
                  container.folder / "pid", "-b", container.folder, "c" + std::to_string(number)},
                 out, err, {container.cgroup, container.memory_group, container.cpu_group});
  if (child < 0) return fail(backends::system_error("start crun", errno));
  const auto until = backends::boot_now() + boot_time{plan_.pod.crun_max_ns};
  const unique_fd end{static_cast<int>(::syscall(SYS_pidfd_open, child, 0))};
  pollfd ended{end.get(), POLLIN, 0};
  while (plan_.pod.crun_max_ns > 0 && end && ended.revents == 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - backends::boot_now());
    if (left.count() <= 0) {
      // All that crun has begun ends with this process.
      ::kill(child, SIGKILL);
      return fail(ec::timeout, "cannot start it: crun has not ended after " +
                                   std::to_string(plan_.pod.crun_max_ns / 1'000'000'000) + " s");
    }
    ::poll(&ended, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return fail(ec::internal, "cannot start it: " + words_of_crun(log));
}

pid_t pod_process::start_crun(std::vector<std::string> words, int out, int err,
                              const std::vector<std::string>& groups) const {
  std::vector<std::string> all{plan_.pod.crun,
                               "--root=" + (folder_ / backends::crun_folder / "state").string(),
                               "--cgroup-manager=disabled"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (auto& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  std::array<char*, 2> env{path, nullptr};
  const pid_t child = ::fork();
  if (child == 0) {
    for (const auto& group : groups) {
      if (group.empty()) continue;
      const unique_fd procs{::open((group + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC)};
      static_cast<void>(!::write(procs.get(), "0", 1));
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    ::close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
    if (crun_) ::execveat(crun_.get(), "", argv.data(), env.data(), AT_EMPTY_PATH);
    ::execve(argv.front(), argv.data(), env.data());
    ::_exit(exit_not_started);
  }
  return child;
}

void pod_process::wait() {
  std::vector<pollfd> fds{{signals_.get(), POLLIN, 0}};
  for (const auto& each : live_) {
    if (each.err) fds.push_back({each.err.get(), POLLIN, 0});
    if (each.out) fds.push_back({each.out.get(), POLLIN, 0});
  }
  if (::poll(fds.data(), fds.size(), -1) < 0) return;
  take_output();
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo != SIGTERM) continue;
    stopping_ = true;
    for (const auto& each : live_)
      if (each.pid > 0) ::kill(each.pid, SIGTERM);
  }
  reap();
}

void pod_process::take_output() {
  using model::output_stream;
  for (auto& each : live_) {
    if (each.out && !each.output->pump(each.out.get(), output_stream::out)) each.out.reset();
    if (each.err && !each.output->pump(each.err.get(), output_stream::err)) each.err.reset();
  }
}

void pod_process::reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;)
    for (auto& each : live_)
      if (each.pid == pid) end_of(each, status);
}

std::int64_t pod_process::oom_kills(const live_container& container) const {
  const auto in = [this](const std::string& own, const unique_fd& run) {
    return divides_groups() || !run ? own : backends::descriptor_path(run);
  };
  return backends::cgroup_oom_kills(in(container.cgroup, cgroup_)) +
         backends::memory_group_kills(in(container.memory_group, memory_group_));
}

void pod_process::end_of(live_container& container, int status) {
  container.pid = -1;
  if (container.output) {
    container.output->drain(container.out.get(), model::output_stream::out);
    container.output->drain(container.err.get(), model::output_stream::err);
    container.out.reset();
    container.err.reset();
  }
  const auto& plan = *container.plan;
  container_end end;
  end.name = plan.name;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.exit_code = end.signal != 0 ? 128 + end.signal : WEXITSTATUS(status);
  end.reason = end.exit_code == 0 ? shim_status::completed : shim_status::failed;
  const auto memory = plan.memory_bytes > 0 ? plan.memory_bytes : plan_.memory_bytes;
  if (end.exit_code != 0 && oom_kills(container) > 0) {
    end.reason = shim_status::oom_killed;
    end.message = called(plan.name,
                         "used more memory than its limit of " + std::to_string(memory) + " bytes");
  } else if (end.signal != 0) {
    end.message = called(plan.name, "killed by signal " + std::to_string(end.signal) + " (" +
                                        ::strsignal(end.signal) + ")");
  } else if (end.exit_code != 0) {
    end.message = called(plan.name, "exited with code " + std::to_string(end.exit_code));
  }
  note(std::move(end));
}

/// Each end is on disk before anything else happens, since this process may be killed.
void pod_process::note(container_end end) {
  ends_.all.push_back(std::move(end));
  if (const auto bytes = encode(ends_))
    static_cast<void>(
        backends::write_file(folder_ / backends::run_file::ends, *bytes, backends::sync_mode::no));
}

std::string pod_process::called(const std::string& name, const std::string& what) const {
  return plan_.pod.containers.size() == 1 ? what : "container '" + name + "': " + what;
}

bool pod_process::all_ended() const {
  for (const auto& each : live_)
    if (each.pid > 0) return false;
  return true;
}

int pod_process::finish() {
  for (const auto& each : ends_.all)
    if (each.exit_code != 0) return each.exit_code;
  return 0;
}

}  // namespace

int run_pod(const std::filesystem::path& folder) {
  const auto plan = backends::read_record<shim_plan>(folder / backends::run_file::plan);
  if (!plan || plan->pod.containers.empty()) return exit_not_started;
  return pod_process{*plan, folder}.run();
}

}  // namespace argosy::shim
