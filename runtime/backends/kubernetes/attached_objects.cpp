// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/attached_objects.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/backends/kubernetes/object.hpp"
#include "runtime/backends/kubernetes/trouble/http_status.hpp"
#include "runtime/kube/answers.hpp"
#include "runtime/kube/read_json.hpp"
#include "runtime/model/namespace_part.hpp"

namespace argosy::backends {

namespace {

using object::json;

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

std::string kind_of(const std::string& path) {
  return path.find("/ingresses/") == std::string::npos ? "service" : "ingress";
}

std::optional<model::run_key> run_of(const json& object) {
  return parse_run_key(object::text(object::part(object, "metadata", "labels"), pod_key::run));
}

/// What keeps such objects from being made keeps no pod from that, so that runs without them go on;
/// but for a namespace that is not there.
refusal judge_attached(const std::string& path, const result<kube::answer>& answer,
                       const kubernetes_rules& rules) {
  auto out = judge_refusal(answer, rules);
  const std::string kind{model::kind_of_refusal(out.category)};
  if (kind.empty() || kind == model::refusal_to_all::name_space ||
      kind == model::refusal_above_quota)
    return out;
  const auto* const of_owner = out.category.ends_with('@') ? "@" : "";
  out.category = kind + "/" + attached_name(path) + of_owner;
  return out;
}

}  // namespace

const char* attached_name(const std::string& path) {
  return kind_of(path) == std::string_view{"ingress"} ? model::attached_ingresses
                                                      : model::attached_services;
}

std::string attached_path(const json& object) {
  const auto& meta = object::part(object, "metadata");
  const bool is_ingress = object::text(object, "kind") == "Ingress";
  return std::string{is_ingress ? "/apis/networking.k8s.io/v1" : "/api/v1"} + "/namespaces/" +
         object::text(meta, "namespace") + (is_ingress ? "/ingresses/" : "/services/") +
         object::text(meta, "name");
}

void attached_objects::launch(const model::run_key& key, const std::vector<json>& objects,
                              const kube::acting_user& owner, boot_time now) {
  auto& run = runs_[key];
  run.owner = owner;
  run.first_try = now;
  for (const auto& each : objects) {
    auto& made = run.objects[attached_path(each)];
    made.manifest = each.dump();
    made.due = now;
  }
}

void attached_objects::drop(const model::run_key& key, boot_time now) {
  const auto found = runs_.find(key);
  if (found == runs_.end() || std::exchange(found->second.leaving, true)) return;
  auto& run = found->second;
  std::erase_if(run.objects, [](const auto& each) {
    return !each.second.made && !each.second.uncertain && !each.second.asking;
  });
  for (auto& [path, each] : run.objects) {
    each.tries = 0;
    each.due = now;
  }
  if (run.objects.empty()) runs_.erase(found);
}

void attached_objects::seen(const std::string& path, const json& object,
                            const std::string& control_plane, bool run_is_open, boot_time now) {
  const auto& meta = object::part(object, "metadata");
  const auto& labels = object::part(meta, "labels");
  const auto key = parse_run_key(object::text(labels, pod_key::run));
  if (!key || object::text(labels, pod_key::cluster) != rules_.cluster) return;
  if (const auto known = runs_.find(*key);
      known != runs_.end() && known->second.objects.contains(path))
    return note_addresses(*key, known->second, object);
  const bool is_own =
      !control_plane.empty() && object::text(labels, pod_key::control_plane) == control_plane;
  if (!run_is_open && !is_own) return;
  auto& run = runs_[*key];
  auto& there = run.objects[path];
  there.made = true;
  there.uid = object::text(meta, "uid");
  there.due = now;
  run.owner.name = object::text(object::part(meta, "annotations"), pod_key::owner);
  run.leaving = run.leaving || !run_is_open;
  note_addresses(*key, run, object);
}

void attached_objects::gone(const std::string& path) {
  for (auto at = runs_.begin(); at != runs_.end();) {
    auto& [key, run] = *at;
    const auto found = run.objects.find(path);
    if (found != run.objects.end() && found->second.made && !found->second.asking)
      run.objects.erase(found);
    at = run.leaving && run.objects.empty() ? runs_.erase(at) : std::next(at);
  }
}

void attached_objects::try_again(item& what, boot_time now) const {
  what.due = now + pause_after(what.tries++);
}

void attached_objects::server_answers(boot_time now) {
  for (auto& [key, run] : runs_)
    for (auto& [path, each] : run.objects) {
      if (each.asking || !std::exchange(each.unanswered, false)) continue;
      each.tries = 0;
      each.due = std::min(each.due, now);
    }
}

void attached_objects::send(const model::run_key& key, owned& run, const std::string& path,
                            item& what) {
  attached_request out;
  out.run = key;
  out.path = path;
  if (run.leaving && !what.uid.empty()) {
    what.last = ask::remove;
    out.request.verb = "DELETE";
    out.request.path = path;
    out.request.body = object::delete_options(what.uid).dump();
  } else if (run.leaving || what.clash) {
    what.last = ask::look;
    out.request.path = path;
  } else {
    what.last = ask::create;
    ++creating_;
    out.request.verb = "POST";
    out.request.path = folder_of(path);
    out.request.body = what.manifest;
  }
  if (rules_.set.impersonate_users && what.last != ask::look && !what.as_agent)
    kube::act_as(run.owner, out.request);
  what.asking = true;
  step_.requests.push_back(std::move(out));
}

bool attached_objects::may_ask(const owned& run, const item& what) const {
  if (what.asking || (what.made && !run.leaving)) return false;
  const bool creates = !run.leaving && !what.clash;
  return !creates || creating_ < rules_.creates_max;
}

void attached_objects::tick(boot_time now) {
  // Others of a namespace may be refused with these, and nothing is made for them any more.
  if (!step_.refused.empty()) return;
  for (auto& [key, run] : runs_)
    for (auto& [path, each] : run.objects)
      if (each.due <= now && may_ask(run, each)) send(key, run, path, each);
}

void attached_objects::note_addresses(const model::run_key& key, owned& run, const json& object) {
  const auto before = run.addresses;
  add_addresses(object, run.addresses);
  if (run.addresses != before) step_.reached.push_back({key, run.addresses});
}

void attached_objects::note_made(const model::run_key& key, owned& run, item& what,
                                 const json& object) {
  what.made = true;
  what.uid = object::text(object::part(object, "metadata"), "uid");
  note_addresses(key, run, object);
  std::string{}.swap(what.manifest);
  const bool all =
      std::ranges::all_of(run.objects, [](const auto& each) { return each.second.made; });
  if (all && !run.leaving) step_.ready.push_back(key);
}

void attached_objects::refuse(const model::run_key& key, const std::string& path, refusal why) {
  why.message = "the " + kind_of(path) + " of the job: " + why.message;
  step_.refused.push_back({key, std::move(why)});
}

void attached_objects::created(const model::run_key& key, owned& run, const std::string& path,
                               item& what, const result<kube::answer>& answer, boot_time now) {
  if (answer && answer->ok()) return note_made(key, run, what, kube::read_json(answer->body));
  what.clash = answer && answer->status == http_conflict;
  what.uncertain = what.uncertain || kube::may_have_worked(answer);
  if (run.leaving) return;
  if (what.clash) {
    what.due = now;
    return;
  }
  auto why = judge_attached(path, answer, rules_.set);
  if (why.kind == refusal_kind::for_now && now - run.first_try < rules_.set.trouble.create_wait)
    return try_again(what, now);
  refuse(key, path, std::move(why));
}

/// A name that is taken was taken by a try whose answer was lost, or by somebody else.
void attached_objects::looked(const model::run_key& key, owned& run, const std::string& path,
                              item& what, const result<kube::answer>& answer, boot_time now) {
  if (!answer || kube::is_passing(*answer)) return try_again(what, now);
  const bool is_absent = answer->status == http_not_found;
  if (!answer->ok() && !is_absent && now - run.first_try < rules_.set.trouble.create_wait)
    return try_again(what, now);
  what.clash = false;
  if (is_absent) return try_again(what, now);
  if (!answer->ok())
    return refuse(
        key, path,
        {refusal_kind::here, model::reason_cluster_refused,
         "its name is taken, and what has it cannot be looked at: " + kube::server_message(*answer),
         answer->status == http_forbidden
             ? model::refusal_to_all::rights + std::string{"/"} + attached_name(path)
             : ""});
  const auto there = kube::read_json(answer->body);
  if (run_of(there) == key) return note_made(key, run, what, there);
  what.uncertain = false;
  refuse(key, path,
         {refusal_kind::here, model::reason_cluster_refused,
          "the name of '" + path + "' is taken by an object that is not of this run"});
}

bool attached_objects::looked_last(const model::run_key& key, item& what,
                                   const result<kube::answer>& answer, boot_time now) const {
  if (answer && answer->status == http_not_found) return true;
  if (!answer || !answer->ok()) {
    try_again(what, now);
    return false;
  }
  const auto there = kube::read_json(answer->body);
  what.uid = object::text(object::part(there, "metadata"), "uid");
  what.due = now;
  return what.uid.empty() || run_of(there) != key;
}

bool attached_objects::removed(const owned& run, item& what, const result<kube::answer>& answer,
                               boot_time now) {
  if (answer && (answer->ok() || answer->status == http_not_found)) return true;
  const bool was_owner = rules_.set.impersonate_users && !what.as_agent && !run.owner.name.empty();
  // The name may be another object's by now.
  if (answer && answer->status == http_conflict) what.uid.clear();
  if (answer && answer->status == http_forbidden && was_owner) {
    what.as_agent = true;
    what.due = now;
  } else {
    try_again(what, now);
  }
  return false;
}

void attached_objects::answered(const model::run_key& key, const std::string& path,
                                const result<kube::answer>& answer, boot_time now) {
  const auto found = runs_.find(key);
  if (found == runs_.end()) return;
  auto& run = found->second;
  const auto at = run.objects.find(path);
  if (at == run.objects.end()) return;
  auto& what = at->second;
  what.asking = false;
  if (what.last == ask::create) --creating_;
  what.unanswered = !answer;
  if (what.last == ask::remove) {
    if (removed(run, what, answer, now)) run.objects.erase(at);
  } else if (what.last == ask::look && run.leaving) {
    if (looked_last(key, what, answer, now)) run.objects.erase(at);
  } else {
    const auto refused_before = step_.refused.size();
    if (what.last == ask::create)
      created(key, run, path, what, answer, now);
    else
      looked(key, run, path, what, answer, now);
    if (step_.refused.size() > refused_before) return drop(key, now);
    if (!run.leaving) return;
    what.due = now;
    // A name that is taken is looked at by nobody any more: it may be another's object.
    if (!what.made && !what.uncertain) run.objects.erase(at);
  }
  if (run.leaving && run.objects.empty()) runs_.erase(found);
}

boot_time attached_objects::next_due() const {
  if (!step_.requests.empty() || !step_.ready.empty() || !step_.refused.empty() ||
      !step_.reached.empty())
    return boot_time{0};
  auto due = boot_time::max();
  for (const auto& [key, run] : runs_)
    for (const auto& [path, each] : run.objects)
      if (may_ask(run, each)) due = std::min(due, each.due);
  return due;
}

}  // namespace argosy::backends
