// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/operators.hpp"

#include <utility>

#include "bins/simulator/crowd.hpp"
#include "messages/proto/api/submit.pb.h"
#include "messages/proto/argosy/control.pb.h"
#include "messages/proto/argosy/settings.pb.h"
#include "runtime/base/check.hpp"

namespace argosy::sim {

namespace {

using namespace std::chrono_literals;

constexpr auto gap = 50s;
constexpr auto closed_for = 40s;
/// A machine that was forgotten is away until it was, and at least so long.
constexpr auto away = 30s;

}  // namespace

operators::operators(surroundings& around, std::uint64_t seed, std::vector<settings_file*> files,
                     std::vector<agent_machine*> agents, std::uint64_t queues)
    : around_(around),
      chances_(seed),
      files_(std::move(files)),
      agents_(std::move(agents)),
      queues_(queues),
      desk_(around, "an operator") {}

void operators::begin(virtual_time::duration until) {
  around_.time.after(30s + chances_.around(gap), [this, until] { come(until); });
}

void operators::come(virtual_time::duration until) {
  if (around_.time.now() >= until) return;
  act();
  around_.time.after(chances_.around(gap), [this, until] { come(until); });
}

void operators::act() {
  const auto what = static_cast<act_kind>(chances_.below(act_names.size()));
  ++counts_[what];
  switch (what) {
    case act_kind::cordon_node:
      return cordon_node();
    case act_kind::cordon_cluster:
      return cordon_cluster();
    case act_kind::drain:
      return drain();
    case act_kind::cordon_queue:
      return cordon_queue();
    case act_kind::change_queue:
      return change_queue();
    case act_kind::hold:
      return hold();
    case act_kind::make_queue:
      return make_queue();
    case act_kind::reload:
      return reload();
    case act_kind::forget_cluster:
      return forget_cluster();
  }
}

void operators::later(std::function<void()> undo) {
  ++open_;
  around_.time.after(1s + chances_.around(closed_for), [this, undo = std::move(undo)] {
    --open_;
    undo();
  });
}

/// What is sent again before it is answered might come after what takes it back.
void operators::tell(const std::string& method, const google::protobuf::MessageLite& request,
                     std::function<void()> undo) {
  const auto then = [this, undo = std::move(undo)] {
    if (undo) later(undo);
  };
  desk_.ask(
      method, request, [then](const std::string&) { then(); }, [then](const error&) { then(); });
}

void operators::cordon_node() {
  v1::CordonNodeRequest request;
  request.set_cluster(any_name());
  request.set_node("node-" + std::to_string(1 + chances_.below(2)));
  auto open = request;
  request.set_cordoned(true);
  tell("ClusterService.CordonNode", request, telling("ClusterService.CordonNode", open));
}

void operators::cordon_cluster() {
  v1::CordonClusterRequest request;
  request.set_name(any_name());
  auto open = request;
  request.set_cordoned(true);
  tell("ClusterService.CordonCluster", request, telling("ClusterService.CordonCluster", open));
}

void operators::drain() {
  v1::DrainRequest request;
  request.set_cluster(any_name());
  if (chances_.one_in(2)) request.set_node("node-" + std::to_string(1 + chances_.below(2)));
  request.set_keep_runs(chances_.one_in(2));
  // The end of a cordon ends a drain that still goes on.
  tell("ClusterService.Drain", request, [this, request] {
    if (request.node().empty()) {
      v1::CordonClusterRequest open;
      open.set_name(request.cluster());
      return tell("ClusterService.CordonCluster", open);
    }
    v1::CordonNodeRequest open;
    open.set_cluster(request.cluster());
    open.set_node(request.node());
    tell("ClusterService.CordonNode", open);
  });
}

void operators::cordon_queue() {
  api::QueueCordonRequest request;
  request.set_name(crowd::queue_of(chances_.below(queues_)));
  api::QueueUncordonRequest open;
  open.set_name(request.name());
  tell("QueueService.CordonQueue", request, telling("QueueService.UncordonQueue", open));
}

void operators::change_queue() {
  api::Queue queue;
  queue.set_name(crowd::queue_of(chances_.below(queues_)));
  queue.set_priority_factor(1.0 + static_cast<double>(chances_.below(8)));
  tell("Submit.UpdateQueue", queue);
}

void operators::hold() {
  v1::HoldJobsRequest request;
  request.set_queue(crowd::queue_of(chances_.below(queues_)));
  if (chances_.one_in(4))
    request.set_whole_queue(true);
  else
    request.set_job_set(crowd::set_of(chances_.below(10)));
  v1::ReleaseJobsRequest release;
  release.set_queue(request.queue());
  release.set_job_set(request.job_set());
  release.set_whole_queue(request.whole_queue());
  tell("JobControl.HoldJobs", request, telling("JobControl.ReleaseJobs", release));
}

void operators::make_queue() {
  api::Queue queue;
  queue.set_name("extra" + std::to_string(++made_));
  queue.set_priority_factor(1.0);
  desk_.ask("Submit.CreateQueue", queue, [this, name = queue.name()](const std::string&) {
    api::QueueGetRequest get;
    get.set_name(name);
    desk_.ask(
        "Submit.GetQueue", get, [](const std::string&) {},
        [this, name](const error&) {
          around_.found("queue " + name + " was made, and whoever asks for it does not find it");
        });
    later([this, name] {
      api::QueueDeleteRequest gone;
      gone.set_name(name);
      desk_.ask("Submit.DeleteQueue", gone, [this, name](const std::string&) {
        api::QueueGetRequest again;
        again.set_name(name);
        desk_.ask(
            "Submit.GetQueue", again,
            [this, name](const std::string&) {
              around_.found("queue " + name + " was deleted, and is still there");
            },
            [](const error&) {});
      });
    });
  });
}

void operators::reload() {
  for (auto* one : files_) one->edit();
  tell("Settings.Reload", v1::ReloadSettingsRequest{});
}

void operators::forget_cluster() {
  const auto which = chances_.below(agents_.size());
  auto& machine = *agents_[which];
  if (!machine.is_up() || machine.is_paused() || machine.health().kept_away) return;
  ++open_;
  machine.health().kept_away = true;
  machine.reboot({});
  around_.time.after(away, [this, &machine, which] {
    v1::ForgetClusterRequest request;
    request.set_name(agent_machine::name_of(which + 1));
    const auto back = [this, &machine] {
      --open_;
      machine.health().kept_away = false;
      machine.start();
    };
    desk_.ask(
        "ClusterService.ForgetCluster", request, [back](const std::string&) { back(); },
        [back](const error&) { back(); });
  });
}

}  // namespace argosy::sim
