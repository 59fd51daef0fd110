// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/agent/hello_parts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace argosy::codec {

namespace {

/// Where frames are small, a hello has many parts.
constexpr std::uint32_t parts_max = 4'096;

/// Tells an agent that beginning again does not help, since its hello is too large alone.
error too_large(const std::string& cluster, std::size_t bytes, std::uint32_t parts,
                std::size_t bytes_max) {
  return {ec::too_large, "the hello of cluster '" + cluster + "' has " + std::to_string(bytes) +
                             " bytes in its first " + std::to_string(parts) +
                             " parts, and argosyd takes " + std::to_string(bytes_max) +
                             " bytes in " + std::to_string(parts_max) +
                             " parts: divide its nodes among several clusters, each with an agent "
                             "of its own"};
}

template <class T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

void hello_parts::forget(agent_map& agents, agent_map::iterator which) {
  bytes_ -= which->second.bytes;
  agents.erase(which);
}

void hello_parts::forget_old(boot_time now) {
  for (auto& [cluster, agents] : open_)
    for (auto it = agents.begin(); it != agents.end();) {
      const auto which = it++;
      if (now - which->second.last_at >= limits_.age_max) forget(agents, which);
    }
  std::erase_if(open_, [](const auto& item) { return item.second.empty(); });
}

result<std::optional<model::agent_hello>> hello_parts::add(codec::hello_part part,
                                                           std::size_t bytes, boot_time now) {
  forget_old(now);
  const auto cluster = part.hello.cluster.name;
  auto& agents = open_[cluster];
  auto out = add(std::move(part), bytes, now, agents);
  if (out && *out)  // This also drops what an older agent of the name left unfinished.
    while (!agents.empty()) forget(agents, agents.begin());
  if (agents.empty()) open_.erase(cluster);
  return out;
}

result<std::optional<model::agent_hello>> hello_parts::add(codec::hello_part part,
                                                           std::size_t bytes, boot_time now,
                                                           agent_map& agents) {
  const auto incarnation = part.hello.cluster.incarnation;
  auto found = agents.find(incarnation);
  if (part.number == 0) {
    if (found != agents.end()) forget(agents, found);
    if (!part.more) return std::optional{std::move(part.hello)};
    if (agents.size() >= limits_.per_cluster)
      forget(agents, std::min_element(agents.begin(), agents.end(), [](auto& a, auto& b) {
               return a.second.last_at < b.second.last_at;
             }));
    bytes += sizeof(open_hello);
  } else if (found == agents.end() || found->second.next != part.number ||
             found->second.hello.said_ns != part.hello.said_ns) {
    return fail(ec::invalid_argument, "part " + std::to_string(part.number) +
                                          " of a hello of cluster '" + part.hello.cluster.name +
                                          "' does not continue one; begin again");
  }
  if (const auto own = bytes + (part.number > 0 ? found->second.bytes : 0);
      (part.more && own > limits_.bytes_max) || part.number >= parts_max) {
    if (part.number > 0) forget(agents, found);
    return fail(too_large(part.hello.cluster.name, own, part.number + 1, limits_.bytes_max));
  }
  if (part.more && bytes > limits_.bytes_max - bytes_) {
    if (part.number > 0) forget(agents, found);
    return fail(ec::overloaded, "part " + std::to_string(part.number) + " of a hello of cluster '" +
                                    part.hello.cluster.name +
                                    "' does not fit beside other unfinished ones; begin again");
  }
  if (part.number == 0) {
    found = agents.emplace(incarnation, open_hello{std::move(part.hello)}).first;
  } else {
    ++found->second.next;
    append(found->second.hello.nodes, part.hello.nodes);
    append(found->second.hello.runs, part.hello.runs);
  }
  if (!part.more) return std::optional{std::move(found->second.hello)};
  found->second.bytes += bytes;
  found->second.last_at = now;
  bytes_ += bytes;
  return std::optional<model::agent_hello>{};
}

}  // namespace argosy::codec
