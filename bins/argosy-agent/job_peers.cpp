// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-agent/job_peers.hpp"

#include "runtime/access/loopback_peer.hpp"
#include "runtime/backends/run/cgroup.hpp"
#include "runtime/model/process_plan.hpp"

namespace argosy::agent {

std::function<bool(int socket)> admits_no_job(const settings::agent_settings& from) {
  const auto own = model::parse_id_range(from.process.uid_range);
  return [own](int socket) {
    const auto peer = access::local_peer_of(socket);
    if (!peer) return !access::is_loopback(socket);
    if (own && peer->uid >= own->first && peer->uid <= own->last) return false;
    return !backends::is_agents_cgroup(backends::cgroup_prefix, peer->cgroup);
  };
}

}  // namespace argosy::agent
