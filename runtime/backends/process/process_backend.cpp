// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/process/process_backend.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <optional>
#include <unordered_set>

#include "runtime/backends/process/adoption.hpp"
#include "runtime/backends/process/live_runs.hpp"
#include "runtime/backends/process/machine.hpp"
#include "runtime/backends/process/protection.hpp"
#include "runtime/backends/process/storage_watch.hpp"
#include "runtime/backends/run/cgroup.hpp"
#include "runtime/backends/run/output.hpp"
#include "runtime/model/amounts.hpp"

namespace argosy::backends {

namespace {

namespace fs = std::filesystem;
using model::run_phase;

constexpr const char* default_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// Leaves room for the run's own folder in a path of the greatest length.
constexpr std::size_t working_dir_max = 2048;

/// A name that belongs to this backend alone and is the same after every restart.
std::string cgroup_name(const fs::path& runs_dir) {
  const auto text = runs_dir.string();
  char out[32];
  std::snprintf(out, sizeof out, "%s%016llx", cgroup_prefix,
                static_cast<unsigned long long>(XXH64(text.data(), text.size(), 0)));
  return out;
}

cgroup_base make_cgroups(const fs::path& runs_dir) {
  const auto parents = cgroup_parents();
  remove_abandoned_cgroups(cgroup_prefix, parents);
  auto out = make_cgroup_base(cgroup_name(runs_dir), parents);
  add_limit_groups(out, cgroup_name(runs_dir));
  return out;
}

/// Converts seconds to nanoseconds. They are cut to a hundred years, so that nothing overflows.
std::int64_t to_nanoseconds(std::int64_t seconds) {
  constexpr std::int64_t century = 100LL * 365 * 24 * 3600;
  return std::clamp<std::int64_t>(seconds, 0, century) * 1'000'000'000;
}

void set_default(std::vector<std::pair<std::string, std::string>>& env, std::string_view name,
                 std::string value) {
  for (const auto& [key, present] : env)
    if (key == name) return;
  env.emplace_back(name, std::move(value));
}

/// The working directory: below the run's folder unless it is absolute. Nothing if a relative path
/// would lead out of the folder.
std::optional<std::string> working_dir(const std::string& wanted) {
  const fs::path path{wanted};
  if (path.is_absolute()) return wanted;
  const auto inside = (fs::path{work_folder} / path).lexically_normal();
  if (inside.begin()->string() != work_folder) return std::nullopt;
  return inside.string();
}

class process_backend final : public backend {
 public:
  process_backend(process_config config, event_sink sink)
      : config_(std::move(config)),
        lease_file_(config_.runs_dir / "lease"),
        same_boot_(read_lease(lease_file_).has_value()),
        cgroups_(config_.use_cgroups ? make_cgroups(config_.runs_dir) : cgroup_base{}),
        hidden_(hidden_paths(config_)),
        users_(config_.users),
        node_(machine_node(config_.runs_dir, config_.node_name, config_.capacity, config_.labels,
                           config_.taints)),
        name_note_(config_.node_name_setting.empty()
                       ? std::string{}
                       : kept_name_note(node_.name, config_.node_name, config_.node_name_setting)),
        runs_(thread_, config_.runs_dir, config_.shim,
              retention{config_.runs_dir, config_.limits.keep_runs_max,
                        static_cast<std::int64_t>(config_.limits.keep_bytes_max.bytes)},
              config_.shim_patience, std::move(sink)),
        storage_(thread_,
                 {config_.runs_dir, config_.limits.files_max,
                  [this] { return room_of(config_.runs_dir, config_.limits.disk_reserve); },
                  config_.storage_period},
                 storage_owner()) {
    if (config_.pods) node_.taints.back().value = model::with_containers;
    if (!config_.no_pods.empty()) name_note_ += (name_note_.empty() ? "" : "; ") + config_.no_pods;
    runs_.on_gone([this](const model::run_key& run, std::optional<std::uint32_t> user) {
      if (user) users_.release(*user);
      if (config_.pods) config_.pods->release(run);
    });
    if (const auto lease = read_lease(lease_file_))
      thread_.post([this, lease] { runs_.renew(*lease); });
  }

  ~process_backend() override { process_backend::shutdown(); }

  model::plan_contents wanted_plan() const override {
    return has_pods() ? model::plan_contents::containers : model::plan_contents::whole;
  }
  model::backend_traits traits() const override {
    if (config_.pods) return {false, false, true};
    return has_pods() ? model::traits_of("process") : model::backend_traits{};
  }
  std::vector<model::node_info> nodes() const override { return {node_}; }
  model::backend_trouble trouble() const override { return {{}, 0, name_note_}; }
  void shutdown() override {
    if (config_.pods) config_.pods->shutdown();
    thread_.stop();
    // The group has only groups of runs in it. When there are none, it is removed, so that this
    // agent leaves nothing behind.
    if (!runs_.empty()) return;
    for (const auto& path :
         {cgroups_.path, cgroups_.memory_group, cgroups_.cpu_group, cgroups_.pids_group})
      if (!path.empty()) ::rmdir(path.c_str());
  }

  result<std::vector<run_event>> adopt(const std::vector<model::recorded_run>& known) override {
    auto found = adopt_runs(config_.runs_dir, cgroups_.path, same_boot_, known);
    if (!found) return fail(std::move(found.error()));
    auto rest = std::make_shared<adoption>(std::move(*found));
    auto events = std::move(rest->events);
    thread_.post([this, rest] {
      for (auto& each : rest->alive) {
        if (each.plan.user) users_.hold(*each.plan.user);
        if (config_.pods) config_.pods->hold(each.run, each.plan.pod.devices);
        runs_.follow(each.run, std::move(each.shim), each.running, each.plan);
      }
      for (const auto& run : rest->kept) runs_.forget(run);
    });
    return events;
  }

  void start(run_launch run) override {
    thread_.post([this, run = std::move(run)] { start_now(run); });
  }

  void stop(const model::stop_run& order, std::chrono::nanoseconds grace) override {
    thread_.post([this, order, grace] {
      if (!give_up(order.run, order.reason)) runs_.stop(order.run, {grace.count(), order.reason});
    });
  }

  void stop_all(const std::string& why) override {
    thread_.post([this, why] {
      while (!preparing_.empty()) static_cast<void>(give_up(*preparing_.begin(), why));
      runs_.stop_all(why);
    });
  }

  void renew(const model::run_lease& lease) override {
    thread_.post([this, lease] {
      runs_.renew(lease);
      // The next renewal makes up for one that cannot be written; without any, the runs end.
      if (const auto bytes = encode(lease_record{boot_id(), lease}))
        static_cast<void>(write_file(lease_file_, *bytes, sync_mode::no));
    });
  }

  void forget(const model::run_key& run) override {
    thread_.post([this, run] { runs_.forget(run); });
  }

  void read_log(const model::log_request& request, log_taker take) const override {
    take(read_output(request));
  }

 private:
  result<model::log_chunk> read_output(const model::log_request& request) const;
  storage_watch::owner storage_owner();
  /// Whether this is backend `container`, though it may have none on this machine.
  bool has_pods() const { return config_.pods || !config_.no_pods.empty(); }
  void start_now(const run_launch& run);
  void prepare_pod(const run_launch& run);
  void start_pod(const run_launch& run, result<ready_pod> pod);
  bool give_up(const model::run_key& run, const std::string& why);
  result<shim_plan> make_plan(const run_launch& run) const;
  void add_common(const model::start_run& order, shim_plan& to) const;

  process_config config_;
  fs::path lease_file_;
  bool same_boot_;
  cgroup_base cgroups_;
  std::vector<std::string> hidden_;
  run_users users_;  ///< Belongs to thread_.
  model::node_info node_;
  std::string name_note_;
  work_thread thread_;
  live_runs runs_;
  storage_watch storage_;
  std::unordered_set<model::run_key> preparing_;  ///< Pods that are not begun yet.
};

storage_watch::owner process_backend::storage_owner() {
  return {[this] { return runs_.storing(); },
          [this](const storage_end& why) { runs_.end_for_storage(why); },
          [this] {
            const bool shed = runs_.make_room([this] {
              return !lacks_room(room_of(config_.runs_dir, config_.limits.disk_reserve));
            });
            return shed || (config_.pods && config_.pods->make_room());
          }};
}

void process_backend::start_now(const run_launch& run) {
  const auto& key = run.order->run;
  if (auto lack = lack_of_room(config_); !lack.empty())
    return runs_.tell(made_event(key, run_phase::refused, reason::backend_error, std::move(lack)));
  if (!run.plan.containers.empty() && run.plan.obstacle.empty()) return prepare_pod(run);
  auto plan = make_plan(run);
  if (!plan) {
    // Other backends may have what this one has not; all else is the job's own mistake.
    const bool elsewhere = !run.plan.obstacle.empty();
    return runs_.tell(made_event(key, elsewhere ? run_phase::refused : run_phase::failed,
                                 reason::unsupported, plan.error().detail));
  }
  const auto identity = users_.take({run.plan.user, run.plan.group});
  if (!identity && identity.error().code == ec::denied)
    // The job is to blame and not the node: it would fail wherever the operator allows nobody.
    return runs_.tell(
        made_event(key, run_phase::failed, reason::user_not_allowed, identity.error().detail));
  if (!identity)
    return runs_.tell(
        made_event(key, run_phase::refused, reason::backend_error, identity.error().detail));
  plan->user = identity->user;
  plan->group = identity->group;
  // The kernel counts those of a user as well.
  if (plan->user.value_or(0) != 0) plan->pids_group.clear();
  if (run.plan.non_root && plan->user.value_or(::geteuid()) == 0)
    return runs_.tell(
        made_event(key, run_phase::refused, reason::unsupported,
                   "podSpec.securityContext.runAsNonRoot is set, but the agent runs as root and "
                   "runAsUser names no other user"));
  if (!runs_.start(key, *plan) && plan->user) users_.release(*plan->user);
}

void process_backend::prepare_pod(const run_launch& run) {
  const auto& key = run.order->run;
  if (!config_.pods)
    return runs_.tell(made_event(key, run_phase::refused, reason::unsupported, config_.no_pods));
  // Where the agent is not root, a user namespace has the users of containers.
  for (const auto& each : run.plan.containers)
    if (const auto allowed = users_.check_container({each.user, each.group});
        !allowed && ::geteuid() == 0)
      return runs_.tell(
          made_event(key, run_phase::failed, reason::user_not_allowed, allowed.error().detail));
  preparing_.insert(key);
  run_event pending;
  pending.run = key;
  pending.time_ns = wall_now_ns();
  runs_.tell(std::move(pending));
  config_.pods->prepare(run, [this, run](result<ready_pod> pod) {
    thread_.post([this, run, pod = std::make_shared<result<ready_pod>>(std::move(pod))] {
      start_pod(run, std::move(*pod));
    });
  });
}

void process_backend::start_pod(const run_launch& run, result<ready_pod> pod) {
  const auto& key = run.order->run;
  const bool wanted = preparing_.erase(key) > 0;
  const auto leave = [&](run_phase phase, const char* why, std::string message) {
    config_.pods->release(key);
    if (wanted) runs_.tell(made_event(key, phase, why, std::move(message)));
  };
  if (!pod) {
    const auto code = pod.error().code;
    if (code == ec::invalid_argument)
      return leave(run_phase::failed, reason::unsupported, std::move(pod.error().detail));
    if (code == ec::not_found || code == ec::denied)
      return leave(run_phase::failed, model::reason_cannot_begin, std::move(pod.error().detail));
    return leave(run_phase::refused, reason::backend_error, std::move(pod.error().detail));
  }
  if (!wanted) return leave(run_phase::stopped, shim_status::stopped, {});
  shim_plan plan;
  const auto folder = config_.runs_dir / to_string(key);
  plan.argv = {config_.shim.string(), pod_word, folder.string()};
  plan.working_dir = work_folder;
  plan.env = {
      {run_variable, to_string(key)}, {folder_variable, folder.string()}, {"PATH", default_path}};
  add_common(*run.order, plan);
  std::int64_t cpu = 0;
  std::int64_t memory = 0;
  for (const auto& each : pod->pod.containers) {
    if (plan.container.empty() && !each.init) plan.container = each.name;
    cpu += each.cpu_millis;
    memory += each.memory_bytes;
  }
  // Containers may have limits above what they request; what has no limit shares the requests.
  if (plan.cpu_millis > 0) plan.cpu_millis = std::max(plan.cpu_millis, cpu);
  if (plan.memory_bytes > 0) plan.memory_bytes = std::max(plan.memory_bytes, memory);
  plan.pod = std::move(pod->pod);
  // The job is to blame, where a machine that cannot write the plan would give the run back.
  if (auto bytes = encode(plan); !bytes)
    return leave(run_phase::failed, reason::unsupported, "podSpec: a name holds a zero byte");
  if (!runs_.start(key, plan)) config_.pods->release(key);
}

/// Ends a run whose pod is not ready yet. Returns false if it is no such run.
bool process_backend::give_up(const model::run_key& run, const std::string& why) {
  if (preparing_.erase(run) == 0) return false;
  runs_.tell(made_event(run, run_phase::stopped, shim_status::stopped, why));
  return true;
}

/// What a plan says whatever is run.
void process_backend::add_common(const model::start_run& order, shim_plan& to) const {
  const auto name = to_string(order.run);
  to.run = name;
  if (!cgroups_.path.empty()) to.cgroup = cgroups_.path + "/" + name;
  if (!cgroups_.memory_group.empty()) to.memory_group = cgroups_.memory_group + "/" + name;
  if (!cgroups_.cpu_group.empty()) to.cpu_group = cgroups_.cpu_group + "/" + name;
  if (!cgroups_.pids_group.empty()) to.pids_group = cgroups_.pids_group + "/" + name;
  if (cgroups_.cpu) to.cpu_millis = model::amount_of(order.requests, "cpu");
  if (cgroups_.memory) to.memory_bytes = model::amount_of(order.requests, "memory");
  to.limits_note = cgroups_.note;
  to.lease_file = lease_file_.string();
  to.keep_on_disconnect = order.keep_on_disconnect;
  to.grace_ns = to_nanoseconds(order.grace_seconds);
  to.deadline_ns = to_nanoseconds(order.deadline_seconds);
  to.output_max = static_cast<std::int64_t>(config_.limits.output_max.bytes);
  to.storage_max = model::amount_of(order.requests, "ephemeral-storage");
  if (to.storage_max == 0)
    to.storage_max = static_cast<std::int64_t>(config_.limits.storage_max.bytes);
  to.pids_max = config_.limits.pids_max;
}

result<shim_plan> process_backend::make_plan(const run_launch& run) const {
  const auto& order = run.order;
  const auto& wanted = run.plan;
  const auto name = to_string(order->run);
  if (!wanted.obstacle.empty())
    return fail(ec::invalid_argument, wanted.obstacle + " cannot be carried out by backend '" +
                                          (has_pods() ? "container'" : "process'"));
  if (wanted.argv.empty() || wanted.argv.front().empty())
    return fail(ec::invalid_argument, "podSpec.containers[0].command is empty");
  // The file system would refuse such a name, which is no fault of the machine.
  for (const auto& part : fs::path{wanted.working_dir})
    if (part.string().size() > NAME_MAX || wanted.working_dir.size() > working_dir_max)
      return fail(ec::invalid_argument, "podSpec.containers[0].workingDir is too long: at most " +
                                            std::to_string(working_dir_max) + " bytes, and " +
                                            std::to_string(NAME_MAX) + " in each name");
  const auto directory = working_dir(wanted.working_dir);
  if (!directory)
    return fail(ec::invalid_argument, "podSpec.containers[0].workingDir '" + wanted.working_dir +
                                          "' leads out of the run's folder");
  shim_plan out;
  out.container = wanted.container;
  out.argv = wanted.argv;
  out.working_dir = *directory;
  for (const auto& item : wanted.env)
    if (item.first != run_variable && item.first != folder_variable) out.env.push_back(item);
  out.env.emplace_back(run_variable, name);
  out.env.emplace_back(folder_variable, (config_.runs_dir / name).string());
  set_default(out.env, "PATH", default_path);
  set_default(out.env, "HOME", (config_.runs_dir / name / work_folder).string());
  add_common(*order, out);
  out.hidden = hidden_;
  if (auto bytes = encode(out); !bytes)
    return fail(ec::invalid_argument,
                "podSpec.containers[0]: the command or the environment holds a zero byte");
  return out;
}

result<model::log_chunk> process_backend::read_output(const model::log_request& request) const {
  const auto folder = config_.runs_dir / to_string(request.run);
  std::error_code code;
  if (!fs::exists(folder, code))
    return fail(ec::not_found, "no output of run " + to_string(request.run) + " is kept here");
  // The end is looked at before the output, or output that comes in between would be missed.
  // A run whose shim is not there yet has the folder alone.
  const bool begun = fs::exists(folder / run_file::lock, code);
  const auto alive = shim_alive(folder);
  if (!alive) return fail(alive.error());
  const bool ended = fs::exists(folder / run_file::status, code) || (begun && !*alive);
  std::uint64_t written = 0;
  if (ended)
    if (const auto status = read_record<shim_status>(folder / run_file::status))
      written = static_cast<std::uint64_t>(status->output_size);
  auto place = folder;
  if (!request.container.empty())
    if (const auto other = folder / outputs_folder / request.container;
        request.container.find('/') == std::string::npos && fs::exists(other, code)) {
      place = other;
      written = 0;
    }
  auto out = backends::read_output(
      place, request.offset, std::clamp(request.size_max, 1u, model::log_chunk_bytes_max), written);
  if (out) out->end = ended && out->end;
  return out;
}

}  // namespace

result<std::unique_ptr<backend>> make_process_backend(process_config config, event_sink sink) {
  std::error_code code;
  fs::create_directories(config.runs_dir, code);
  if (code) return fail(system_error("make '" + config.runs_dir.string() + "'", code.value()));
  ::chmod(config.runs_dir.c_str(), 0700);
  config.runs_dir = fs::canonical(config.runs_dir, code);
  if (code) return fail(system_error("find the folder of the runs", code.value()));
  config.shim = fs::absolute(config.shim, code);
  if (::access(config.shim.c_str(), X_OK) != 0)
    return fail(
        system_error("execute '" + config.shim.string() + "', which runs the commands", errno));
  auto users = rules_of(config);
  if (config.on_missing_protection)
    for (const auto& lack : missing_protection(config, users)) config.on_missing_protection(lack);
  config.users = std::move(users);
  return std::unique_ptr<backend>{new process_backend{std::move(config), std::move(sink)}};
}

}  // namespace argosy::backends
