// SPDX-License-Identifier: Apache-2.0
#include "messages/native/contact_board.hpp"

#include <set>
#include <string>
#include <utility>

#include "runtime/model/served_namespaces.hpp"

namespace argosy::native {

cluster_contact contact_of(const ledger::cluster_core& cluster, std::int64_t heard_ns) {
  auto trouble = cluster.trouble();
  if (const auto runs = cluster.lapsing_count(); runs > 0)
    trouble.lacks += (trouble.lacks.empty() ? "" : "; and ") +
                     std::string{"its agent has no record of "} + std::to_string(runs) +
                     (runs == 1 ? " run" : " runs") +
                     " that an earlier one was given: what is left of them is found, or they count "
                     "as gone, once the lease of that one has passed";
  return {cluster.info().pool,
          cluster.contact(),
          heard_ns,
          cluster.last_contact(),
          static_cast<std::uint32_t>(cluster.node_infos().size()),
          static_cast<std::uint32_t>(cluster.run_count()),
          std::move(trouble),
          cluster.info().namespaces,
          cluster.all_closures().all(),
          cluster.info().traits()};
}

cluster_status status_of(const model::cluster_info& cluster, const cluster_contact& contact) {
  cluster_status out{cluster, state_of(contact), contact.nodes, contact.runs, contact.heard_ns};
  if (contact.state == ledger::contact_state::connected) out.trouble = contact.trouble;
  out.closures = contact.closures;
  return out;
}

void contact_board::put(const model::cluster_name& cluster, const cluster_contact& contact) {
  const std::lock_guard guard{mutex_};
  contacts_[cluster] = contact;
}

void contact_board::erase(const model::cluster_name& cluster) {
  const std::lock_guard guard{mutex_};
  contacts_.erase(cluster);
}

std::optional<cluster_contact> contact_board::find(const model::cluster_name& cluster) const {
  const std::lock_guard guard{mutex_};
  const auto found = contacts_.find(cluster);
  if (found == contacts_.end()) return std::nullopt;
  return found->second;
}

std::map<model::cluster_name, cluster_contact> contact_board::all() const {
  const std::lock_guard guard{mutex_};
  return contacts_;
}

std::string usual_namespace(const contact_board& contacts) {
  const std::string usual = "default";
  std::set<std::string> named;
  for (const auto& [cluster, contact] : contacts.all()) {
    if (contact.traits.ignores_namespaces && contact.namespaces.empty()) continue;
    if (model::serves(contact.namespaces, usual)) return usual;
    named.insert(contact.namespaces.begin(), contact.namespaces.end());
  }
  const bool is_one = named.size() == 1 && named.begin()->find('*') == std::string::npos;
  return is_one ? *named.begin() : usual;
}

std::vector<model::cluster_name> contact_board::serving(const std::string& name_space,
                                                        const model::cluster_name& but) const {
  std::vector<model::cluster_name> out;
  const std::lock_guard guard{mutex_};
  for (const auto& [cluster, contact] : contacts_)
    if (cluster != but && contact.state != ledger::contact_state::gone &&
        !contact.traits.ignores_namespaces && model::serves(contact.namespaces, name_space))
      out.push_back(cluster);
  return out;
}

bool out_of_contact(const cluster_contact& contact) noexcept {
  return contact.state == ledger::contact_state::silent ||
         contact.state == ledger::contact_state::expected || is_away(contact);
}

bool is_away(const cluster_contact& contact) noexcept {
  return contact.state == ledger::contact_state::connected && !contact.trouble.why.empty();
}

std::int64_t known_ns(const cluster_contact& contact) noexcept {
  return is_away(contact) ? contact.trouble.since_ns : contact.heard_ns;
}

const char* state_of(const cluster_contact& contact) noexcept {
  return is_away(contact) ? "away" : to_string(contact.state);
}

const char* to_string(ledger::contact_state state) noexcept {
  switch (state) {
    case ledger::contact_state::expected:
      return "expected";
    case ledger::contact_state::connected:
      return "connected";
    case ledger::contact_state::silent:
      return "silent";
    case ledger::contact_state::gone:
      return "gone";
  }
  return "";
}

}  // namespace argosy::native
