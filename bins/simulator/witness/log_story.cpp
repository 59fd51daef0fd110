// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/witness/log_story.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>
#include <variant>

namespace argosy::witness {

namespace {

std::string name_of_run(const std::string& job, std::uint32_t number) {
  return job + "-" + std::to_string(number);
}

}  // namespace

void log_story::note(std::string promise, std::string text) {
  findings_.push_back(
      {std::move(promise), "record " + std::to_string(record_) + ": " + std::move(text)});
}

void log_story::add(std::uint64_t record, const model::event& event) {
  if (record != record_) judge_gangs();
  record_ = record;
  ++events_;
  act(event);
  std::visit(
      [&](const auto& one) {
        using type = std::decay_t<decltype(one)>;
        const auto what = model::name_of(event.payload);
        if constexpr (std::is_same_v<type, model::job_submitted>) {
          submitted(one);
        } else if constexpr (std::is_same_v<type, model::submission_accepted>) {
          if (!keys_.emplace(event.queue, one.key).second)
            note("D2", "idempotency key " + one.key + " of queue " + event.queue +
                           " made jobs a second time");
        } else if constexpr (std::is_same_v<type, model::job_leased>) {
          leased(one);
        } else if constexpr (std::is_same_v<type, model::lease_returned> ||
                             std::is_same_v<type, model::lease_expired>) {
          run_over(to_string(one.run.job), one.run.number, what);
        } else if constexpr (std::is_same_v<type, model::run_succeeded> ||
                             std::is_same_v<type, model::run_failed>) {
          run_over(to_string(one.run.job), one.run.number, what);
          terminal(to_string(one.run.job), what,
                   one.outcome.reason + " (" + one.outcome.message + ")");
        } else if constexpr (std::is_same_v<type, model::job_preempted>) {
          run_over(to_string(one.run.job), one.run.number, what);
          terminal(to_string(one.run.job), what, one.reason);
        } else if constexpr (std::is_same_v<type, model::job_cancelled> ||
                             std::is_same_v<type, model::job_rejected>) {
          terminal(to_string(one.job), what, one.reason);
        } else if constexpr (std::is_same_v<type, model::run_preempting>) {
          auto& job = jobs_[to_string(one.run.job)];
          job.stopping = true;
          judge_room(job.node);
        } else if constexpr (std::is_same_v<type, model::round_decided>) {
          decided(one.number);
        } else if constexpr (std::is_same_v<type, model::nodes_changed>) {
          nodes(one);
        }
      },
      event.payload);
}

void log_story::act(const model::event& event) {
  const auto wrong = std::visit(
      [&](const auto& one) -> std::string {
        using type = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<type, model::queue_set>)
          acts_.set_queue(one.settings);
        else if constexpr (std::is_same_v<type, model::queue_deleted>)
          acts_.delete_queue(event.queue);
        else if constexpr (std::is_same_v<type, model::job_submitted>)
          return acts_.submit(to_string(one.header->id), event.queue);
        else if constexpr (std::is_same_v<type, model::job_leased>)
          return acts_.lease(one, event.queue);
        else if constexpr (std::is_same_v<type, model::cordon_changed>)
          acts_.cordon(one);
        else if constexpr (std::is_same_v<type, model::cluster_left>)
          acts_.leave(one.cluster);
        else if constexpr (std::is_same_v<type, model::job_held>)
          acts_.hold(to_string(one.job), true);
        else if constexpr (std::is_same_v<type, model::job_released>)
          acts_.hold(to_string(one.job), false);
        else if constexpr (std::is_same_v<type, model::round_decided>)
          return acts_.decide(one);
        else if constexpr (std::is_same_v<type, model::settings_changed>)
          acts_.change_settings(one.version);
        else if constexpr (std::is_same_v<type, model::operation_changed>)
          drained(one.now);
        return {};
      },
      event.payload);
  if (!wrong.empty()) note("acts", wrong);
  const auto job = model::job_of(event);
  if (job.is_nil()) return;
  const auto at = jobs_.find(to_string(job));
  if (at == jobs_.end() || at->second.terminals == 0) return;
  const auto what = model::name_of(event.payload);
  constexpr std::array<std::string_view, 7> known{"job_submitted", "job_leased",    "run_succeeded",
                                                  "run_failed",    "job_preempted", "job_cancelled",
                                                  "job_rejected"};
  // Those are judged where they are taken.
  if (std::ranges::find(known, what) == known.end())
    note("D4", std::string{what} + " of job " + to_string(job) + " after " + at->second.terminal);
}

void log_story::drained(const model::operation& drain) {
  if (drain.kind != model::operation_kind::drain || drain.state != model::operation_state::done)
    return;
  const auto place = model::node_id(drain.cluster, drain.node);
  for (const auto& [id, job] : jobs_)
    if (job.active && job.node.starts_with(place) &&
        (drain.node.empty() || job.node.size() == place.size()))
      note("acts", "the drain of " + place + " is over, and job " + id + " still runs there");
}

void log_story::finish() {
  judge_gangs();
  for (const auto& [where, lease] : overfull_) findings_.push_back({"D5", lease.text});
  overfull_.clear();
}

std::int64_t log_story::lasting(const std::string& node, const std::string& resource) const {
  std::int64_t out = 0;
  for (const auto& [id, job] : jobs_)
    if (job.active && !job.stopping && job.node == node)
      for (const auto& [name, part] : job.requests) out += name == resource ? part : 0;
  return out;
}

void log_story::judge_room(const std::string& node) {
  std::erase_if(overfull_, [&](const auto& one) {
    const auto& [where, lease] = one;
    return where.first == node &&
           lasting(node, where.second) <= nodes_[node].capacity[where.second];
  });
}

/// A round whose preemptions were lost in a crash is followed by one that makes the room again.
void log_story::decided(std::uint64_t round) {
  constexpr std::uint64_t rounds_max = 20;
  std::erase_if(overfull_, [&](const auto& one) {
    if (one.second.round + rounds_max > round) return false;
    findings_.push_back({"D5", one.second.text});
    return true;
  });
}

void log_story::submitted(const model::job_submitted& event) {
  const auto& header = *event.header;
  const auto id = to_string(header.id);
  const auto [at, fresh] = jobs_.try_emplace(id);
  if (!fresh) return note("D2", "job " + id + " is submitted a second time");
  at->second.queue = header.queue;
  at->second.client_id = header.client_id;
  if (header.shape != nullptr) at->second.requests = header.shape->requests;
  if (header.gang != nullptr) {
    at->second.gang = header.queue + "/" + header.gang->id;
    auto& gang = gangs_[at->second.gang];
    gang.minimum = std::max(gang.minimum,
                            std::min(header.gang->minimum_cardinality, header.gang->cardinality));
    gang.members.insert(id);
  }
  if (header.client_id.empty()) return;
  const auto [known, first] = clients_.try_emplace({header.queue, header.client_id}, id);
  if (!first)
    note("D2", "client id " + header.client_id + " of queue " + header.queue + " made job " +
                   known->second + " and job " + id);
}

void log_story::leased(const model::job_leased& event) {
  ++runs_;
  const auto id = to_string(event.run.job);
  const auto run = name_of_run(id, event.run.number);
  const auto at = jobs_.find(id);
  if (at == jobs_.end()) return note("D1", "run " + run + " is of a job that nobody submitted");
  auto& job = at->second;
  if (!job.terminal.empty()) note("D4", "run " + run + " begins after " + job.terminal);
  if (job.active)
    note("D3", "run " + run + " begins while " + name_of_run(id, job.last_run) + " is active");
  if (event.run.number <= job.last_run)
    note("D3", "run " + run + " begins after " + name_of_run(id, job.last_run));
  release(job);
  job.last_run = std::max(job.last_run, event.run.number);
  job.active = true;
  job.stopping = false;
  job.node = model::node_id(event.cluster, event.node);
  auto& node = nodes_[job.node];
  for (const auto& [resource, amount] : job.requests) {
    const auto used = node.used[resource] += amount;
    const auto capacity = node.capacity.find(resource);
    if (capacity == node.capacity.end() || used <= capacity->second) continue;
    // A run that is being preempted keeps its room until its end is reported.
    const auto stays = lasting(job.node, resource);
    if (stays <= capacity->second) continue;
    auto text = "record " + std::to_string(record_) + ": run " + run + " takes " + resource +
                " of " + job.node + " to " + std::to_string(stays) + " of " +
                std::to_string(capacity->second);
    const auto [known, fresh] =
        overfull_.try_emplace({job.node, resource}, overfull{event.round, text});
    // Whoever leases more of a node that is too full already does not know that it is.
    if (!fresh && known->second.round < event.round) findings_.push_back({"D5", std::move(text)});
  }
  if (job.gang.empty()) return;
  open_gangs_.insert(job.gang);
  gangs_[job.gang].leased.insert(id);
}

void log_story::run_over(const std::string& id, std::uint32_t run, std::string_view what) {
  const auto at = jobs_.find(id);
  if (at == jobs_.end())
    return note("D1", std::string{what} + " of job " + id + ", which nobody submitted");
  if (!at->second.active || at->second.last_run != run)
    note("D4", std::string{what} + " of run " + name_of_run(id, run) + ", which is not active");
  release(at->second);
}

void log_story::terminal(const std::string& id, std::string_view what, std::string why) {
  const auto at = jobs_.find(id);
  if (at == jobs_.end())
    return note("D1", std::string{what} + " of job " + id + ", which nobody submitted");
  auto& job = at->second;
  if (++job.terminals > 1)
    note("D4",
         "job " + id + " ends a second time: " + job.terminal + ", then " + std::string{what});
  release(job);
  job.terminal = what;
  job.why = std::move(why);
}

void log_story::release(job_story& job) {
  if (!job.active) return;
  job.active = false;
  auto& node = nodes_[job.node];
  for (const auto& [resource, amount] : job.requests) node.used[resource] -= amount;
  if (!overfull_.empty()) judge_room(job.node);
}

void log_story::nodes(const model::nodes_changed& event) {
  for (const auto& node : event.set) {
    auto& known = nodes_[event.cluster + "/" + node.name].capacity;
    known.clear();
    for (const auto& [resource, amount] : node.allocatable) known[resource] = amount;
  }
}

/// The leases of a gang stand in one record, so that what is missing in it never comes.
void log_story::judge_gangs() {
  for (const auto& name : open_gangs_) {
    auto& gang = gangs_[name];
    judge_gang(name, gang);
    gang.started = true;
    gang.leased.clear();
  }
  open_gangs_.clear();
}

void log_story::judge_gang(const std::string& name, const gang_story& gang) {
  if (!gang.started) {
    if (gang.leased.size() < gang.minimum)
      note("D6", std::to_string(gang.leased.size()) + " of " + std::to_string(gang.minimum) +
                     " members of gang " + name + " start");
    return;
  }
  for (const auto& id : gang.members)
    if (!gang.leased.contains(id) && jobs_[id].terminal.empty())
      note("D6", "gang " + name + " begins again without its member " + id);
}

}  // namespace argosy::witness
