// SPDX-License-Identifier: Apache-2.0
// The part of pod_runs that speaks with the API server.
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "runtime/backends/kubernetes/object.hpp"
#include "runtime/backends/kubernetes/pod_runs.hpp"
#include "runtime/backends/kubernetes/trouble/http_status.hpp"
#include "runtime/kube/answers.hpp"
#include "runtime/kube/read_json.hpp"
#include "runtime/model/affinity.hpp"

namespace argosy::backends {

namespace {

using model::run_phase;
using object::json;

/// A pod whose labels were changed is followed no more, and is looked at each time after so long.
constexpr boot_time look_without_labels = std::chrono::seconds{10};

/// The pods of an answer, which may be a list of those in all namespaces; nothing if the answer
/// does not tell.
std::optional<std::vector<pod_view>> pods_in(const result<kube::answer>& answer) {
  std::vector<pod_view> out;
  if (answer && answer->status == http_not_found) return out;
  if (!answer || !answer->ok()) return std::nullopt;
  const auto body = kube::read_json(answer->body);
  if (!body.is_object()) return std::nullopt;
  const auto items = body.find("items");
  if (items == body.end()) return std::vector{read_pod(body)};
  for (const auto& each : *items) out.push_back(read_pod(each));
  return out;
}

}  // namespace

refusal judge_refusal(const result<kube::answer>& answer, const kubernetes_rules& rules) {
  if (answer) return judge_refusal(*answer, rules.trouble, rules.impersonate_users);
  return {refusal_kind::for_now, model::reason_cluster_refused, answer.error().detail,
          model::refusal_to_all::server};
}

boot_time pause_after(std::uint32_t tries) {
  constexpr boot_time first = std::chrono::seconds{1};
  constexpr boot_time most = std::chrono::seconds{15};
  auto pause = first;
  for (std::uint32_t i = 0; i < tries && pause < most; ++i) pause *= 2;
  return std::min(pause, most);
}

void pod_runs::try_again(pod_run& run, boot_time now) {
  run.due = now + pause_after(run.tries++);
}

void pod_runs::server_answers(boot_time now) {
  runs_.change([](const auto&, const auto& run) { return !run.asking && run.unanswered; },
               [now](const auto&, auto& run) {
                 run.unanswered = false;
                 run.tries = 0;
                 run.due = std::min(run.due, now);
               });
}

void pod_runs::let_create() {
  if (!lapsing_.empty()) return;
  for (auto free = rules_.creates_max - creating_; free > 0 && !creates_.empty();) {
    auto* const run = runs_.find(creates_.front());
    creates_.pop_front();
    if (run == nullptr || !std::exchange(run->queued, false)) continue;
    if (!run->there && !run->end) --free;
  }
}

void pod_runs::send(const model::run_key& key, pod_run& run, boot_time now) {
  // Its name alone does not say whose pod would be deleted.
  if ((run.end || run.told_end) && !run.there) run.look = true;
  const bool wanted = !run.look && !run.end && !run.told_end;
  if (wanted && !run.refused) {
    // Whoever succeeds this agent counts on it that no pod is made after its lease.
    if (lease_.limit() && now >= *lease_.limit()) return try_again(run, now);
    // What has lapsed makes room first.
    if (creating_ >= rules_.creates_max || !lapsing_.empty()) {
      run.queued = true;
      creates_.push_back(key);
      return;
    }
    ++creating_;
    if (!run.first_try) run.first_try = now;
  }
  const auto folder = "/api/v1/namespaces/" + run.name_space + "/pods";
  pod_request out;
  out.run = key;
  const bool for_owner = rules_.set.impersonate_users && !run.as_agent && !run.look;
  if (for_owner) kube::act_as(run.owner, out.request);
  if (run.look) {
    out.what = pod_ask::look;
    out.request.path = run.name_space.empty()
                           ? "/api/v1/pods?fieldSelector=metadata.name%3D" + run.name
                           : folder + "/" + run.name;
  } else if (run.end || run.told_end) {
    if (std::exchange(run.save, false)) ask_output(key, run);
    out.what = pod_ask::remove;
    out.request.verb = "DELETE";
    auto grace = run.end ? run.end->grace_seconds : 0;
    // The shortest that waits for the kubelet; 0 would only take the object away.
    if (run.last_order) grace = std::min<std::int64_t>(grace, 1);
    out.request.path = folder + "/" + run.name + "?gracePeriodSeconds=" + std::to_string(grace);
    auto options = object::delete_options(run.last->uid);
    options["gracePeriodSeconds"] = grace;
    if (run.end && !run.end->version.empty())
      options["preconditions"]["resourceVersion"] = run.end->version;
    out.request.body = options.dump();
  } else if (run.refused) {
    out.what = pod_ask::doubt;
    out.request.verb = "POST";
    out.request.path = folder + "?dryRun=All";
    out.request.body = run.bare;
    out.request.metadata_only = true;
  } else {
    out.what = pod_ask::create;
    out.request.verb = "POST";
    out.request.path = folder;
    out.request.body = run.manifest;
    out.request.metadata_only = true;
    if (const auto limit = lease_.limit()) out.request.until = *limit;
  }
  run.asking = true;
  run.due = now;
  step_.requests.push_back(std::move(out));
}

void pod_runs::tick(std::int64_t wall_ns, boot_time now) {
  if (lease_.has_passed(now)) lapse_all(now);
  if (!strangers_.empty()) end_strangers(now);
  let_create();
  for (const auto& key : runs_.due(now))
    if (auto& run = *runs_.find(key); run.watch.due() <= now) look_after(key, run, wall_ns, now);
  for (const auto& key : runs_.due(now)) {
    auto& run = *runs_.find(key);
    if (due_of::request(run) > now) continue;
    if (run.end && !run.there && !run.uncertain && !run.clash)
      vanish(key, wall_ns);
    else
      send(key, run, now);
  }
}

void pod_runs::answered(pod_ask what, const model::run_key& key, const result<kube::answer>& answer,
                        std::int64_t wall_ns, boot_time now) {
  if (what == pod_ask::output) return output_read(key, answer);
  if (what == pod_ask::create) --creating_;
  auto* const found = runs_.find(key);
  if (found == nullptr) return;
  auto& run = *found;
  run.asking = false;
  if (std::exchange(run.outdated, false)) return;
  run.unanswered = !answer;
  switch (what) {
    case pod_ask::create:
      return created(key, run, answer, wall_ns, now);
    case pod_ask::doubt:
      return doubted(run, answer, now);
    case pod_ask::look:
      return looked(key, run, answer, wall_ns, now);
    case pod_ask::remove:
      return removed(key, run, answer, wall_ns, now);
    case pod_ask::output:
      return;
  }
}

void pod_runs::created(const model::run_key& key, pod_run& run, const result<kube::answer>& answer,
                       std::int64_t wall_ns, boot_time now) {
  if (run.there) return;  // A watch was quicker than the answer.
  if (answer && answer->ok()) {
    auto pod = read_pod(kube::read_json(answer->body));
    pod.name = run.name;
    pod.name_space = run.name_space;
    run.tries = 0;
    return note(key, run, std::move(pod), wall_ns, now);
  }
  const auto refused = judge_refusal(answer, rules_.set);
  if (refused.kind == refusal_kind::clash) {
    run.clash = true;
    run.look = true;
    run.due = now;
    return;
  }
  run.uncertain = run.uncertain || kube::may_have_worked(answer);
  if (run.end) {
    run.due = now;
    return;
  }
  if (refused.kind == refusal_kind::for_good) {
    if (run.bare.empty() || refused.reason != std::string_view{model::reason_submission_refused})
      return give_up(run, ending::of(settled(refused)), now);
    run.refused = refused;
    run.tries = 0;
    run.due = now;
    return;
  }
  if (away_ && !run.uncertain) return give_up(run, given_back_unmade(), now);
  if (refused.kind == refusal_kind::here ||
      (!away_ && now - run.first_try.value_or(now) >= rules_.set.trouble.create_wait)) {
    auto end = ending::of(refused);
    end.phase = run_phase::refused;
    end.reason = model::reason_cluster_refused;
    if (refused.is_missing) end.reach = model::outside_of(model::cluster_name{rules_.cluster});
    return give_up(run, std::move(end), now);
  }
  tell_wait(key, run, "submission",
            "the API server does not take the pod for now: " + refused.message +
                ". It is asked again, and in the end the run is given back",
            wall_ns);
  try_again(run, now);
}

/// What the server says of the pod as its job wants it shows whether the job is to blame. A policy
/// that says something else of it may miss what the agent's settings add, and blames nobody.
void pod_runs::doubted(pod_run& run, const result<kube::answer>& answer, boot_time now) {
  if (run.there || run.end) {
    run.due = now;
    return;
  }
  std::optional<refusal> bare;
  if (!answer || !answer->ok()) bare = judge_refusal(answer, rules_.set);
  const bool passes = bare && bare->kind == refusal_kind::for_now;
  if (passes && !away_ && now - run.first_try.value_or(now) < rules_.set.trouble.create_wait)
    return try_again(run, now);
  const auto pod = std::move(*std::exchange(run.refused, std::nullopt));
  const bool for_good = bare && bare->kind == refusal_kind::for_good;
  if (for_good && (!bare->by_admission || bare->message == pod.message))
    return give_up(run, ending::of(settled(*bare)), now);
  ending end{run_phase::refused, model::reason_cluster_refused, pod.message, 1};
  end.category = model::refusal_to_all::name_space;
  constexpr const char* added =
      " without what kubernetes.podDefaults and kubernetes.priorityClass of the agent add";
  if (!bare) {
    (end.message += "; it would be taken") += added;
  } else if (for_good) {
    ((end.message += "; and") += added) += ": " + bare->message;
  } else {
    end.message = bare->message;
    end.category = bare->category;
  }
  give_up(run, std::move(end), now);
}

void pod_runs::tell_refused(const model::run_key& key, pod_run& run,
                            const result<kube::answer>& answer, const char* verb,
                            std::int64_t wall_ns) {
  if (!answer || answer->status != http_forbidden) return;
  tell_wait(key, run, "right",
            std::string{"the API server does not let the agent "} + verb +
                " the pod: " + kube::server_message(*answer) + ". It is asked again",
            wall_ns);
}

void pod_runs::looked(const model::run_key& key, pod_run& run, const result<kube::answer>& answer,
                      std::int64_t wall_ns, boot_time now) {
  auto there = pods_in(answer);
  if (!there) {
    if (answer) lapsing_.erase(key);
    tell_refused(key, run, answer, "look at", wall_ns);
    return try_again(run, now);
  }
  // The name tells whose pod was found by it, unless the label of another control plane does.
  const bool is_found = run.adopted && !run.there;
  const bool is_known = run.last && !run.last->uid.empty();
  const auto own = std::ranges::find_if(*there, [&](const pod_view& pod) {
    const bool is_own_name = is_found && (pod.control_plane.empty() || control_plane_.empty() ||
                                          pod.control_plane == control_plane_);
    return !run.is_other(pod) && (is_known || is_own_name || run_of(pod) == key);
  });
  run.due = now;
  if (own == there->end() && !run.elsewhere.empty()) {
    run.name_space = std::move(run.elsewhere.back());
    run.elsewhere.pop_back();
    return;
  }
  if (there->empty()) return vanish(key, wall_ns);
  run.look = false;
  run.tries = 0;
  if (own != there->end()) {
    auto pod = std::move(*own);
    if (run.name_space.empty()) run.name_space = pod.name_space;
    if (is_found) {
      run.grace_seconds = pod.grace_seconds;
      run.owner.name = pod.owner;
      run.lapses = pod.lapses;
      if (run.lapses) lease_.found(now);
    }
    if (run.end && run.end->lapsed) {
      run.end->if_absent = false;
      run.end->version = pod.deleting ? std::string{} : pod.version;
    } else if (run.end && !run.end->version.empty() && pod.version != run.end->version) {
      // It has changed since its end was decided, unless that is what has changed it.
      if (pod.deleting)
        run.end->version.clear();
      else
        withdraw_end(run, now);
    }
    if (run.end && run.end->if_absent) withdraw_end(run, now);
    const bool is_followed = pod.cluster == rules_.cluster;
    note(key, run, std::move(pod), wall_ns, now, true);
    if (const std::set only{key}; is_found && lease_.has_lapsed()) lapse_all(now, &only);
    if (is_followed || run.told_end || run.end) return;
    run.look = true;
    run.due = now + look_without_labels;
    return;
  }
  // Somebody else has a pod of this name. It is not touched.
  if (run.there || run.adopted) return vanish(key, wall_ns);
  run.there = false;
  run.clash = false;
  run.uncertain = false;
  begin_end(
      run,
      {run_phase::refused, model::reason_cluster_refused,
       "a pod '" + run.name + "' that is not of this run is in namespace '" + run.name_space + "'",
       1},
      now);
}

void pod_runs::removed(const model::run_key& key, pod_run& run, const result<kube::answer>& answer,
                       std::int64_t wall_ns, boot_time now) {
  if (answer && answer->status == http_not_found) return vanish(key, wall_ns);
  if (rules_.set.impersonate_users && !run.as_agent && answer && answer->status == http_forbidden) {
    run.as_agent = true;
    run.due = now;
    return;
  }
  if (answer && answer->status == http_conflict) {
    // It has changed, or the name is another pod's by now.
    const bool may_change = run.end && !run.end->version.empty();
    run.look = true;
    run.due = may_change ? now : now + pause_after(0);
    return;
  }
  // Other pods do not wait for a deletion that was refused.
  if (answer) lapsing_.erase(key);
  if (!answer || !answer->ok()) {
    tell_refused(key, run, answer, "delete", wall_ns);
    return try_again(run, now);
  }
  if (run.end) run.end->version.clear();
  run.tries = 0;
  const auto grace = std::chrono::seconds{run.end ? run.end->grace_seconds : 0};
  run.due = now + grace + rules_.set.trouble.ending_wait;
  run.last_order = true;
  // A follower says already that it is gone.
  if (run.look) run.due = now;
}

}  // namespace argosy::backends
