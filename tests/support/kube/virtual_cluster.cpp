// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kube/virtual_cluster.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/support/kube/pod_amounts.hpp"

namespace argosy::testing {

namespace {

using nlohmann::json;

constexpr std::chrono::seconds patience{20};

std::string line(const std::string& type, const json& object) {
  return json{{"type", type}, {"object", object}}.dump() + "\n";
}

json unplaced(const scheduler_word& why) {
  return {{"phase", "Pending"},
          {"conditions",
           {{{"type", "PodScheduled"},
             {"status", "False"},
             {"reason", why.reason},
             {"message", why.message}}}}};
}

json ready(const std::string& status) {
  return {{{"type", "Ready"}, {"status", status}}};
}

}  // namespace

void virtual_cluster::work() {
  std::vector<object_store::key> waiting;
  if (schedules_)
    for (const auto& [at, pod] : objects_.all("pods"))
      if (pod["spec"].value("nodeName", "").empty() && !has_ended(pod) &&
          !pod["metadata"].contains("deletionTimestamp"))
        waiting.push_back(at);
  for (const auto& at : waiting) {
    auto& pod = *objects_.find("pods", at);
    const auto found = scheduler_.place(pod);
    if (!found.node.empty()) {
      pod["spec"]["nodeName"] = found.node;
      pod["status"]["conditions"] = {{{"type", "PodScheduled"}, {"status", "True"}}};
      objects_.touch("pods", pod);
    } else if (found.why && pod["status"] != unplaced(*found.why)) {
      objects_.set_status("pods", at, unplaced(*found.why));
    }
  }
  kubelet_.work();
  changed_.notify_all();
}

std::optional<kube_answer> virtual_cluster::refused(const kube_request& what) {
  const std::lock_guard guard{mutex_};
  asked_.push_back(what);
  changed_.notify_all();
  return refusals.judge(what);
}

kube_answer virtual_cluster::ask(const kube_request& what) {
  if (auto answer = refused(what)) return *answer;
  const std::lock_guard guard{mutex_};
  if (what.path == "/readyz") return {200, "ok"};
  const auto at = place_of(what.path);
  if (what.verb == "POST") return create(at, what);
  if (at.name.empty()) return list(at, what);
  if (at.part == "log") return log(at, what);
  const auto* const found = objects_.find(at.kind, {at.name_space, at.name});
  if (found == nullptr) return problem(404, "NotFound", at.kind + " \"" + at.name + "\" not found");
  if (what.verb == "DELETE") return remove(at, what);
  if (what.verb == "PUT") return replace(at, what);
  return {200, found->dump()};
}

kube_answer virtual_cluster::replace(const kube_place& at, const kube_request& what) {
  auto object = json::parse(what.body);
  const auto& known = (*objects_.find(at.kind, {at.name_space, at.name}))["metadata"];
  if (object["metadata"]["resourceVersion"] != known["resourceVersion"])
    return problem(409, "Conflict",
                   "Operation cannot be fulfilled on " + at.kind + " \"" + at.name +
                       "\": the object has been modified; please apply your changes to the latest "
                       "version and try again");
  return {200, objects_.put(at.kind, std::move(object)).dump()};
}

kube_answer virtual_cluster::log(const kube_place& at, const kube_request& what) {
  const bool is_there = objects_.find(at.kind, {at.name_space, at.name}) != nullptr;
  // Pods go at once here. A kubelet gives output within the grace period to whoever follows it, so
  // that a request which was sent before the deletion and is served after it still gets some.
  const auto* const output = kubelet_.output({at.name_space, at.name});
  if (!is_there && !(what.query.contains("follow") && output != nullptr))
    return problem(404, "NotFound", at.kind + " \"" + at.name + "\" not found");
  return {200, output == nullptr ? std::string{} : output->read(what.query)};
}

kube_log_place virtual_cluster::begin_log(const kube_request& what) {
  const std::lock_guard guard{mutex_};
  const auto at = place_of(what.path);
  const auto* const output = kubelet_.output({at.name_space, at.name});
  return output == nullptr ? kube_log_place{what}
                           : kube_log_place{what, output->lines(), output->gone()};
}

std::optional<std::string> virtual_cluster::next(kube_log_place& at) {
  std::unique_lock guard{mutex_};
  const auto where = place_of(at.what.path);
  const object_store::key key{where.name_space, where.name};
  const auto has_more = [&] {
    const auto* const output = kubelet_.output(key);
    return output != nullptr && (output->lines() > at.lines || output->gone() != at.gone);
  };
  constexpr auto look_after = std::chrono::milliseconds{100};
  changed_.wait_for(guard, look_after, has_more);
  const auto* const output = kubelet_.output(key);
  const auto* const pod = objects_.find("pods", key);
  const bool over = pod == nullptr || has_ended(*pod);
  if (output == nullptr) return over ? std::nullopt : std::optional<std::string>{std::string{}};
  if (output->gone() != at.gone && kubelet_.follow() == log_follow::ends) return std::nullopt;
  at.gone = output->gone();
  auto more = output->read_on(at.lines, query_of(at.what, "timestamps") == "true");
  if (more.empty() && over) return std::nullopt;
  return more;
}

kube_answer virtual_cluster::create(const kube_place& at, const kube_request& what) {
  auto object = json::parse(what.body);
  const std::string name = object["metadata"]["name"];
  if (objects_.find(at.kind, {at.name_space, name}) != nullptr)
    return problem(409, "AlreadyExists", at.kind + " \"" + name + "\" already exists");
  object["metadata"]["namespace"] = at.name_space;
  object["metadata"]["creationTimestamp"] = clock.text();
  if (at.kind == "pods")
    if (auto beyond = quotas_.judge(object)) return *beyond;
  if (what.query.contains("dryRun")) return {201, object.dump()};
  if (at.kind == "services" && object["spec"].value("type", "") == "NodePort")
    for (auto& port : object["spec"]["ports"])
      port["nodePort"] = 30'000 + objects_.version() % 1'000;
  if (at.kind == "pods") object["status"] = {{"phase", "Pending"}};
  const auto body = objects_.put(at.kind, std::move(object)).dump();
  work();
  return {201, body};
}

kube_answer virtual_cluster::remove(const kube_place& at, const kube_request& what) {
  auto& object = *objects_.find(at.kind, {at.name_space, at.name});
  const auto options = json::parse(what.body, nullptr, false);
  const auto wanted =
      options.is_object() ? options.value("preconditions", json::object()) : json::object();
  for (const auto& [field, value] : wanted.items())
    if (object["metadata"][field] != value)
      return problem(409, "Conflict",
                     "Operation cannot be fulfilled on " + at.kind + " \"" + at.name + "\": the " +
                         field + " in the precondition (" + value.dump() +
                         ") does not match the one in record (" + object["metadata"][field].dump() +
                         ")");
  const auto body = object.dump();
  const bool waits_for_nobody =
      at.kind == "pods" && (object["spec"].value("nodeName", "").empty() || has_ended(object));
  if (waits_for_nobody) {
    kubelet_.vanish({at.name_space, at.name});
  } else if (at.kind == "pods") {
    object["metadata"]["deletionTimestamp"] = clock.text();
    objects_.touch(at.kind, object);
  } else {
    objects_.erase(at.kind, {at.name_space, at.name});
  }
  work();
  return {200, body};
}

kube_answer virtual_cluster::list(const kube_place& at, const kube_request& what) {
  auto items = json::array();
  for (const auto& [name, object] : objects_.all(at.kind))
    if ((at.name_space.empty() || name.first == at.name_space) &&
        object_store::selects(what, object))
      items.push_back(object);
  return {200, json{{"kind", "List"},
                    {"metadata", {{"resourceVersion", std::to_string(objects_.version())}}},
                    {"items", items}}
                   .dump()};
}

kube_watch virtual_cluster::begin(const kube_request& what) {
  const std::lock_guard guard{mutex_};
  const auto from = query_of(what, "resourceVersion");
  return {what, from.empty() ? objects_.version() : std::stoull(from), life_};
}

std::string virtual_cluster::next(kube_watch& at) {
  std::unique_lock guard{mutex_};
  if (at.after < objects_.forgotten())
    return std::exchange(at.life, 0) == 0 ? std::string{}
                                          : line("ERROR", {{"kind", "Status"},
                                                           {"reason", "Expired"},
                                                           {"message", "too old resource version"},
                                                           {"code", 410}});
  constexpr auto bookmark_after = std::chrono::milliseconds{500};
  changed_.wait_for(guard, bookmark_after,
                    [&] { return at.life != life_ || objects_.version() > at.after; });
  if (at.life != life_) return {};
  const auto where = place_of(at.what.path);
  std::string out;
  objects_.since(at.after, where.kind, [&](const std::string& type, const json& object) {
    if ((where.name_space.empty() || object["metadata"]["namespace"] == where.name_space) &&
        object_store::selects(at.what, object))
      out += line(type, object);
  });
  at.after = objects_.version();
  if (out.empty())
    out = line("BOOKMARK", {{"metadata", {{"resourceVersion", std::to_string(at.after)}}}});
  return out;
}

std::vector<std::string> virtual_cluster::names(const std::string& kind) {
  const std::lock_guard guard{mutex_};
  std::vector<std::string> out;
  for (const auto& [name, object] : objects_.all(kind))
    out.push_back(name.first + "/" + name.second);
  return out;
}

json virtual_cluster::object(const std::string& kind, const std::string& name_space,
                             const std::string& name) {
  const std::lock_guard guard{mutex_};
  const auto* const found = objects_.find(kind, {name_space, name});
  return found == nullptr ? json{} : *found;
}

std::vector<kube_request> virtual_cluster::asked(const std::string& verb, const std::string& part) {
  const std::lock_guard guard{mutex_};
  std::vector<kube_request> out;
  for (const auto& each : asked_)
    if (fits(each, verb, part)) out.push_back(each);
  return out;
}

bool virtual_cluster::wait_for(const std::string& kind, const std::string& part) {
  std::unique_lock guard{mutex_};
  return changed_.wait_for(guard, patience, [&] {
    return std::ranges::any_of(objects_.all(kind), [&](const auto& each) {
      return each.second.dump().find(part) != std::string::npos;
    });
  });
}

bool virtual_cluster::wait_for_requests(const std::string& verb, const std::string& part,
                                        std::size_t count) {
  std::unique_lock guard{mutex_};
  return changed_.wait_for(guard, patience, [&] {
    const auto fit = [&](const auto& each) { return fits(each, verb, part); };
    return static_cast<std::size_t>(std::ranges::count_if(asked_, fit)) >= count;
  });
}

void virtual_cluster::add_node(const std::string& name, const json& labels) {
  json node{{"metadata", {{"name", name}, {"labels", labels}}},
            {"status",
             {{"allocatable",
               {{"cpu", "4"}, {"memory", "8Gi"}, {"ephemeral-storage", "100Gi"}, {"pods", "110"}}},
              {"conditions", ready("True")},
              {"addresses", {{{"type", "InternalIP"}, {"address", "10.1.0.1"}}}}}}};
  node["metadata"]["labels"]["kubernetes.io/hostname"] = name;
  put("nodes", std::move(node));
}

void virtual_cluster::put(const std::string& kind, json object) {
  const std::lock_guard guard{mutex_};
  objects_.put(kind, std::move(object));
  work();
}

void virtual_cluster::change(const std::string& kind, const std::string& name_space,
                             const std::string& name, const std::function<void(json&)>& how) {
  const std::lock_guard guard{mutex_};
  auto* const found = objects_.find(kind, {name_space, name});
  if (found == nullptr) return;
  how(*found);
  objects_.touch(kind, *found);
  work();
}

void virtual_cluster::erase(const std::string& kind, const std::string& name_space,
                            const std::string& name) {
  const std::lock_guard guard{mutex_};
  objects_.erase(kind, {name_space, name});
  work();
}

void virtual_cluster::set_quota(kube_quota quota) {
  const std::lock_guard guard{mutex_};
  quotas_.set(std::move(quota));
}

void virtual_cluster::remove_quota(const std::string& name_space, const std::string& name) {
  const std::lock_guard guard{mutex_};
  quotas_.remove(name_space, name);
}

void virtual_cluster::set_scheduler(bool works) {
  const std::lock_guard guard{mutex_};
  schedules_ = works;
  work();
}

void virtual_cluster::scheduler_says(const std::string& part, scheduler_word word) {
  const std::lock_guard guard{mutex_};
  scheduler_.say(part, std::move(word));
  work();
}

void virtual_cluster::scheduler_says_nothing() {
  const std::lock_guard guard{mutex_};
  scheduler_.say_nothing();
  work();
}

void virtual_cluster::set_kubelet(bool works) {
  const std::lock_guard guard{mutex_};
  kubelet_.set_works(works);
  work();
}

void virtual_cluster::set_kubelet(const std::string& node, bool works) {
  change("nodes", "", node,
         [&](json& of) { of["status"]["conditions"] = ready(works ? "True" : "Unknown"); });
  const std::lock_guard guard{mutex_};
  kubelet_.set_works(node, works);
  work();
}

void virtual_cluster::set_log_rotation(std::size_t bytes, log_follow follow) {
  const std::lock_guard guard{mutex_};
  kubelet_.set_rotation(bytes, follow);
}

void virtual_cluster::print(const std::string& name_space, const std::string& pod,
                            const std::string& text) {
  const std::lock_guard guard{mutex_};
  kubelet_.print({name_space, pod}, text);
}

void virtual_cluster::finish(const std::string& name_space, const std::string& pod, int exit_code) {
  const std::lock_guard guard{mutex_};
  kubelet_.finish({name_space, pod}, exit_code);
  work();
}

void virtual_cluster::drain(const std::string& node) {
  change("nodes", "", node, [](json& of) { of["spec"]["unschedulable"] = true; });
  const std::lock_guard guard{mutex_};
  std::vector<object_store::key> evicted;
  for (const auto& [at, pod] : objects_.all("pods"))
    if (pod["spec"].value("nodeName", "") == node && !has_ended(pod)) evicted.push_back(at);
  for (const auto& at : evicted) {
    auto& pod = *objects_.find("pods", at);
    pod["metadata"]["deletionTimestamp"] = clock.text();
    pod["status"]["conditions"].push_back({{"type", "DisruptionTarget"},
                                           {"status", "True"},
                                           {"reason", "EvictionByEvictionAPI"},
                                           {"message", "Eviction API: evicting"}});
    objects_.touch("pods", pod);
  }
  work();
}

void virtual_cluster::delete_by_hand(const std::string& name_space, const std::string& pod) {
  const std::lock_guard guard{mutex_};
  kubelet_.vanish({name_space, pod});
  work();
}

void virtual_cluster::cut_watches(bool forget) {
  const std::lock_guard guard{mutex_};
  ++life_;
  if (forget) objects_.forget();
  changed_.notify_all();
}

}  // namespace argosy::testing
