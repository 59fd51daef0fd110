// SPDX-License-Identifier: Apache-2.0
// What the backend follows, and how it begins.
#include "runtime/backends/kubernetes/kubernetes_backend.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/backends/kubernetes/object.hpp"
#include "runtime/backends/kubernetes/pod_backend.hpp"
#include "runtime/backends/kubernetes/trouble/needed_rights.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/model/namespace_part.hpp"

namespace argosy::backends {

namespace {

using nlohmann::json;

const logging::logger logger{"kubernetes"};

constexpr std::size_t label_size_max = 63;
/// Clocks that differ by so much are told of.
constexpr boot_time clocks_differ = std::chrono::seconds{30};

}  // namespace

void pod_backend::follow_at(const std::string& path, collection::owner to) {
  to.listed = [this, path, then = std::move(to.listed)](const auto& objects) {
    gaps_.resumed(path);
    then(objects);
    if (!holds()) first_.listed(path);
  };
  to.interrupted = [this, path, then = std::move(to.interrupted)](const error& why) {
    gaps_.interrupted(path, why, boot());
    first_.interrupted(path, why);
    identity_.doubt();
    logger.warning("the API server does not tell of a collection", logging::kv("path", path),
                   logging::kv("error", to_string(why)));
    if (then) then(why);
  };
  to.resumed = [this, path, then = std::move(to.resumed)] {
    gaps_.resumed(path);
    answers_again(path);
    if (then) then();
  };
  collections_.push_back(std::make_unique<collection>(
      [mail = mail_](mailbox::letter what) { mail->post(std::move(what)); }, std::move(to)));
  watches_.push_back(api_->follow(path, *collections_.back()));
}

void pod_backend::answers_again(const std::string& path) {
  logger.info("the API server answers again", logging::kv("path", path));
  runs_.server_answers(boot());
  attached_.server_answers(boot());
}

void pod_backend::follow_pods(const std::string& name_space) {
  const auto folder = name_space.empty() ? std::string{"/api/v1/pods"}
                                         : "/api/v1/namespaces/" + name_space + "/pods";
  const auto path = folder + "?labelSelector=argosy.io%2Fcluster%3D" + config_.cluster;
  gaps_.follow_pods(path);
  first_.await_pods(path, name_space);
  follow_at(path, {[this, name_space, path](const auto& pods) {
                     if (!holds()) return pods_listed(name_space, pods);
                     identity_.hold(name_space, true, [this, name_space, path, pods] {
                       pods_listed(name_space, pods);
                       first_.listed(path);
                     });
                   },
                   [this, name_space](kube::change what, const json& pod) {
                     if (!holds()) return pod_changed(what, pod);
                     identity_.hold(name_space, false,
                                    [this, what, pod] { pod_changed(what, pod); });
                   },
                   [this, name_space](const error&) { runs_.pods_untold(name_space, boot()); },
                   [this, name_space] {
                     if (!holds()) return runs_.pods_told(name_space, boot());
                     identity_.hold(name_space, false,
                                    [this, name_space] { runs_.pods_told(name_space, boot()); });
                   }});
}

void pod_backend::follow_nodes() {
  gaps_.follow_nodes("/api/v1/nodes");
  first_.await("/api/v1/nodes");
  const std::string all = "/nodes";  // No namespace is called so.
  follow_at("/api/v1" + all, {[this, all](const auto& nodes) {
                                if (!holds()) return nodes_listed(nodes);
                                identity_.hold(all, true, [this, nodes] { nodes_listed(nodes); });
                              },
                              [this, all](kube::change what, const json& node) {
                                if (!holds()) return node_changed(what, node);
                                identity_.hold(all, false,
                                               [this, what, node] { node_changed(what, node); });
                              },
                              {}});
}

void pod_backend::follow_events(const std::string& name_space) {
  const auto folder = name_space.empty() ? std::string{"/api/v1/events"}
                                         : "/api/v1/namespaces/" + name_space + "/events";
  const bool all = !std::ranges::all_of(
      config_.rules.trouble.event_checks,
      [](const event_check& each) { return each.type == event_type::warning; });
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
  const auto path = "/api/v1/pods?labelSelector=argosy.io%2Fcluster%21%3D" + config_.cluster +
                    "&fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed";
  first_.await(path);
  follow_at(path, {[this](const auto& pods) {
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

std::vector<std::string> pod_backend::followed() const {
  const auto is_pattern = [](const auto& each) { return each.find('*') != std::string::npos; };
  if (config_.rules.namespaces.empty() || std::ranges::any_of(config_.rules.namespaces, is_pattern))
    return {std::string{}};
  return config_.rules.namespaces;
}

void pod_backend::follow_events() {
  if (!config_.rules.trouble.follow_events) return;
  for (const auto& each : followed()) follow_events(each);
}

void pod_backend::follow_attached(const std::string& folder) {
  const auto path_of = [folder](const json& object) {
    const auto& meta = object::part(object, "metadata");
    const auto kind = folder.substr(folder.rfind('/') + 1);
    const auto group = folder.substr(0, folder.find("/v1") + 3);
    return group + "/namespaces/" + object::text(meta, "namespace") + "/" + kind + "/" +
           object::text(meta, "name");
  };
  follow_at(folder + "?labelSelector=argosy.io%2Fcluster%3D" + config_.cluster,
            {[this, path_of](const auto& objects) {
               for (const auto& each : objects) see_attached(path_of(each), each);
             },
             [this, path_of](kube::change what, const json& object) {
               const auto path = path_of(object);
               if (what != kube::change::deleted) return see_attached(path, object);
               attached_before_.erase(path);
               attached_.gone(path);
             },
             {}});
}

void pod_backend::follow() {
  rights_.add(
      needed_rights(followed(), config_.rules.count_other_pods, config_.rules.impersonate_users),
      true);
  rights_.add(useful_rights(followed(), config_.rules.trouble.follow_events), false);
  for (const auto* kind : {model::attached_services, model::attached_ingresses})
    rights_.add(attached_rights(kind, followed(), config_.rules.impersonate_users), false);
  follow_nodes();
  for (const auto& each : followed()) follow_pods(each);
  if (config_.rules.count_other_pods) follow_others();
  // Jobs without services run where the agent may not see any.
  for (const auto& each : followed()) {
    const auto within = each.empty() ? std::string{} : "/namespaces/" + each;
    follow_attached("/api/v1" + within + "/services");
    follow_attached("/apis/networking.k8s.io/v1" + within + "/ingresses");
  }
  trouble_ = {sentence(find_start_gap().why), wall()};
  // Whatever was told so far has waited for it.
  if (config_.manual_clock == nullptr) thread_ = std::thread{[this] { work(); }};
}

void pod_backend::note_date(wall_time date) {
  const auto ahead = to_nanos(date) - wall();
  server_ahead_ns_ = ahead;
  if (boot_time{std::abs(ahead)} < clocks_differ) return;
  const auto seconds = ahead / to_nanos(wall_time{std::chrono::seconds{1}});
  std::call_once(told_of_clocks_, [&] {
    logger.warning("the clock of the API server differs from that of this machine",
                   logging::kv("seconds_ahead", seconds));
  });
}

pod_rules pod_backend::rules_of(const kubernetes_config& config) {
  pod_rules out{config.cluster, config.rules, {}, config.creates_max};
  for (const auto& each : config.defaults) {
    const auto& spec = object::part(each.pod, "spec");
    if (const auto name = object::text(spec, "runtimeClassName"); !name.empty())
      out.own.runtime_classes.emplace_back(name);
    for (const auto& secret : object::part(spec, "imagePullSecrets"))
      out.own.pull_secrets.emplace_back(object::text(secret, "name"));
  }
  return out;
}

result<std::unique_ptr<kubernetes_backend>> make_kubernetes_backend(kubernetes_config config,
                                                                    std::shared_ptr<kube::api> api,
                                                                    event_sink sink) {
  if (config.cluster.empty() || config.cluster.size() > label_size_max)
    return fail(ec::invalid_argument,
                "cluster '" + config.cluster +
                    "': with backend kubernetes the name has 1 to 63 characters, since pods carry "
                    "it as a label");
  if (config.rules.placement == pod_placement::selector && config.rules.node_label.empty())
    return fail(ec::invalid_argument,
                "kubernetes.nodeLabel is empty; placement by selector needs a label of nodes");
  auto marks = run_marks::open(config.state_dir);
  if (!marks) return fail(std::move(marks.error()));
  auto made = std::make_unique<pod_backend>(std::move(config), std::move(api), std::move(*marks),
                                            std::move(sink));
  made->follow();
  return std::unique_ptr<kubernetes_backend>{std::move(made)};
}

}  // namespace argosy::backends
