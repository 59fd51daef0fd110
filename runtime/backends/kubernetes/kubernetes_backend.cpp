// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/kubernetes_backend.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "runtime/backends/kubernetes/collection.hpp"
#include "runtime/backends/kubernetes/mailbox.hpp"
#include "runtime/backends/kubernetes/pod_output.hpp"
#include "runtime/backends/kubernetes/run_marks.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::backends {

namespace {

using model::run_phase;
using nlohmann::json;

const logging::logger logger{"kubernetes"};

constexpr boot_time sleep_max = std::chrono::minutes{1};
constexpr std::size_t label_size_max = 63;

run_event refused(const model::run_key& run, const char* why, std::string message,
                  std::int64_t wall_ns) {
  return {run, run_phase::refused, {std::nullopt, 0, why, std::move(message)}, {}, wall_ns};
}

class pod_backend final : public kubernetes_backend {
 public:
  pod_backend(kubernetes_config config, std::shared_ptr<kube::api> api, run_marks marks,
              event_sink sink)
      : config_(std::move(config)),
        api_(std::move(api)),
        sink_(std::move(sink)),
        marks_(std::move(marks)),
        book_({config_.placement == pod_placement::selector ? config_.node_label : std::string{},
               config_.tracked_labels}),
        runs_(config_.pods) {
    if (const auto lease = marks_.lease(boot(), wall())) runs_.renew(*lease);
    runs_.set_control_plane(config_.control_plane, boot());
    if (config_.manual_clock == nullptr) thread_ = std::thread{[this] { work(); }};
  }

  ~pod_backend() override { pod_backend::shutdown(); }

  result<void> follow();

  std::string name() const override { return "kubernetes"; }
  model::plan_contents wanted_plan() const override { return model::plan_contents::pod; }
  result<std::vector<run_event>> adopt(const std::vector<model::run_key>& known) override;
  void start(run_launch run) override {
    mail_->post([this, run = std::move(run)] { start_now(run); });
  }
  void stop(const model::stop_run& order, std::chrono::nanoseconds grace) override {
    mail_->post([this, order, grace] { runs_.stop(order.run, order.reason, grace, boot()); });
  }
  void stop_all(const std::string& why) override {
    mail_->post([this, why] { runs_.stop_all(why, boot()); });
  }
  void renew(const model::run_lease& lease) override {
    mail_->post([this, lease] {
      runs_.renew(lease);
      marks_.keep(lease);
    });
  }
  void forget(const model::run_key& run) override {
    mail_->post([this, run] { runs_.forget(run, boot()); });
  }
  std::vector<model::node_info> nodes() const override {
    const std::lock_guard guard{mutex_};
    return nodes_;
  }
  void on_nodes_changed(std::function<void()> told) override {
    const std::lock_guard guard{mutex_};
    nodes_changed_ = std::move(told);
  }
  result<model::log_chunk> read_log(const model::log_request& request) const override;
  void shutdown() override;
  void advance() override;

 private:
  boot_time boot() const {
    return config_.manual_clock ? config_.manual_clock->boot() : boot_now();
  }
  std::int64_t wall() const {
    return config_.manual_clock ? to_nanos(config_.manual_clock->wall()) : wall_now_ns();
  }
  /// Runs a function on the backend's thread and waits for it. Returns false if there is none any
  /// more.
  bool run_there(const std::function<void()>& what) const;
  void work();
  /// Runs what has come in, and sends and tells what follows. Returns false if there was nothing.
  bool turn();
  void start_now(const run_launch& run);
  void follow_pods(const std::string& name_space);
  void follow_nodes();
  void follow_others();
  collection& follow_at(const std::string& path, collection::owner to);
  void pods_listed(const std::string& name_space, const std::vector<json>& pods);
  void pod_changed(kube::change what, const json& object);
  void nodes_dirty() { node_due_ = std::min(node_due_, boot() + config_.node_pause); }
  void show_nodes();

  const kubernetes_config config_;
  const std::shared_ptr<kube::api> api_;
  const event_sink sink_;
  const std::shared_ptr<mailbox> mail_ = std::make_shared<mailbox>();

  // These belong to the backend's thread.
  run_marks marks_;
  node_book book_;
  pod_runs runs_;
  std::vector<run_event> untold_;
  /// The pods that were there before the runs were adopted, by namespace and name.
  std::map<std::pair<std::string, std::string>, pod_view> before_;
  bool adopted_ = false;
  boot_time node_due_ = boot_time::max();

  mutable std::mutex mutex_;
  std::vector<model::node_info> nodes_;  ///< Guarded by mutex_, as is nodes_changed_.
  std::function<void()> nodes_changed_;

  std::vector<std::unique_ptr<collection>> collections_;
  std::vector<std::unique_ptr<kube::watch>> watches_;
  std::thread thread_;
};

collection& pod_backend::follow_at(const std::string& path, collection::owner to) {
  to.interrupted = [path](const error& why) {
    logger.warning("the API server does not tell of a collection", logging::kv("path", path),
                   logging::kv("error", to_string(why)));
  };
  collections_.push_back(std::make_unique<collection>(
      [mail = mail_](mailbox::letter what) { mail->post(std::move(what)); }, std::move(to)));
  auto& made = *collections_.back();
  watches_.push_back(api_->follow(path, made));
  return made;
}

void pod_backend::follow_pods(const std::string& name_space) {
  const auto folder = name_space.empty() ? std::string{"/api/v1/pods"}
                                         : "/api/v1/namespaces/" + name_space + "/pods";
  follow_at(folder + "?labelSelector=argosy.io%2Fcluster%3D" + config_.cluster,
            {[this, name_space](const auto& pods) { pods_listed(name_space, pods); },
             [this](kube::change what, const json& pod) { pod_changed(what, pod); },
             {}});
}

void pod_backend::follow_nodes() {
  follow_at("/api/v1/nodes", {[this](const auto& nodes) {
                                book_.nodes_listed(nodes);
                                nodes_dirty();
                              },
                              [this](kube::change what, const json& node) {
                                if (what == kube::change::deleted)
                                  book_.node_gone(node);
                                else
                                  book_.node_changed(node);
                                nodes_dirty();
                              },
                              {}});
}

void pod_backend::follow_others() {
  follow_at("/api/v1/pods?labelSelector=argosy.io%2Fcluster%21%3D" + config_.cluster +
                "&fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed",
            {[this](const auto& pods) {
               book_.pods_listed(pods);
               nodes_dirty();
             },
             [this](kube::change what, const json& pod) {
               if (what == kube::change::deleted)
                 book_.pod_gone(pod);
               else
                 book_.pod_changed(pod);
               nodes_dirty();
             },
             {}});
}

result<void> pod_backend::follow() {
  follow_nodes();
  if (config_.namespaces.empty()) follow_pods({});
  for (const auto& each : config_.namespaces) follow_pods(each);
  if (config_.count_other_pods) follow_others();
  const auto until = std::chrono::steady_clock::now() + config_.list_limit;
  for (const auto& each : collections_)
    if (auto done = each->wait(until); !done)
      return fail(done.error().code,
                  "the API server " + api_->server() +
                      " does not list nodes and pods for the agent: " + done.error().detail);
  run_there([this] { show_nodes(); });
  return {};
}

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

}  // namespace

result<std::unique_ptr<kubernetes_backend>> make_kubernetes_backend(kubernetes_config config,
                                                                    std::shared_ptr<kube::api> api,
                                                                    event_sink sink) {
  if (config.cluster.empty() || config.cluster.size() > label_size_max)
    return fail(ec::invalid_argument,
                "cluster '" + config.cluster +
                    "': with backend kubernetes the name has 1 to 63 characters, since pods carry "
                    "it as a label");
  if (config.placement == pod_placement::selector && config.node_label.empty())
    return fail(ec::invalid_argument,
                "kubernetes.nodeLabel is empty; placement by selector needs a label of nodes");
  config.pods.cluster = config.cluster;
  auto marks = run_marks::open(config.state_dir);
  if (!marks) return fail(std::move(marks.error()));
  auto made = std::make_unique<pod_backend>(std::move(config), std::move(api), std::move(*marks),
                                            std::move(sink));
  if (auto followed = made->follow(); !followed) return fail(std::move(followed.error()));
  return std::unique_ptr<kubernetes_backend>{std::move(made)};
}

}  // namespace argosy::backends
