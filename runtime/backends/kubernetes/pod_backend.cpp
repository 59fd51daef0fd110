// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/pod_backend.hpp"

#include <algorithm>
#include <future>
#include <utility>

#include "runtime/backends/kubernetes/inheritance.hpp"
#include "runtime/backends/kubernetes/pod_output.hpp"

namespace argosy::backends {

namespace {

using model::run_phase;
using nlohmann::json;

constexpr boot_time sleep_max = std::chrono::minutes{1};

run_event refused(const model::run_key& run, const char* why, std::string message,
                  std::int64_t wall_ns) {
  return {run, run_phase::refused, {std::nullopt, 0, why, std::move(message)}, {}, wall_ns};
}

}  // namespace

void pod_backend::pods_listed(const std::string& name_space, const std::vector<json>& pods) {
  std::vector<pod_view> views;
  views.reserve(pods.size());
  for (const auto& each : pods) views.push_back(read_pod(each));
  if (adopted_) return runs_.listed(name_space, views, wall(), boot());
  std::erase_if(before_, [&](const auto& each) {
    return name_space.empty() || each.first.first == name_space;
  });
  for (auto& each : views) before_[{each.name_space, each.name}] = each;
}

void pod_backend::pod_changed(kube::change what, const json& object) {
  const auto pod = read_pod(object);
  if (!adopted_) {
    if (what == kube::change::deleted)
      before_.erase({pod.name_space, pod.name});
    else
      before_[{pod.name_space, pod.name}] = pod;
  } else if (what == kube::change::deleted) {
    runs_.gone(pod, wall(), boot());
  } else {
    runs_.seen(pod, wall(), boot());
  }
}

model::inherited_runs pod_backend::inherit(const std::vector<model::run_key>& known) {
  model::inherited_runs out;
  if (!config_.acts_alone) return out;
  static_cast<void>(run_there([&] {
    std::vector<pod_view> pods;
    for (const auto& [name, pod] : before_) pods.push_back(pod);
    out = inherit_pods(pods, {known.begin(), known.end()}, config_.cluster, config_.control_plane);
  }));
  return out;
}

result<std::vector<run_event>> pod_backend::adopt(const std::vector<model::run_key>& known) {
  std::vector<run_event> events;
  const bool done = run_there([&] {
    std::vector<pod_view> pods;
    for (const auto& [name, pod] : before_) pods.push_back(pod);
    before_.clear();
    adopted_ = true;
    events = runs_.adopt(
        known, pods, [this](const auto& run) { return marks_.never_started(run); }, wall(), boot());
  });
  if (!done) return fail(ec::cancelled, "the backend is shut down");
  return events;
}

void pod_backend::start_now(const run_launch& run) {
  const auto& order = *run.order;
  const auto refuse = [&](const char* why, std::string message) {
    untold_.push_back(refused(order.run, why, std::move(message), wall()));
  };
  runs_.set_control_plane(run.control_plane, boot());
  if (!config_.namespaces.empty() &&
      std::ranges::find(config_.namespaces, order.name_space) == config_.namespaces.end())
    return refuse(reason::unsupported, "namespace '" + order.name_space +
                                           "' is not one of kubernetes.namespaces of the agent");
  auto pod =
      place_pod(run.pod, order, run.control_plane, book_,
                {config_.cluster, config_.placement, config_.node_label, config_.priority_class});
  if (!pod)
    return refuse(pod.error().code == ec::not_found ? reason::backend_error : reason::unsupported,
                  pod.error().detail);
  if (auto marked = marks_.set(order.run); !marked)
    return refuse(reason::backend_error, marked.error().detail);
  runs_.launch(order, *pod, boot());
}

void pod_backend::show_nodes() {
  node_due_ = boot_time::max();
  auto now = book_.nodes();
  std::function<void()> told;
  {
    const std::lock_guard guard{mutex_};
    if (now == nodes_) return;
    nodes_ = std::move(now);
    told = nodes_changed_;
  }
  if (told) told();
}

bool pod_backend::turn() {
  const auto letters = mail_->take();
  for (const auto& each : letters) each();
  if (boot() >= node_due_) show_nodes();
  runs_.tick(wall(), boot());
  auto step = runs_.take();
  for (const auto& run : step.erased) marks_.erase(run);
  untold_.insert(untold_.end(), step.events.begin(), step.events.end());
  const bool any = !letters.empty() || !step.requests.empty() || !untold_.empty();
  if (!untold_.empty()) sink_(std::exchange(untold_, {}));
  for (auto& each : step.requests)
    api_->ask(std::move(each.request),
              [this, mail = mail_, what = each.what, run = each.run](result<kube::answer> answer) {
                mail->post([this, what, run, answer = std::move(answer)] {
                  runs_.answered(what, run, answer, wall(), boot());
                });
              });
  return any;
}

void pod_backend::advance() {
  while (turn()) {
  }
}

void pod_backend::work() {
  boot_time wait{0};
  while (mail_->wait(wait)) {
    turn();
    const auto due = std::min(runs_.next_due(), node_due_);
    wait = std::clamp(due == boot_time::max() ? sleep_max : due - boot(), boot_time{0}, sleep_max);
  }
}

bool pod_backend::run_there(const std::function<void()>& what) const {
  if (config_.manual_clock != nullptr) {
    // A test is its own thread of the backend.
    for (const auto& each : mail_->take()) each();
    what();
    return true;
  }
  std::future<void> waiting;
  {
    // The letter alone holds the task, so that the wait ends when it is dropped.
    const auto task = std::make_shared<std::packaged_task<void()>>(what);
    waiting = task->get_future();
    mail_->post([task] { (*task)(); });
  }
  try {
    waiting.get();
  } catch (const std::future_error&) {
    return false;
  }
  return true;
}

result<model::log_chunk> pod_backend::read_log(const model::log_request& request) const {
  std::optional<pod_place> place;
  const bool there = run_there([&] { place = runs_.place(request.run); });
  if (!there || !place)
    return fail(ec::not_found, "no pod of run " + to_string(request.run) + " is kept");
  return read_output(*api_, *place, request, config_.log_limit);
}

void pod_backend::shutdown() {
  watches_.clear();
  mail_->close();
  if (thread_.joinable()) thread_.join();
}

}  // namespace argosy::backends
