// SPDX-License-Identifier: Apache-2.0
// The class behind make_kubernetes_backend(): it joins what is pure in this folder to the API
// server, the clock and a thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/backends/kubernetes/attached_objects.hpp"
#include "runtime/backends/kubernetes/collection.hpp"
#include "runtime/backends/kubernetes/kubernetes_backend.hpp"
#include "runtime/backends/kubernetes/link/cluster_identity.hpp"
#include "runtime/backends/kubernetes/link/first_lists.hpp"
#include "runtime/backends/kubernetes/link/follow_gaps.hpp"
#include "runtime/backends/kubernetes/link/rights_watch.hpp"
#include "runtime/backends/kubernetes/mailbox.hpp"
#include "runtime/backends/kubernetes/output/kept_output.hpp"
#include "runtime/backends/kubernetes/output/log_streams.hpp"
#include "runtime/backends/kubernetes/run_marks.hpp"
#include "runtime/backends/kubernetes/volumes/volume_looks.hpp"
#include "runtime/backends/run/file.hpp"

namespace argosy::backends {

class pod_backend final : public kubernetes_backend {
 public:
  pod_backend(kubernetes_config config, std::shared_ptr<kube::api> api, run_marks marks,
              event_sink sink)
      : config_(std::move(config)),
        api_(std::move(api)),
        sink_(std::move(sink)),
        marks_(std::move(marks)),
        book_({config_.rules.placement == pod_placement::selector ? config_.rules.node_label
                                                                  : std::string{},
               config_.rules.tracked_labels}),
        runs_(rules_of(config_)),
        link_(config_.link, boot()),
        identity_(config_.state_dir),
        attached_(rules_of(config_)),
        outputs_(kept_output::open(
            config_.state_dir.empty() ? config_.state_dir : config_.state_dir / "output",
            config_.rules.kept_output_max.bytes)),
        saver_({.run_bytes_max = config_.rules.kept_output_per_run.bytes,
                .patience = config_.rules.keep_pods}),
        streams_(
            api_, [this] { return boot(); },
            [this](const auto& request, const auto& take) { read_kept(request, take); }) {
    if (const auto lease = marks_.lease(boot(), wall())) runs_.renew(*lease, boot());
    for (auto& each : outputs_.heads()) saver_.restore(std::move(each));
    take_control_plane(config_.control_plane);
    identity_.doubt();
  }

  ~pod_backend() override { pod_backend::shutdown(); }

  /// Begins to follow nodes and pods, and begins the thread.
  void follow();

  model::plan_contents wanted_plan() const override { return model::plan_contents::pod; }
  bool is_ready() const override { return started_; }
  bool has_more_runs() const override { return left_.has_more; }
  bool has_left_runs() const override { return left_.is_there; }
  model::inherited_runs inherit(const std::vector<model::recorded_run>& known,
                                const std::string& control_plane) override;
  result<std::vector<run_event>> adopt(const std::vector<model::recorded_run>& known) override;
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
      runs_.renew(lease, boot());
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
  model::backend_trouble trouble() const override {
    const std::lock_guard guard{mutex_};
    return trouble_;
  }
  bool has_strangers() const override { return has_strangers_; }
  void on_nodes_changed(std::function<void()> told) override {
    const std::lock_guard guard{mutex_};
    nodes_changed_ = std::move(told);
  }
  void read_log(const model::log_request& request, log_taker take) const override {
    if (streams_.serve(request, take)) return;
    mail_->post([this, request, take = std::move(take)] { read_now(request, take); });
  }
  void shutdown() override;
  void advance() override;

 private:
  [[nodiscard]] static pod_rules rules_of(const kubernetes_config& config);
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
  /// Has the run's volumes looked at, its services and ingresses made, and then its pod.
  void launch(const run_launch& run, const nlohmann::json& pod, std::string bare,
              const std::vector<nlohmann::json>& attached);
  void read_now(const model::log_request& request, const log_taker& take) const;
  void read_kept(const model::log_request& request, const log_taker& take) const;
  /// Has the outputs of runs that have ended read and kept. Returns false if there was nothing.
  bool turn_outputs(const pod_step& step);
  void take_control_plane(const std::string& id);
  void ask_for(pod_request what);
  /// Takes from an answer whether the API server answers.
  void note_answer(const result<kube::answer>& answer);
  /// Returns false if there was nothing to do about the link.
  bool turn_link();
  void probe_link();
  /// Asks which cluster the server is of; as the end of a probe, or besides.
  void ask_identity(bool is_probe);
  bool verify_cluster();
  /// Why no run can be begun now, or nobody tells how they are.
  std::optional<follow_gap> find_gap() const;
  /// When turn_link() has something to do.
  boot_time link_due() const;
  /// Asks which rights the agent has. Returns false if there was nothing to ask.
  bool turn_rights();
  /// Says, as the end of a clause, which rights the agent lacks though it begins runs.
  std::string find_lack() const;
  void take_gap(std::optional<follow_gap> gap);
  void tell_lack();
  /// Whether the cluster has had no time to tell anything.
  bool is_beginning() const;
  /// Whether it is known which runs there are, and nothing is missing to end and begin some.
  bool has_started() const;
  /// Why it has not.
  follow_gap find_start_gap() const;
  void become_ready();
  /// `why` with where the address of a server stands that does not answer.
  [[nodiscard]] std::string sentence(const std::string& why) const;
  void tell_link(const std::string& trouble);
  /// Asks about the volumes of runs, and judges what was found. Returns false if there was nothing.
  bool turn_volumes();
  /// What services and ingresses have due. Returns false if there was nothing.
  bool turn_attached();
  void see_attached(const std::string& path, const nlohmann::json& object);
  void follow_pods(const std::string& name_space);
  void follow_attached(const std::string& folder);
  void follow_nodes();
  void follow_others();
  void follow_events(const std::string& name_space);
  void follow_events();
  /// The namespaces whose objects are followed; one empty name: all of them.
  [[nodiscard]] std::vector<std::string> followed() const;
  void answers_again(const std::string& path);
  /// Takes what the API server's clock shows now.
  void note_date(wall_time date);
  void follow_at(const std::string& path, collection::owner to);
  void pods_listed(const std::string& name_space, const std::vector<nlohmann::json>& pods);
  void pod_changed(kube::change what, const nlohmann::json& object);
  void nodes_listed(const std::vector<nlohmann::json>& nodes);
  void node_changed(kube::change what, const nlohmann::json& node);
  /// Whether what is told now has to wait, since it may be of another cluster.
  bool holds() const { return adopted_ && identity_.holds(); }
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
  kube::link_core link_;
  follow_gaps gaps_;
  first_lists first_;
  rights_watch rights_;
  std::string found_lack_;  ///< The result of find_lack() when all was answered last.
  std::string lack_;        ///< The last such result that was told.
  boot_time began_ = boot();
  std::string doubt_why_;  ///< Why it is not known which cluster the server is of.
  cluster_identity identity_;
  std::string server_;             ///< The API server that is certainly that of the cluster.
  std::optional<follow_gap> gap_;  ///< What was told last.
  boot_time retell_at_{};
  bool complained_ = false;  ///< The log says that the server is of no use.
  std::atomic<bool> started_ = false;
  bool verifying_ = false;  ///< It was asked which cluster the server is of.
  boot_time verify_due_{};
  attached_objects attached_;
  volume_looks volumes_;
  kept_output outputs_;
  output_saver saver_;
  mutable log_streams streams_;  ///< It has a lock of its own.
  std::string control_plane_;
  /// Services and ingresses that were there before the runs were adopted or the control plane was
  /// known, by path.
  std::map<std::string, nlohmann::json> attached_before_;
  std::vector<run_event> untold_;
  /// The pods that were there before the runs of their namespaces were adopted, by namespace and
  /// name.
  std::map<std::pair<std::string, std::string>, pod_view> before_;
  bool adopted_ = false;
  boot_time node_due_ = boot_time::max();

  mutable std::mutex mutex_;
  std::vector<model::node_info> nodes_;  ///< Guarded by mutex_, as are the next two.
  model::backend_trouble trouble_;
  std::function<void()> nodes_changed_;

  std::vector<std::unique_ptr<collection>> collections_;
  /// How far the API server's clock is ahead of this machine's.
  std::atomic<std::int64_t> server_ahead_ns_ = 0;
  std::atomic<bool> has_strangers_ = false;
  struct {
    std::atomic<bool> has_more = false;  ///< Runs that can be adopted now.
    std::atomic<bool> is_there = false;
    std::string foreign;  ///< What is to be told of pods of another control plane; empty: nothing.
  } left_;                ///< What earlier agents have left.
  std::once_flag told_of_clocks_;
  std::vector<std::unique_ptr<kube::watch>> watches_;
  std::thread thread_;
};

}  // namespace argosy::backends
