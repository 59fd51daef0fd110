// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kube/virtual_cluster.hpp"

#include <algorithm>

#include "tests/support/kube/pod_script.hpp"

namespace argosy::testing {

namespace {

using nlohmann::json;

constexpr const char* time_of_all = "2026-11-22T10:00:00Z";

kube_answer problem(int status, const std::string& reason, const std::string& message) {
  return {status, json{{"kind", "Status"},
                       {"apiVersion", "v1"},
                       {"status", "Failure"},
                       {"reason", reason},
                       {"message", message},
                       {"code", status}}
                      .dump()};
}

std::string text(const std::map<std::string, std::string>& from, const std::string& name) {
  const auto at = from.find(name);
  return at == from.end() ? std::string{} : at->second;
}

std::string line(const std::string& type, const json& object) {
  return json{{"type", type}, {"object", object}}.dump() + "\n";
}

}  // namespace

void virtual_cluster::add_node(const std::string& name, const json& labels) {
  const std::lock_guard guard{mutex_};
  json node{{"metadata", {{"name", name}, {"labels", labels}}},
            {"status",
             {{"allocatable",
               {{"cpu", "4"}, {"memory", "8Gi"}, {"ephemeral-storage", "100Gi"}, {"pods", "110"}}},
              {"conditions", {{{"type", "Ready"}, {"status", "True"}}}},
              {"addresses", {{{"type", "InternalIP"}, {"address", "10.1.0.1"}}}}}}};
  node["metadata"]["labels"]["kubernetes.io/hostname"] = name;
  note("nodes", "ADDED", objects_["nodes"][{"", name}] = node);
}

void virtual_cluster::refuse(kube_refusal what) {
  const std::lock_guard guard{mutex_};
  refusals_.push_back(std::move(what));
}

void virtual_cluster::set_kubelet(bool works) {
  const std::lock_guard guard{mutex_};
  kubelet_works_ = works;
}

void virtual_cluster::cut_watches(bool forget) {
  const std::lock_guard guard{mutex_};
  ++life_;
  if (forget) {
    forgotten_ = ++version_;
    history_.clear();
  }
  changed_.notify_all();
}

void virtual_cluster::delete_by_hand(const std::string& name_space, const std::string& pod) {
  const std::lock_guard guard{mutex_};
  if (objects_["pods"].contains({name_space, pod})) kill({name_space, pod});
}

virtual_cluster::place virtual_cluster::read(const std::string& path) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    if (end > at) words.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  // "api/v1" or "apis/GROUP/VERSION"
  const std::size_t skip = !words.empty() && words.front() == "api" ? 2 : 3;
  words.erase(words.begin(), words.begin() + static_cast<long>(std::min(skip, words.size())));
  place out;
  if (words.size() > 2 && words.front() == "namespaces") {
    out.name_space = words[1];
    words.erase(words.begin(), words.begin() + 2);
  }
  if (!words.empty()) out.kind = words[0];
  if (words.size() > 1) out.name = words[1];
  if (words.size() > 2) out.part = words[2];
  return out;
}

bool virtual_cluster::selects(const std::map<std::string, std::string>& query, const json& object) {
  const auto terms = [&](const std::string& name) {
    std::vector<std::string> out;
    const auto all = text(query, name);
    for (std::size_t at = 0; at < all.size();) {
      const auto end = std::min(all.find(',', at), all.size());
      out.push_back(all.substr(at, end - at));
      at = end + 1;
    }
    return out;
  };
  const auto holds = [](const std::string& term, const auto& value) {
    if (const auto no = term.find("!="); no != std::string::npos)
      return value(term.substr(0, no)) != term.substr(no + 2);
    const auto yes = term.find('=');
    return value(term.substr(0, yes)) == term.substr(yes + 1);
  };
  const auto labels = object["metadata"].value("labels", json::object());
  const auto label = [&](const std::string& name) { return labels.value(name, std::string{}); };
  const auto field = [&](const std::string& name) {
    return name == "status.phase"
               ? object.value("status", json::object()).value("phase", std::string{})
               : std::string{};
  };
  return std::ranges::all_of(terms("labelSelector"),
                             [&](const auto& term) { return holds(term, label); }) &&
         std::ranges::all_of(terms("fieldSelector"),
                             [&](const auto& term) { return holds(term, field); });
}

void virtual_cluster::note(const std::string& kind, const std::string& type, json& object) {
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  history_.push_back({version_, kind, type, object});
  changed_.notify_all();
}

kube_answer virtual_cluster::ask(const kube_request& what) {
  const std::lock_guard guard{mutex_};
  asked_.push_back(what);
  changed_.notify_all();
  for (auto at = refusals_.begin(); at != refusals_.end(); ++at) {
    if (at->verb != what.verb || what.path.find(at->part) == std::string::npos) continue;
    const auto answer = problem(at->status, "Refused", at->message);
    if (--at->times == 0) refusals_.erase(at);
    return answer;
  }
  const auto at = read(what.path);
  if (what.verb == "POST") return create(at, what);
  if (at.name.empty()) return list(at, what);
  const auto found = objects_[at.kind].find({at.name_space, at.name});
  // Pods go at once here. A kubelet gives output within the grace period to whoever follows it, so
  // that a request which was sent before the deletion and is served after it still gets some.
  const bool is_followed = at.part == "log" && what.query.contains("follow");
  if (found == objects_[at.kind].end() &&
      !(is_followed && output_.contains({at.name_space, at.name})))
    return problem(404, "NotFound", at.kind + " \"" + at.name + "\" not found");
  if (what.verb == "DELETE") return remove(at, what);
  if (at.part != "log") return {200, found->second.dump()};
  auto output = output_[{at.name_space, at.name}];
  if (const auto limit = text(what.query, "limitBytes"); !limit.empty())
    output.resize(std::min(output.size(), static_cast<std::size_t>(std::stoul(limit))));
  return {200, output};
}

kube_answer virtual_cluster::create(const place& at, const kube_request& what) {
  auto object = json::parse(what.body);
  const std::string name = object["metadata"]["name"];
  auto& all = objects_[at.kind];
  if (all.contains({at.name_space, name}))
    return problem(409, "AlreadyExists", at.kind + " \"" + name + "\" already exists");
  object["metadata"]["namespace"] = at.name_space;
  object["metadata"]["uid"] = "uid-" + std::to_string(version_);
  object["metadata"]["creationTimestamp"] = time_of_all;
  if (at.kind == "services" && object["spec"].value("type", "") == "NodePort")
    for (auto& port : object["spec"]["ports"]) port["nodePort"] = 30'000 + version_ % 1'000;
  if (at.kind == "pods") object["status"] = {{"phase", "Pending"}};
  auto& made = all[{at.name_space, name}] = object;
  note(at.kind, "ADDED", made);
  const auto body = made.dump();
  if (at.kind == "pods" && kubelet_works_) play(made);
  return {201, body};
}

kube_answer virtual_cluster::remove(const place& at, const kube_request&) {
  auto& object = objects_[at.kind].at({at.name_space, at.name});
  if (at.kind == "pods" && !kubelet_works_) {
    object["metadata"]["deletionTimestamp"] = time_of_all;
    note(at.kind, "MODIFIED", object);
    return {200, object.dump()};
  }
  const auto body = object.dump();
  if (at.kind == "pods") {
    kill({at.name_space, at.name});
    return {200, body};
  }
  note(at.kind, "DELETED", object);
  objects_[at.kind].erase({at.name_space, at.name});
  return {200, body};
}

kube_answer virtual_cluster::list(const place& at, const kube_request& what) {
  auto items = json::array();
  for (const auto& [name, object] : objects_[at.kind])
    if ((at.name_space.empty() || name.first == at.name_space) && selects(what.query, object))
      items.push_back(object);
  return {200, json{{"kind", "List"},
                    {"metadata", {{"resourceVersion", std::to_string(version_)}}},
                    {"items", items}}
                   .dump()};
}

void virtual_cluster::set_status(json& pod, json status) {
  pod["status"] = std::move(status);
  note("pods", "MODIFIED", pod);
}

void virtual_cluster::play(json& pod) {
  const auto script = read_script(pod);
  if (!objects_["nodes"].contains({"", script.node})) return set_status(pod, script.unplaced());
  pod["spec"]["nodeName"] = script.node;
  output_[{pod["metadata"]["namespace"], pod["metadata"]["name"]}] = script.output;
  set_status(pod, script.running());
  if (!script.goes_on) set_status(pod, script.ended(script.exit_code));
}

void virtual_cluster::kill(const key& name) {
  auto& pod = objects_["pods"].at(name);
  constexpr int terminated = 143;
  pod["metadata"]["deletionTimestamp"] = time_of_all;
  if (pod["status"].value("phase", "") == "Running")
    set_status(pod, read_script(pod).ended(terminated));
  note("pods", "DELETED", pod);
  objects_["pods"].erase(name);
}

bool virtual_cluster::is_watch(const kube_request& what) {
  const auto wanted = text(what.query, "watch");
  return wanted == "1" || wanted == "true";
}

kube_watch virtual_cluster::begin(const kube_request& what) {
  const std::lock_guard guard{mutex_};
  asked_.push_back(what);
  const auto at = read(what.path);
  const auto from = text(what.query, "resourceVersion");
  return {at.kind, at.name_space, what.query, from.empty() ? version_ : std::stoull(from), life_};
}

std::string virtual_cluster::next(kube_watch& at) {
  std::unique_lock guard{mutex_};
  if (at.after < forgotten_)
    return std::exchange(at.life, 0) == 0 ? std::string{}
                                          : line("ERROR", {{"kind", "Status"},
                                                           {"reason", "Expired"},
                                                           {"message", "too old resource version"},
                                                           {"code", 410}});
  constexpr auto bookmark_after = std::chrono::milliseconds{500};
  changed_.wait_for(guard, bookmark_after, [&] {
    return at.life != life_ || (!history_.empty() && history_.back().version > at.after);
  });
  if (at.life != life_) return {};
  std::string out;
  for (const auto& each : history_)
    if (each.version > at.after && each.kind == at.kind &&
        (at.name_space.empty() || each.object["metadata"]["namespace"] == at.name_space) &&
        selects(at.query, each.object))
      out += line(each.type, each.object);
  at.after = version_;
  if (out.empty())
    out = line("BOOKMARK", {{"metadata", {{"resourceVersion", std::to_string(version_)}}}});
  return out;
}

std::vector<std::string> virtual_cluster::names(const std::string& kind) {
  const std::lock_guard guard{mutex_};
  std::vector<std::string> out;
  for (const auto& [name, object] : objects_[kind]) out.push_back(name.first + "/" + name.second);
  return out;
}

json virtual_cluster::object(const std::string& kind, const std::string& name_space,
                             const std::string& name) {
  const std::lock_guard guard{mutex_};
  const auto found = objects_[kind].find({name_space, name});
  return found == objects_[kind].end() ? json{} : found->second;
}

std::vector<kube_request> virtual_cluster::asked(const std::string& verb, const std::string& part) {
  const std::lock_guard guard{mutex_};
  std::vector<kube_request> out;
  for (const auto& each : asked_)
    if (each.verb == verb && each.path.find(part) != std::string::npos) out.push_back(each);
  return out;
}

bool virtual_cluster::wait_for(const std::string& kind, const std::string& part) {
  std::unique_lock guard{mutex_};
  return changed_.wait_for(guard, std::chrono::seconds{20}, [&] {
    return std::ranges::any_of(objects_[kind], [&](const auto& each) {
      return each.second.dump().find(part) != std::string::npos;
    });
  });
}

}  // namespace argosy::testing
