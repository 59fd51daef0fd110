// SPDX-License-Identifier: Apache-2.0
// What the backend follows, and how it begins.
#include "runtime/backends/kubernetes/kubernetes_backend.hpp"

#include <optional>
#include <utility>

#include "runtime/backends/kubernetes/pod_backend.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::backends {

namespace {

using nlohmann::json;

const logging::logger logger{"kubernetes"};

constexpr std::size_t label_size_max = 63;

}  // namespace

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
                                runs_.nodes_listed(nodes, boot());
                                nodes_dirty();
                              },
                              [this](kube::change what, const json& node) {
                                if (what == kube::change::deleted)
                                  runs_.node_gone(node, boot());
                                else
                                  runs_.node_changed(node, boot());
                                if (what == kube::change::deleted)
                                  book_.node_gone(node);
                                else
                                  book_.node_changed(node);
                                nodes_dirty();
                              },
                              {}});
}

void pod_backend::follow_events(const std::string& name_space) {
  const auto folder = name_space.empty() ? std::string{"/api/v1/events"}
                                         : "/api/v1/namespaces/" + name_space + "/events";
  const auto& checks = config_.pods.trouble.events;
  const bool all = !std::ranges::all_of(checks, &event_check::of_warnings);
  const auto take = [this](const json& event) {
    if (const auto read = read_event(event)) runs_.event_seen(*read, wall(), boot());
  };
  follow_at(
      folder + "?fieldSelector=involvedObject.kind%3DPod" + (all ? "" : "%2Ctype%21%3DNormal"),
      {[take](const auto& events) { std::ranges::for_each(events, take); },
       [take](kube::change what, const json& event) {
         if (what != kube::change::deleted) take(event);
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
  const auto needed = collections_.size();
  // Jobs without services run where the agent may not see any.
  if (config_.namespaces.empty()) {
    follow_attached("/api/v1/services");
    follow_attached("/apis/networking.k8s.io/v1/ingresses");
  }
  for (const auto& each : config_.namespaces) {
    follow_attached("/api/v1/namespaces/" + each + "/services");
    follow_attached("/apis/networking.k8s.io/v1/namespaces/" + each + "/ingresses");
  }
  const auto until = std::chrono::steady_clock::now() + config_.list_limit;
  // All that is missing is told at once, so that nobody has to ask for one right after the other.
  std::optional<error> trouble;
  for (std::size_t i = 0; i < needed; ++i) {
    auto done = collections_[i]->wait(until);
    if (done) continue;
    if (trouble)
      trouble->detail += "; " + done.error().detail;
    else
      trouble = std::move(done.error());
    if (trouble->code != ec::denied) break;
  }
  if (trouble)
    return fail(trouble->code,
                "the API server " + api_->server() +
                    " does not list nodes and pods for the agent: " + trouble->detail);
  // Events say why a pod waits; without the right to them the agent knows less, and that is all.
  if (config_.follow_events && config_.namespaces.empty()) follow_events({});
  if (config_.follow_events)
    for (const auto& each : config_.namespaces) follow_events(each);
  run_there([this] { show_nodes(); });
  return {};
}

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
