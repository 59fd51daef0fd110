// SPDX-License-Identifier: Apache-2.0
// The acts story is what the log tells of the acts of operators: what they closed, and what started
// there nevertheless. It is a part of the log story.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "runtime/model/event.hpp"

namespace argosy::witness {

class acts_story {
 public:
  // Each function takes an event, in the order of the log, and returns in words what it breaks;
  // empty: nothing.

  void set_queue(const model::queue_settings& settings);
  void delete_queue(const std::string& queue);
  [[nodiscard]] std::string submit(const std::string& job, const std::string& queue) const;
  void cordon(const model::cordon_changed& event);
  /// The cluster has left, which ends the cordons of its nodes.
  void leave(const std::string& cluster);
  void hold(const std::string& job, bool on);
  [[nodiscard]] std::string lease(const model::job_leased& event, const std::string& queue) const;
  void change_settings(std::uint64_t version);
  [[nodiscard]] std::string decide(const model::round_decided& event);

 private:
  /// Says since which round a place is closed for what is decided later; null: it is open.
  [[nodiscard]] const std::uint64_t* closed_since(const std::string& cluster,
                                                  const std::string& node) const;

  std::set<std::string> deleted_queues_;
  std::set<std::string> closed_queues_;
  std::set<std::string> held_;
  /// By cluster and node, of which the latter is empty for a whole cluster: the newest round when
  /// it was cordoned.
  std::map<std::pair<std::string, std::string>, std::uint64_t> cordons_;
  std::uint64_t round_ = 0;
  std::uint64_t version_ = 0;        ///< The version of the settings; 0: nothing was told of any.
  std::uint64_t version_round_ = 0;  ///< The newest round when they changed.
};

}  // namespace argosy::witness
