// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/cluster/recent_events.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace argosy::ledger {

namespace {

constexpr std::array<std::string_view, 18> names{
    "joined",       "left",        "silent",          "heard",      "away",       "back",
    "nodeJoined",   "nodeLeft",    "cordoned",        "uncordoned", "drainBegun", "drainEnded",
    "drainStopped", "quarantined", "quarantineEnded", "runFailed",  "runLost",    "runRefused"};
static_assert(names.size() == static_cast<std::size_t>(recent_kind::run_refused) + 1);

/// So many nodes that come or go at once are told one by one.
constexpr std::size_t nodes_told = 10;

std::string counted(std::uint64_t number, const std::string& one) {
  return std::to_string(number) + " " + one + (number == 1 ? "" : "s");
}

std::string with(std::string sentence, const char* between, const std::string& text) {
  return text.empty() ? sentence : std::move(sentence) + between + text;
}

std::string runs_sentence(const recent_event& what, const char* one, const char* many) {
  auto out = what.count == 1 ? std::string{one} : std::to_string(what.count) + " " + many;
  if (!what.run) return out;
  return out + (what.count == 1 ? ": job " : ", the last of job ") + to_string(what.run->job) +
         ", run " + std::to_string(what.run->number);
}

std::string nodes_sentence(const recent_event& what, const char* verb) {
  return what.node.empty() ? counted(what.count, "node") + " " + verb : std::string{verb};
}

}  // namespace

std::string_view to_string(recent_kind kind) noexcept {
  return names[static_cast<std::size_t>(kind)];
}

std::string to_sentence(const recent_event& what) {
  const auto by = [&](std::string verb) { return with(std::move(verb), " by ", what.by); };
  switch (what.kind) {
    case recent_kind::joined:
      return with("joined", ", ", what.text);
    case recent_kind::left:
      return with("left", ": ", what.text);
    case recent_kind::silent:
      return with("fell silent", ": ", what.text);
    case recent_kind::heard:
      return with("heard", " ", what.text);
    case recent_kind::away:
      return with("takes no new jobs", ": ", what.text);
    case recent_kind::back:
      return "can begin runs again";
    case recent_kind::node_joined:
      return nodes_sentence(what, "joined");
    case recent_kind::node_left:
      return nodes_sentence(what, "left");
    case recent_kind::cordoned:
      return with(by("cordoned"), ": ", what.text);
    case recent_kind::uncordoned:
      return by("uncordoned");
    case recent_kind::drain_begun:
      return with(by("a drain was begun"), ": ", what.text);
    case recent_kind::drain_ended:
      return with("drained", ": ", what.text);
    case recent_kind::drain_stopped:
      return with("the drain was stopped", ": ", what.text);
    case recent_kind::quarantined:
      return with("quarantined", " ", what.text);
    case recent_kind::quarantine_ended:
      return "takes new jobs again after a quarantine";
    case recent_kind::run_failed:
      return runs_sentence(what, "the command of a run failed", "runs had commands that failed");
    case recent_kind::run_lost:
      return runs_sentence(what, "a run was lost", "runs were lost");
    case recent_kind::run_refused:
      return runs_sentence(what, "the start of a run was refused", "starts of runs were refused");
  }
  return {};
}

recent_events::recent_events(const cluster_core& cluster, std::int64_t now_ns) : since_ns_(now_ns) {
  for (const auto& [node, cordon] : cluster.all_cordons().all())
    add({cordon.since_ns, recent_kind::cordoned, node, cordon.by, cordon.reason});
  for (const auto& [node, known] : cluster.all_drains().all()) take(known.drain, now_ns);
  std::ranges::stable_sort(others_, {}, &recent_event::time_ns);
}

void recent_events::take(const model::event& event, const cluster_core& before) {
  const auto at = event.time_ns;
  if (const auto* joined = std::get_if<model::cluster_joined>(&event.payload))
    take(*joined, at, before);
  if (const auto* nodes = std::get_if<model::nodes_changed>(&event.payload))
    take(*nodes, at, before);
  if (const auto* cordon = std::get_if<model::cordon_changed>(&event.payload)) take(*cordon, at);
  if (const auto* operation = std::get_if<model::operation_changed>(&event.payload))
    take(operation->now, at);
  const auto* left = std::get_if<model::cluster_left>(&event.payload);
  if (left == nullptr) return;
  // A cluster that had left already, and is forgotten, joins and leaves at once.
  if (!others_.empty() && others_.back().kind == recent_kind::joined &&
      others_.back().time_ns == at)
    others_.pop_back();
  add({at, recent_kind::left, {}, {}, left->reason});
}

void recent_events::take(const model::cluster_joined& what, std::int64_t time_ns,
                         const cluster_core& before) {
  if (before.present() && before.info().incarnation == what.cluster.incarnation) return;
  add({time_ns,
       recent_kind::joined,
       {},
       {},
       before.present() ? "with an agent that has a new store" : "in pool " + what.cluster.pool});
}

void recent_events::take(const model::nodes_changed& what, std::int64_t time_ns,
                         const cluster_core& before) {
  std::vector<model::node_name> fresh;
  for (const auto& node : what.set)
    if (!before.node_infos().contains(node.name)) fresh.push_back(node.name);
  // A node that is released from its quarantine leaves and comes anew, at once.
  if (fresh.size() == 1 && !others_.empty() && others_.back().time_ns == time_ns &&
      others_.back().kind == recent_kind::node_left && others_.back().node == fresh[0]) {
    others_.pop_back();
    return;
  }
  add_nodes(recent_kind::node_joined, fresh, time_ns);
  add_nodes(recent_kind::node_left, what.removed, time_ns);
}

void recent_events::add_nodes(recent_kind kind, const std::vector<model::node_name>& nodes,
                              std::int64_t time_ns) {
  if (nodes.size() > nodes_told) {
    add({time_ns, kind, {}, {}, {}, static_cast<std::uint32_t>(nodes.size())});
    return;
  }
  for (const auto& node : nodes) add({time_ns, kind, node});
}

void recent_events::take(const model::cordon_changed& what, std::int64_t time_ns) {
  add({time_ns, what.on ? recent_kind::cordoned : recent_kind::uncordoned, what.node, what.by,
       what.reason});
}

void recent_events::take(const model::operation& drain, std::int64_t time_ns) {
  if (drain.kind != model::operation_kind::drain) return;
  if (drain.is_running()) {
    if (drains_.insert(drain.id).second)
      add({drain.begun_ns, recent_kind::drain_begun, drain.node, drain.by, drain.reason});
    return;
  }
  drains_.erase(drain.id);
  const bool done = drain.state == model::operation_state::done;
  add({time_ns,
       done ? recent_kind::drain_ended : recent_kind::drain_stopped,
       drain.node,
       {},
       done ? counted(drain.total, "run") + (drain.total == 1 ? " has" : " have") + " ended"
            : drain.detail});
}

void recent_events::take(const contact_changed& what, std::int64_t now_ns) {
  if (what.now == contact_state::silent)
    return add({now_ns, recent_kind::silent, {}, {}, "not heard for " + in_seconds(what.silence)});
  if (what.now != contact_state::connected || what.before == contact_state::gone) return;
  add({now_ns,
       recent_kind::heard,
       {},
       {},
       what.before == contact_state::silent
           ? "again after " + in_seconds(what.silence)
           : in_seconds(what.silence) + " after the server began to lead"});
}

void recent_events::take(const trouble_changed& what, std::int64_t now_ns) {
  const bool is_back = what.now.why.empty();
  add({now_ns, is_back ? recent_kind::back : recent_kind::away, {}, {}, what.now.why});
}

void recent_events::take(const unbind_run& what, std::int64_t now_ns) {
  auto kind = recent_kind::run_failed;
  if (what.verdict == run_verdict::lost)
    kind = recent_kind::run_lost;
  else if (what.verdict == run_verdict::refused)
    kind = recent_kind::run_refused;
  else if (what.verdict != run_verdict::failed)
    return;
  recent_event entry{now_ns, kind, what.node};
  entry.run = what.run;
  const auto same = std::ranges::find_if(runs_, [&](const auto& known) {
    return known.kind == kind && known.node == what.node &&
           now_ns - known.time_ns <= std::chrono::nanoseconds{gathered}.count();
  });
  if (same != runs_.end()) {
    entry.count += same->count;
    runs_.erase(same);
  }
  runs_.push_back(std::move(entry));
  shorten(runs_);
}

void recent_events::take(const model::node_name& node, const model::quarantine& what,
                         std::int64_t now_ns) {
  if (what.until_ns == 0) return add({now_ns, recent_kind::quarantine_ended, node});
  add({what.until_ns - what.period_ns,
       recent_kind::quarantined,
       node,
       {},
       with("for " + in_seconds(boot_time{what.period_ns}), ": ", what.why)});
}

void recent_events::add(recent_event what) {
  others_.push_back(std::move(what));
  shorten(others_);
}

void recent_events::shorten(std::deque<recent_event>& events) {
  if (events.size() <= kept_max) return;
  since_ns_ = std::max(since_ns_, events.front().time_ns);
  events.pop_front();
}

std::vector<recent_event> recent_events::list(const model::node_name& node,
                                              std::size_t limit) const {
  std::vector<recent_event> out;
  for (const auto* events : {&runs_, &others_})
    std::ranges::copy_if(*events, std::back_inserter(out), [&](const auto& one) {
      return node.empty() || one.node == node || one.node.empty();
    });
  std::ranges::reverse(out);
  std::ranges::stable_sort(out, std::ranges::greater{}, &recent_event::time_ns);
  if (out.size() > limit) out.resize(limit);
  return out;
}

}  // namespace argosy::ledger
