// SPDX-License-Identifier: Apache-2.0
#include "actors/hello_parts.hpp"

#include <iterator>
#include <utility>

namespace argosy::actors {

namespace {

/// With parts of some MiB far more than any cluster has to say.
constexpr std::uint32_t parts_max = 64;

template <class T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

result<std::optional<model::agent_hello>> hello_parts::add(codec::hello_part part) {
  const auto cluster = part.hello.cluster.name;
  const auto incarnation = part.hello.cluster.incarnation;
  auto& agents = open_[cluster];
  if (part.number == 0) {
    agents.insert_or_assign(incarnation, open_hello{std::move(part.hello), 1});
  } else {
    const auto found = agents.find(incarnation);
    if (found == agents.end() || found->second.next != part.number ||
        found->second.hello.said_ns != part.hello.said_ns || part.number >= parts_max) {
      if (found != agents.end() && part.number >= parts_max) agents.erase(found);
      if (agents.empty()) open_.erase(cluster);
      return fail(ec::invalid_argument, "part " + std::to_string(part.number) +
                                            " of a hello of cluster '" + cluster +
                                            "' does not continue one; begin again");
    }
    ++found->second.next;
    append(found->second.hello.nodes, part.hello.nodes);
    append(found->second.hello.runs, part.hello.runs);
  }
  if (part.more) return std::optional<model::agent_hello>{};
  auto whole = std::move(agents.at(incarnation).hello);
  // Also what an older agent of the name, or one that died, left unfinished.
  open_.erase(cluster);
  return std::optional{std::move(whole)};
}

}  // namespace argosy::actors
