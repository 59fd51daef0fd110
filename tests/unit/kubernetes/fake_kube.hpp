// SPDX-License-Identifier: Apache-2.0
// An API server in memory. It answers at once, and tells followers before it answers. A test plays
// scheduler and kubelet: it sets the status of pods and lets deleted ones go.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/kube/api.hpp"
#include "tests/unit/kubernetes/fake_logs.hpp"

namespace argosy::backends {

class fake_kube final : public kube::api, public fake_logs {
 public:
  using json = nlohmann::json;

  /// What the next request with this verb gets instead of its answer.
  struct fault {
    std::string verb;
    result<kube::answer> answer;
    bool takes_effect = false;
  };

  void ask(kube::request what, kube::answer_handler done) override {
    if (what.path.find("/selfsubjectaccessreviews") != std::string::npos) {
      ++reviews;
      return done(
          kube::answer{201, review(json::parse(what.body)["spec"]["resourceAttributes"]), date});
    }
    if (what.path.find("/selfsubjectrulesreviews") != std::string::npos) {
      ++rules_told;
      return done(rules_of(json::parse(what.body)["spec"].value("namespace", "")));
    }
    if (!what.server.empty() && what.server != address)
      return done(fail(ec::unreachable, "another server is asked by now"));
    // What changes something was not sent then, or it is not known whether it was.
    if (cut)
      return done(
          fail(what.verb != "GET" && cut_in_midst ? ec::timeout : ec::unreachable, "no route"));
    if (what.path == "/readyz") return done(ready);
    if (what.path.ends_with("/kube-system")) return done(identity);
    requests.push_back(what);
    if (what.verb == "DELETE")
      EXPECT_NE(what.body.find("\"uid\":\""), std::string::npos)
          << what.path << ": another object may have the name by now";
    for (auto at = faults.begin(); at != faults.end(); ++at) {
      if (at->verb != what.verb) continue;
      const auto planned = *at;
      faults.erase(at);
      if (planned.takes_effect) static_cast<void>(serve(what));
      return done(planned.answer);
    }
    if (silent) return held.push_back(std::move(done));
    done(serve(what));
  }

  std::unique_ptr<kube::watch> follow(std::string collection, kube::follower& to) override {
    followers.emplace_back(collection, &to);
    if (is_denied(collection))
      to.interrupted({ec::denied, "'" + collection + "' cannot be listed"});
    else if (const auto& why = refuse_lists)
      to.interrupted({why->code, (names_what_it_refuses ? collection + " " : "") + why->detail});
    else
      list(collection, to);
    return std::make_unique<ending>(*this, to);
  }

  std::unique_ptr<kube::watch> read(kube::request what, kube::body_reader& to) override {
    result<kube::answer> answer = fail(ec::internal, "not answered yet");
    ask(what, [&answer](result<kube::answer> got) { answer = std::move(got); });
    const auto found = pods.find(log_place_of(what.path));
    const bool runs = found != pods.end() && found->second["status"]["phase"] == "Running";
    return tell_log(what.path, std::move(answer), runs, to);
  }

  std::string server() const override { return address; }

  /// Tells all followers what is there now, as after a gap in a watch.
  void list_again() {
    for (const auto& [path, to] : followers) list(path, *to);
  }

  /// Nothing is told and answered until it is mended, which the followers learn if `noticed`.
  void cut_link(bool noticed) {
    cut = true;
    if (noticed) interrupt("");
  }
  void mend_link() {
    cut = false;
    answer_again();
    list_again();
  }
  /// Tells the followers of whose path has this part that nothing is told of it.
  void interrupt(const char* part, const error& why = {ec::timeout, "no route"}) {
    for (const auto& [path, to] : followers)
      if (path.find(part) != std::string::npos) to->interrupted(why);
  }

  /// Collections that have this part in their path are not listed for the agent.
  void deny(const std::string& part) { denied.insert(part); }
  void allow() {
    denied.clear();
    list_again();
  }
  bool is_denied(const std::string& path) const {
    return std::ranges::any_of(
        denied, [&](const std::string& each) { return path.find(each) != std::string::npos; });
  }

  /// Tells all followers that the server answers again, and nothing else.
  void answer_again() {
    for (const auto& [path, to] : followers) to->resumed();
  }

  void add_node(json node) {
    nodes[node["metadata"]["name"]] = node;
    tell(kube::change::added, node, true);
  }

  /// Tells an event of a pod.
  void add_event(const key& at, const std::string& type, const std::string& reason,
                 const std::string& message) {
    const json event{{"involvedObject",
                      {{"kind", "Pod"},
                       {"namespace", at.first},
                       {"name", at.second},
                       {"uid", pods[at]["metadata"]["uid"]}}},
                     {"type", type},
                     {"reason", reason},
                     {"message", message}};
    for (const auto& [path, to] : followers)
      if (path.find("/events?") != std::string::npos) to->changed(kube::change::added, event);
  }

  /// Sets the condition Ready of a node, and tells of it.
  void set_ready(const std::string& name, const std::string& status, const std::string& message) {
    auto& node = nodes.at(name);
    node["status"]["conditions"] = {{{"type", "Ready"}, {"status", status}, {"message", message}}};
    tell(kube::change::modified, node, true);
  }
  void remove_node(const std::string& name) {
    const auto node = nodes.at(name);
    nodes.erase(name);
    tell(kube::change::deleted, node, true);
  }

  void add_pod(json pod) {
    pod["metadata"]["resourceVersion"] = std::to_string(++uids);
    if (!pod["metadata"].contains("uid")) pod["metadata"]["uid"] = "u" + std::to_string(++uids);
    pods[key_of(pod)] = pod;
    tell(kube::change::added, pod, false);
  }

  /// Sets the status of a pod, and tells of it.
  void set_status(const key& at, const json& status) {
    auto& pod = pods.at(at);
    pod["status"] = status;
    pod["metadata"]["resourceVersion"] = std::to_string(++uids);
    tell(kube::change::modified, pod, false);
  }

  /// Takes a pod away; followers are told unless `quietly`.
  void remove(const key& at, bool quietly = false) {
    const auto pod = pods.at(at);
    pods.erase(at);
    if (!quietly) tell(kube::change::deleted, pod, false);
  }

  /// How many requests with this verb there were.
  std::size_t count(const std::string& verb) const {
    return std::ranges::count(requests, verb, &kube::request::verb);
  }

  std::string last(const std::string& verb) const {
    const auto is = [&](const auto& each) { return each.verb == verb; };
    const auto at = std::find_if(requests.rbegin(), requests.rend(), is);
    return at == requests.rend() ? "" : at->path;
  }

  static key key_of(const json& pod) {
    return {pod["metadata"]["namespace"], pod["metadata"]["name"]};
  }

  std::map<std::string, json> nodes;
  std::map<key, json> pods;
  std::map<std::string, json> attached;  ///< Services, ingresses, claims and volumes, by path.
  std::vector<kube::request> requests;
  std::deque<fault> faults;
  std::optional<error> refuse_lists;
  bool names_what_it_refuses = false;
  std::set<std::string> missing_rights;  ///< "delete pods", "delete pods jobs"
  bool tells_rules = true;               ///< Rules can be asked for.
  bool rules_are_whole = true;
  std::size_t rules_told = 0;
  std::size_t reviews = 0;                               ///< Questions about one right.
  bool silent = false;                                   ///< Nothing else is answered.
  result<kube::answer> ready = kube::answer{200, "ok"};  ///< Whether the server is ready.
  kube::answer identity{200, R"({"metadata":{"uid":"c1"}})"};
  std::optional<wall_time> date;  ///< Answers tell this as the time of the server's clock.
  std::vector<kube::answer_handler> held;

 private:
  class ending final : public kube::watch {
   public:
    ending(fake_kube& owner, kube::follower& to) : owner_(owner), to_(to) {}
    ~ending() override {
      std::erase_if(owner_.followers, [&](const auto& each) { return each.second == &to_; });
    }

   private:
    fake_kube& owner_;
    kube::follower& to_;
  };

  static bool matches(const std::string& path, const json& pod) {
    const auto cluster =
        pod["metadata"].value("labels", json::object()).value("argosy.io/cluster", std::string{});
    const std::string others = "cluster%21%3D";
    const std::string own = "cluster%3D";
    const auto folder = path.substr(0, path.find('?'));
    if (folder != "/api/v1/pods" &&
        folder != "/api/v1/namespaces/" + pod["metadata"].value("namespace", "") + "/pods")
      return false;
    if (const auto at = path.find(others); at != std::string::npos)
      return cluster != path.substr(at + others.size(), path.find('&') - at - others.size());
    return cluster == path.substr(path.find(own) + own.size());
  }

  void list(const std::string& path, kube::follower& to) {
    std::vector<json> all;
    if (path == "/api/v1/nodes")
      for (const auto& [name, node] : nodes) all.push_back(node);
    for (const auto& [at, object] : attached)
      if (at.starts_with(path.substr(0, path.find('?')))) all.push_back(object);
    for (const auto& [at, pod] : pods)
      if (matches(path, pod)) all.push_back(pod);
    to.listed(std::move(all));
  }

  void tell(kube::change what, const json& object, bool is_node) {
    if (cut) return;
    for (const auto& [path, to] : followers)
      if (is_denied(path))
        continue;
      else if (is_node ? path == "/api/v1/nodes" : path != "/api/v1/nodes" && matches(path, object))
        to->changed(what, object);
  }

  /// What the agent may do in a namespace, in which the rules for the whole cluster hold as well.
  kube::answer rules_of(const std::string& name_space) const {
    if (!tells_rules) return problem(404, "not found");
    json rules = json::array();
    for (const std::string resource :
         {"pods", "pods/log", "nodes", "events", "namespaces", "persistentvolumes",
          "persistentvolumeclaims", "services", "ingresses.networking.k8s.io"})
      for (const std::string verb : {"get", "list", "watch", "create", "delete"}) {
        const auto right = verb + " " + resource;
        if (missing_rights.contains(right) || missing_rights.contains(right + " " + name_space))
          continue;
        const auto dot = resource.find('.');
        const auto group = dot == std::string::npos ? std::string{} : resource.substr(dot + 1);
        rules.push_back(
            {{"verbs", {verb}}, {"apiGroups", {group}}, {"resources", {resource.substr(0, dot)}}});
      }
    const json status{{"resourceRules", rules}, {"incomplete", !rules_are_whole}};
    return {201, json{{"status", status}}.dump(), date};
  }

  std::string review(const json& attributes) const {
    auto right = attributes.value("verb", "") + " " + attributes.value("resource", "");
    if (attributes.contains("subresource")) right += "/" + attributes.value("subresource", "");
    if (attributes.contains("group")) right += "." + attributes.value("group", "");
    const auto there = right + " " + attributes.value("namespace", "");
    const bool missing = missing_rights.contains(right) || missing_rights.contains(there);
    return json{{"status", {{"allowed", !missing}}}}.dump();
  }

  /// Whether a DELETE is meant for an object, or a version of it, that this one is not.
  static bool is_of_another(const kube::request& what, const json& object) {
    const auto options = json::parse(what.body, nullptr, false);
    if (!options.is_object() || !options.contains("preconditions")) return false;
    for (const auto& [name, value] : options["preconditions"].items())
      if (object["metadata"].value(name, "") != value.get<std::string>()) return true;
    return false;
  }

  kube::answer serve_attached(const kube::request& what, std::string path) {
    if (what.verb == "POST") {
      auto object = json::parse(what.body);
      path += "/" + object["metadata"].value("name", "");
      if (attached.contains(path)) return problem(409, "already exists");
      object["metadata"]["uid"] = "u" + std::to_string(++uids);
      attached[path] = object;
      return {201, object.dump()};
    }
    const auto found = attached.find(path);
    if (found == attached.end()) return problem(404, "not found");
    const auto body = found->second.dump();
    if (what.verb != "DELETE") return {200, body};
    if (is_of_another(what, found->second)) return problem(409, "the UID is another one");
    attached.erase(found);
    return {200, body};
  }

  kube::answer serve(const kube::request& what) {
    const auto path = what.path.substr(0, what.path.find('?'));
    const auto has = [&](const char* part) { return path.find(part) != std::string::npos; };
    if (has("/services") || has("/ingresses") || has("/persistentvolume"))
      return serve_attached(what, path);
    const std::string by_name = "/api/v1/pods?fieldSelector=metadata.name%3D";
    if (what.path.starts_with(by_name)) {
      json out{{"items", json::array()}};
      for (const auto& [at, pod] : pods)
        if (at.second == what.path.substr(by_name.size())) out["items"].push_back(pod);
      return {200, out.dump()};
    }
    const std::string start = "/api/v1/namespaces/";
    const auto slash = path.find('/', start.size());
    const auto name_space = path.substr(start.size(), slash - start.size());
    auto name = path.substr(slash + std::string{"/pods"}.size());
    if (!name.empty()) name.erase(0, 1);
    if (what.verb == "POST") {
      auto pod = json::parse(what.body);
      if (pods.contains(key_of(pod))) return problem(409, "pods already exists");
      if (what.path.ends_with("?dryRun=All")) return {201, pod.dump()};
      pod["status"] = {{"phase", "Pending"}};
      add_pod(pod);
      return {201, pods.at(key_of(pod)).dump()};
    }
    const bool is_log = name.ends_with("/log");
    if (is_log) name.resize(name.size() - std::string{"/log"}.size());
    const auto found = pods.find({name_space, name});
    if (found == pods.end()) return problem(404, "pods \"" + name + "\" not found");
    if (is_log) return log_answer(what.path);
    if (what.verb == "GET") return {200, found->second.dump()};
    auto& pod = found->second;
    if (is_of_another(what, pod)) return problem(409, "the object has been modified");
    const auto phase = pod["status"].value("phase", "");
    pod["metadata"]["deletionTimestamp"] = "2026-11-22T10:00:00Z";
    const auto body = pod.dump();
    if (phase == "Succeeded" || phase == "Failed" || pods_die_at_once)
      remove({name_space, name});
    else
      tell(kube::change::modified, pod, false);
    return {200, body};
  }

 public:
  std::vector<std::pair<std::string, kube::follower*>> followers;
  bool cut = false;
  std::set<std::string> denied;
  std::string address = "https://fake:6443";
  bool cut_in_midst = false;      ///< Requests may have been sent before the link was cut.
  bool pods_die_at_once = false;  ///< As those of a kubelet that has nothing to wait for.
  int uids = 0;
};

}  // namespace argosy::backends
