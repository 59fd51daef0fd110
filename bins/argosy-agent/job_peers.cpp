// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-agent/job_peers.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "runtime/access/loopback_peer.hpp"
#include "runtime/backends/run/cgroup.hpp"
#include "runtime/model/process_plan.hpp"

namespace argosy::agent {

namespace {

/// To look through the groups of all runs takes thousands of system calls on a large machine. So it
/// is done once in a second for whoever connects again and again; a group never moves, and its
/// number is not given to another one.
class known_groups {
 public:
  [[nodiscard]] bool is_agents(std::uint64_t group) {
    const std::lock_guard lock{mutex_};
    const auto now = std::chrono::steady_clock::now();
    if (now >= until_) known_.clear();
    if (known_.empty()) until_ = now + std::chrono::seconds{1};
    const auto [found, is_new] = known_.try_emplace(group);
    if (is_new) found->second = backends::is_agents_cgroup(backends::cgroup_prefix, group);
    return found->second;
  }

 private:
  std::mutex mutex_;
  std::chrono::steady_clock::time_point until_;
  std::unordered_map<std::uint64_t, bool> known_;
};

}  // namespace

std::function<bool(int socket)> admits_no_job(const settings::agent_settings& from) {
  const auto own = model::parse_id_range(from.process.uid_range);
  return [own, groups = std::make_shared<known_groups>()](int socket) {
    const auto peer = access::local_peer_of(socket);
    if (!peer) return !access::is_loopback(socket);
    if (own && peer->uid >= own->first && peer->uid <= own->last) return false;
    return !groups->is_agents(peer->cgroup);
  };
}

}  // namespace argosy::agent
