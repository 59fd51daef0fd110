// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/pod_runs.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "runtime/backends/run/records.hpp"
#include "runtime/model/affinity.hpp"
#include "runtime/model/namespace_part.hpp"

namespace argosy::backends {

using model::run_phase;

namespace {

constexpr boot_time never = boot_time::max();

boot_time after(boot_time now, boot_time span) {
  return now > never - span ? never : now + span;
}

/// How a run ended whose pod is gone. `last` is how it was seen last, by an earlier agent if
/// `before`.
model::run_outcome unseen_end(const std::optional<pod_view>& last, bool before) {
  if (before) return {std::nullopt, 0, reason::lost, "the pod was gone when the agent came back"};
  if (last && !last->ended_by.empty())
    return {std::nullopt, 0, last->ended_by, last->ended_by_message};
  if (last && last->deleting)
    return {std::nullopt, 0, pod_reason::deleted,
            "the pod was deleted by somebody else before its end was seen"};
  return {std::nullopt, 0, reason::lost, "the pod is gone, and nobody saw its end"};
}

std::int64_t whole_seconds(boot_time span) {
  return std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(span).count(), 1);
}

}  // namespace

void pod_runs::launch(const model::start_run& order, const nlohmann::json& pod, std::string bare,
                      const kube::acting_user& owner, std::vector<std::string> attached, bool held,
                      boot_time now) {
  const auto [made, is_new] = runs_.add(order.run);
  if (!is_new) return;
  strangers_.erase(order.run);
  auto& run = *made;
  const auto& meta = pod.at("metadata");
  run.name_space = meta.value("namespace", "");
  run.name = meta.value("name", "");
  run.manifest = pod.dump();
  run.bare = std::move(bare);
  run.grace_seconds = order.grace_seconds;
  run.owner = owner;
  run.attached = std::move(attached);
  run.held = held;
  run.lapses = order.lapses && !order.keep_on_disconnect;
  run.due = now;
  if (away_) begin_end(run, given_back_unmade(), now);
}

void pod_runs::release(const model::run_key& key, boot_time now) {
  auto* const run = runs_.find(key);
  if (run == nullptr || !std::exchange(run->held, false)) return;
  if (!run->end) run->due = now;
}

void pod_runs::refuse(const model::run_key& key, const refusal& why, boot_time now) {
  auto* const run = runs_.find(key);
  if (run == nullptr || !run->held) return;
  begin_end(*run, ending::of(settled(why)), now);
  refuse_others(*run, now);
}

bool pod_runs::is_open(const model::run_key& key) const {
  const auto* const run = runs_.peek(key);
  return run != nullptr && !run->told_end;
}

void pod_runs::begin_end(pod_run& run, ending why, boot_time now) {
  if (run.end) return;
  run.end = std::move(why);
  run.look = run.adopted && !run.there;
  run.tries = 0;
  run.due = now;
  run.watch.end(std::chrono::seconds{run.end->grace_seconds}, now);
}

void pod_runs::stop(const model::run_key& key, const std::string& message, boot_time grace,
                    boot_time now) {
  auto* const found = runs_.find(key);
  if (found == nullptr || found->told_end) return;
  auto& run = *found;
  if (run.end && run.end->lapsed) return;
  if (run.end && run.end->is_conditional()) run.end.reset();
  if (!run.end) run.save = run.there && run.last && run.last->began;
  begin_end(run, {run_phase::stopped, shim_status::stopped, message, whole_seconds(grace)}, now);
}

void pod_runs::stop_all(const std::string& message, boot_time now) {
  runs_.change(
      [](const auto&, const auto& run) {
        return !run.told_end && (!run.end || (run.end->is_conditional() && !run.end->lapsed));
      },
      [&](const auto&, auto& run) {
        run.end.reset();
        begin_end(run, {run_phase::stopped, shim_status::stopped, message, run.grace_seconds}, now);
      });
}

void pod_runs::drop_at(const model::run_key& key, pod_run& run, boot_time when) {
  if (run.drop) return;
  run.drop = when;
  run.kept_as = ++last_kept_;
  kept_.emplace(run.kept_as, key);
  while (kept_.size() > rules_.set.keep_pods_max) {
    if (auto* const oldest = runs_.find(kept_.begin()->second)) {
      oldest->drop = boot_time{};
      if (oldest->saving) step_.in_excess.push_back(kept_.begin()->second);
    }
    kept_.erase(kept_.begin());
  }
}

void pod_runs::forget(const model::run_key& key, boot_time now) {
  auto* const run = runs_.find(key);
  if (run == nullptr || !run->told_end) return;
  if (run->there)
    drop_at(key, *run, after(now, rules_.set.keep_pods));
  else
    vanish(key, 0);
}

void pod_runs::tell(const model::run_key& key, pod_run& run, run_phase phase,
                    model::run_outcome outcome, std::int64_t time_ns) {
  if (run.told_end || phase <= run.told) return;
  if (phase == run_phase::failed) classify(run, outcome);
  run.told = phase;
  run.told_end = is_final(phase);
  step_.events.push_back({key, phase, std::move(outcome), {}, time_ns, facts_of(run)});
}

model::pod_facts pod_runs::facts_of(const pod_run& run) {
  if (!run.last) return {};
  const bool runs = run.told == run_phase::running;
  return {run.last->uid, runs ? complete(run.addresses, run.last->node_address)
                              : model::pod_facts::address_list{}};
}

void pod_runs::set_addresses(const model::run_key& key, port_addresses addresses,
                             std::int64_t wall_ns) {
  auto* const run = runs_.find(key);
  if (run == nullptr || run->told_end) return;
  run->addresses = std::move(addresses);
  if (run->told != run_phase::running) return;
  // An agent that begins anew finds the pod first, and then what leads to it.
  step_.events.push_back({key, run->told, {}, {}, wall_ns, facts_of(*run)});
}

void pod_runs::note(const model::run_key& key, pod_run& run, pod_view seen, std::int64_t wall_ns,
                    boot_time now, bool asked) {
  if (!run.there && run.end) run.due = now;
  run.there = true;
  std::string{}.swap(run.manifest);
  std::string{}.swap(run.bare);
  run.last = std::move(seen);
  const auto& pod = *run.last;
  const bool tells_since = run.adopted && pod.waits_since_ns > 0;
  const auto waited = boot_time{tells_since ? wall_ns - pod.waits_since_ns : 0};
  run.watch.see(pod, std::clamp(waited, boot_time{0}, now), now);
  const auto began_ns = pod.started_ns != 0 ? pod.started_ns : wall_ns;
  if (is_untold(run.name_space)) run.watch.pause(now);
  if (!is_final(pod.phase)) {
    if (!pod.running.empty()) step_.running.push_back(key);
    if (!run.end) tell(key, run, pod.phase, {}, began_ns);
    return look_after(key, run, wall_ns, now, asked);
  }
  ask_to_save(key, run);
  lapsing_.erase(key);
  // It had ended by itself before anybody deleted it.
  if (run.end && run.end->lapsed && !pod.deleting) withdraw_end(run, now);
  const auto ended_ns = pod.finished_ns != 0 ? pod.finished_ns : wall_ns;
  auto outcome = pod.outcome;
  auto phase = pod.phase;
  if (run.end && run.end->phase == run_phase::stopped) {
    phase = run_phase::stopped;
    outcome.reason = run.end->reason;
    outcome.message = run.end->message;
  } else if (run.end && !pod.began) {
    phase = run.end->phase;
    outcome = {std::nullopt, 0, run.end->reason, run.end->message, run.end->category};
    outcome.reach = run.end->reach;
  } else if (run.end && run.end->phase == run_phase::refused && phase == run_phase::failed) {
    // It began in the moment in which it was given back, and did not end by itself.
    outcome = {std::nullopt, 0, reason::lost,
               "the agent ended its pod as it began: " + run.end->message};
  } else if (run.end && run.end->prevails && phase == run_phase::failed) {
    outcome.reason = run.end->reason;
    outcome.message = run.end->message;
  }
  tell(key, run, phase, std::move(outcome), ended_ns);
}

std::optional<model::run_key> pod_runs::run_of(const pod_view& pod) const {
  if (pod.cluster == rules_.cluster && pod.run) return pod.run;
  const auto named = run_of_pod(pod.name);
  const auto* const run = named ? runs_.peek(*named) : nullptr;
  const bool is_known = run != nullptr && run->last && !pod.uid.empty();
  return is_known && run->last->uid == pod.uid ? named : std::nullopt;
}

void pod_runs::seen(pod_view pod, std::int64_t wall_ns, boot_time now) {
  const auto which = run_of(pod);
  if (!which) return;
  auto* const run = runs_.find(*which);
  if (run == nullptr) return adopt_stranger(pod, now);
  if (run->is_other(pod)) {
    // Another pod can have taken its name only if it is gone.
    const bool took_name = run->name == pod.name && run->name_space == pod.name_space;
    if (took_name && !run->told_end) run->look = true, run->due = now;
    return;
  }
  const auto key = *which;
  note(key, *run, std::move(pod), wall_ns, now);
}

void pod_runs::gone(pod_view pod, std::int64_t wall_ns, boot_time now) {
  const auto which = run_of(pod);
  if (!which) return;
  const auto key = *which;
  if (const auto stranger = strangers_.find(key);
      stranger != strangers_.end() && stranger->second.pod.uid == pod.uid)
    strangers_.erase(stranger);
  auto* const run = runs_.find(key);
  if (run == nullptr || run->is_other(pod)) return;
  const bool has_ended = is_final(pod.phase) || run->told_end;
  note(key, *run, std::move(pod), wall_ns, now);
  if (has_ended) return vanish(key, wall_ns);
  // What is followed by its labels is said to be gone when these are changed, and may run on.
  run->look = true;
  run->due = now;
}

void pod_runs::vanish(const model::run_key& key, std::int64_t wall_ns) {
  auto* const found = runs_.find(key);
  if (found == nullptr) return;
  auto& run = *found;
  if (run.end) {
    model::run_outcome outcome{std::nullopt, 0, run.end->reason, run.end->message,
                               run.end->category};
    auto phase = run.end->phase;
    const bool began = run.last && run.last->began;
    if (!began) outcome.reach = run.end->reach;
    if (phase == run_phase::refused && began) {
      phase = run_phase::failed;
      outcome.reason = reason::lost;
      outcome.category.clear();
    }
    tell(key, run, phase, std::move(outcome), wall_ns);
  } else {
    tell(key, run, run_phase::failed, unseen_end(run.last, run.adopted && !run.there), wall_ns);
  }
  kept_.erase(run.kept_as);
  lapsing_.erase(key);
  ending_strangers_.erase(key);
  runs_.erase(key);
  step_.erased.push_back(key);
}

void pod_runs::listed(const std::string& name_space, std::vector<pod_view> pods,
                      std::int64_t wall_ns, boot_time now) {
  std::set<model::run_key> present;
  for (auto& pod : pods) {
    const auto key = run_of(pod);
    const auto* const run = key ? runs_.peek(*key) : nullptr;
    if (run != nullptr && !run->is_other(pod)) present.insert(*key);
    seen(std::move(pod), wall_ns, now);
  }
  // A pod that was created while the list was made may be missing in it.
  const auto is_missing = [&](const model::run_key& key, const pod_run& run) {
    const bool covered = name_space.empty() || run.name_space == name_space;
    return covered && run.there && !present.contains(key);
  };
  runs_.change(is_missing, [now](const model::run_key&, pod_run& run) {
    run.look = true;
    run.due = now;
  });
}

pod_step pod_runs::take() {
  return std::exchange(step_, {});
}

boot_time pod_runs::due_of::request(const pod_run& run) {
  if (run.asking) return never;
  if (run.look) return run.due;
  if (run.end) return run.due;
  if (run.told_end) return run.drop && !run.saving ? std::max(*run.drop, run.due) : never;
  if (!run.there) return run.held || run.queued ? never : run.due;
  return never;
}

boot_time pod_runs::due_of::operator()(const pod_run& run) const {
  return std::min(request(run), run.told_end ? never : run.watch.due());
}

boot_time pod_runs::next_due() {
  if (!step_.requests.empty() || !step_.events.empty() || !step_.erased.empty() ||
      !step_.outputs.empty() || !step_.ended.empty())
    return boot_time{0};
  return std::min(runs_.next_due(), lease_.next_due());
}

const node_state* pod_runs::node_of(const pod_run& run) const {
  return run.last && !run.last->node.empty() ? nodes_.find(run.last->node) : nullptr;
}

void pod_runs::look_after(const model::run_key& key, pod_run& run, std::int64_t wall_ns,
                          boot_time now, bool asked) {
  if (!run.there || !run.last || run.told_end) return run.watch.rest();
  if (run.watch.is_paused()) {
    run.watch.rest();
    if (away_)
      tell_wait(key, run, "server",
                away_->why + ". Nobody knows how the run is meanwhile; its pod goes on", wall_ns);
    return;
  }
  auto found = run.watch.check(*run.last, node_of(run), rules_.own, rules_.set.trouble, now);
  if (found.action < trouble_action::give_back)
    return tell_wait(key, run, found.kind, found.message, wall_ns);
  if (run.end) return;
  if (!asked) {
    if (!run.look) run.due = now;
    run.look = true;
    return run.watch.rest();
  }
  const bool fails = found.action == trouble_action::fail;
  begin_end(run,
            {fails ? run_phase::failed : run_phase::refused, found.reason, found.message, 1, true,
             run.last->version, false, found.category,
             found.is_missing ? model::outside_of(model::cluster_name{rules_.cluster})
                              : model::affinity_terms{}},
            now);
}

void pod_runs::tell_wait(const model::run_key& key, pod_run& run, const std::string& kind,
                         const std::string& text, std::int64_t wall_ns) {
  // The end of a run that is being ended is news enough.
  if (run.told_end || (run.end && kind.empty())) return;
  if (const auto news = run.watch.tell(kind, text))
    step_.events.push_back({key, run.told, {}, note_text(*news, wall_ns), wall_ns});
}

void pod_runs::event_seen(pod_event event, std::int64_t wall_ns, boot_time now) {
  event.seen = now;
  const auto key = run_of_pod(event.pod);
  if (!key) return;
  auto* const found = runs_.find(*key);
  if (found == nullptr || found->name != event.pod || found->name_space != event.name_space) return;
  auto& run = *found;
  const bool is_other =
      run.last && !event.uid.empty() && !run.last->uid.empty() && run.last->uid != event.uid;
  if (is_other || !run.watch.add(std::move(event))) return;
  look_after(*key, run, wall_ns, now);
}

void pod_runs::nodes_told(const std::vector<std::string>& changed, boot_time now) {
  const std::set<std::string> nodes{changed.begin(), changed.end()};
  if (nodes.empty()) return;
  runs_.change(
      [&](const auto&, const auto& run) {
        return run.there && !run.told_end && run.last && nodes.contains(run.last->node);
      },
      [&](const auto&, auto& run) { run.watch.see_node(nodes_.find(run.last->node), now); });
}

void pod_runs::nodes_listed(const std::vector<nlohmann::json>& nodes, boot_time now) {
  nodes_told(nodes_.listed(nodes), now);
}

void pod_runs::node_changed(const nlohmann::json& node, boot_time now) {
  nodes_told(nodes_.changed(node), now);
}

void pod_runs::node_gone(const nlohmann::json& node, boot_time now) {
  nodes_told(nodes_.gone(node), now);
}

void pod_runs::classify(const pod_run& run, model::run_outcome& outcome) const {
  const auto* rule = find_rule(rules_.set.trouble.failure_rules, outcome,
                               run.last ? &*run.last : nullptr, run.watch.events().all());
  if (rule == nullptr) return;
  outcome.category = category_of(*rule);
  if (!rule->hint.empty()) outcome.message += (outcome.message.empty() ? "" : ". ") + rule->hint;
}

bool pod_runs::is_untold(const std::string& name_space) const {
  return away_ || untold_.contains(name_space) || untold_.contains({});
}

void pod_runs::pods_untold(const std::string& name_space, boot_time now) {
  if (!untold_.insert(name_space).second) return;
  runs_.change(
      [&](const auto&, const auto& run) { return !run.told_end && is_untold(run.name_space); },
      [now](const auto&, auto& run) { run.watch.pause(now); });
}

void pod_runs::pods_told(const std::string& name_space, boot_time now) {
  if (untold_.erase(name_space) > 0) resume_told(now);
}

void pod_runs::resume_told(boot_time now) {
  runs_.change([&](const auto&,
                   const auto& run) { return run.watch.is_paused() && !is_untold(run.name_space); },
               [now](const auto&, auto& run) { run.watch.resume(now); });
}

pod_runs::ending pod_runs::given_back_unmade() const {
  ending out{run_phase::refused, model::reason_cluster_refused,
             away_->why + ", and its pod was not made", 1};
  out.category = model::refusal_to_all::server;
  return out;
}

void pod_runs::server_lost(boot_time since, const std::string& why, std::int64_t wall_ns,
                           boot_time now) {
  away_ = absence{since, why};
  const auto open = [](const auto&, const auto& run) { return !run.told_end; };
  runs_.change(open, [&](const auto& key, auto& run) {
    run.watch.pause(since);
    if (run.there)
      look_after(key, run, wall_ns, now);
    else if (!run.end && run.is_unmade())
      begin_end(run, given_back_unmade(), now);
    else if (!run.end)
      tell_wait(key, run, "server",
                why + ". Its pod may have been made, which is looked up once it answers", wall_ns);
  });
}

void pod_runs::server_back(boot_time now) {
  if (!away_) return;
  const auto since = std::exchange(away_, std::nullopt)->since;
  runs_.change(
      [](const auto&, const auto& run) { return run.first_try && !run.there; },
      [&](const auto&, auto& run) { *run.first_try += now - std::max(since, *run.first_try); });
  resume_told(now);
  server_answers(now);
}

void pod_runs::give_up(pod_run& run, ending why, boot_time now) {
  why.if_absent = run.uncertain;
  begin_end(run, std::move(why), now);
  run.look = run.uncertain;
  refuse_others(run, now);
}

void pod_runs::refuse_others(const pod_run& like, boot_time now) {
  if (!like.end || !model::is_refused_to_all(like.end->category)) return;
  const auto part =
      model::part_refused(like.end->category, like.name_space, like.attached, like.owner.name);
  if (!part) return;
  auto why = *like.end;
  why.if_absent = false;
  const auto waits = [&](const auto&, const pod_run& run) {
    if (run.end || run.told_end || !run.is_unmade() || run.name_space != like.name_space)
      return false;
    const auto own = model::parts_of(run.name_space, run.attached, run.owner.name);
    return std::ranges::find(own, *part) != own.end();
  };
  runs_.change(waits, [&](const auto&, pod_run& run) { begin_end(run, why, now); });
}

void pod_runs::withdraw_end(pod_run& run, boot_time now) {
  run.end.reset();
  run.uncertain = false;
  run.tries = 0;
  run.watch.go_on(now);
}

}  // namespace argosy::backends
