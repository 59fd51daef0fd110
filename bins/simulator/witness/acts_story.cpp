// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/witness/acts_story.hpp"

#include <algorithm>

namespace argosy::witness {

namespace {

/// So many rounds may have begun before they are told of a change.
constexpr std::uint64_t rounds_under_way = 3;

}  // namespace

void acts_story::set_queue(const model::queue_settings& settings) {
  deleted_queues_.erase(settings.name);
  if (settings.cordoned)
    closed_queues_.insert(settings.name);
  else
    closed_queues_.erase(settings.name);
}

void acts_story::delete_queue(const std::string& queue) {
  deleted_queues_.insert(queue);
  closed_queues_.erase(queue);
}

std::string acts_story::submit(const std::string& job, const std::string& queue) const {
  if (!deleted_queues_.contains(queue)) return {};
  return "job " + job + " is submitted to queue " + queue + ", which was deleted";
}

void acts_story::cordon(const model::cordon_changed& event) {
  const std::pair<std::string, std::string> place{event.cluster, event.node};
  if (event.on)
    cordons_.try_emplace(place, round_);
  else
    cordons_.erase(place);
}

void acts_story::leave(const std::string& cluster) {
  std::erase_if(cordons_, [&](const auto& one) {
    return one.first.first == cluster && !one.first.second.empty();
  });
}

void acts_story::hold(const std::string& job, bool on) {
  if (on)
    held_.insert(job);
  else
    held_.erase(job);
}

void acts_story::change_settings(std::uint64_t version) {
  version_ = version;
  version_round_ = round_;
}

std::string acts_story::decide(const model::round_decided& event) {
  round_ = std::max(round_, event.number);
  if (version_ == 0 || event.config_version == version_ ||
      event.number <= version_round_ + rounds_under_way)
    return {};
  return "round " + std::to_string(event.number) + " goes by settings " +
         std::to_string(event.config_version) + ", and since round " +
         std::to_string(version_round_) + " those are " + std::to_string(version_);
}

const std::uint64_t* acts_story::closed_since(const std::string& cluster,
                                              const std::string& node) const {
  for (const auto& name : {node, std::string{}})
    if (const auto at = cordons_.find({cluster, name}); at != cordons_.end()) return &at->second;
  return nullptr;
}

std::string acts_story::lease(const model::job_leased& event, const std::string& queue) const {
  const auto job = to_string(event.run.job);
  if (closed_queues_.contains(queue))
    return "job " + job + " starts though its queue " + queue + " is cordoned";
  if (held_.contains(job)) return "job " + job + " starts though it is held";
  const auto* since = closed_since(event.cluster, event.node);
  if (since == nullptr || event.round <= *since + rounds_under_way) return {};
  return "round " + std::to_string(event.round) + " starts job " + job + " on " + event.cluster +
         "/" + event.node + ", which is cordoned since round " + std::to_string(*since);
}

}  // namespace argosy::witness
