// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/claim_policy.hpp"

#include <algorithm>

namespace argosy::ledger {

namespace {

constexpr std::string_view remedy =
    "; start that one again, or, if it is gone for good, stop this one and decide with 'argosyd "
    "recover --accept-loss' on its data directory";

claim_verdict refused(std::string why) {
  return {claim_right::none, std::move(why)};
}

/// The leader that was met of this control plane.
std::optional<leader_standing> met_of(const claim_facts& facts) {
  if (facts.met && why_foreign(*facts.met, facts.store).empty()) return facts.met;
  return std::nullopt;
}

bool led_last(const claim_facts& facts, const std::optional<leader_standing>& met) {
  if (met && met->epoch >= facts.store.epoch) return false;
  return plane_of(facts.store.holder) == facts.plane;
}

}  // namespace

claim_verdict judge_claim(const claim_facts& facts) {
  const auto& store = facts.store;
  const auto met = met_of(facts);
  const auto newest = std::max(store.epoch, met ? met->epoch : model::epoch{});
  if (!facts.accepted_epoch.is_zero() && newest <= facts.accepted_epoch)
    return {claim_right::everything, {}};
  if (met && met->control_plane.empty())
    return refused("the leader '" + std::string{process_of(met->holder)} +
                   "' is of another version of argosyd, which does not tell how far it has come" +
                   std::string{remedy});
  if (!facts.granted.is_zero()) return {claim_right::everything, {}};
  if (facts.has_planes)
    return refused(
        "several planes decide together who leads, and have not granted it to this one; start the "
        "others, or, if they are gone for good, stop this one and decide with 'argosyd recover "
        "--accept-loss' on its data directory");
  if (led_last(facts, met)) return {claim_right::everything, {}};
  // An operator has put a backup there, of which recovery knows that it is one.
  if (!met && (store.position.is_zero() || store.is_copy)) return {claim_right::everything, {}};
  // The log lacks nothing if the server has not started anew since the last claim in it.
  const bool unheard = !met || met->epoch < store.epoch;
  if (unheard && !facts.server_id.empty() && server_of(store.holder) == facts.server_id)
    return {claim_right::go_on, {}};
  if (!met)
    return refused("'" + std::string{process_of(store.holder)} +
                   "' led last and was never heard by this process, so that changes that it "
                   "acknowledged may be missing from the log" +
                   std::string{remedy});
  if (facts.server_id.empty() || met->server_id != facts.server_id)
    return refused("the nats-server was started anew since the leader '" +
                   std::string{process_of(met->holder)} +
                   "' was heard, or this is another one, so that its log may lack changes that "
                   "this process does not have either" +
                   std::string{remedy});
  return {claim_right::go_on, {}};
}

claim_verdict judge_end(const claim_facts& facts, model::log_generation generation,
                        model::log_position position) {
  auto verdict = judge_claim(facts);
  if (verdict.right != claim_right::go_on) return verdict;
  const auto met = met_of(facts);
  if (!met || (position >= met->position && generation >= met->generation)) return verdict;
  return refused("the log ends at record " + to_string(position) + " of generation " +
                 to_string(generation) + ", but the leader '" +
                 std::string{process_of(met->holder)} + "' was heard at " +
                 to_string(met->position) + " of generation " + to_string(met->generation) +
                 std::string{remedy});
}

std::string why_foreign(const leader_standing& heard, const store_standing& store) {
  if (heard.control_plane.empty() || store.control_plane.empty() ||
      heard.control_plane == store.control_plane)
    return {};
  return "the leader '" + std::string{process_of(heard.holder)} +
         "' is of another control plane, " + heard.control_plane +
         ", than this data directory, which is of " + store.control_plane +
         "; give each control plane a nats-server or account of its own, or this process an empty "
         "data directory";
}

std::optional<leader_standing> remembered(const leader_standing& heard,
                                          const std::optional<leader_standing>& before,
                                          const store_standing& store) {
  if (!why_foreign(heard, store).empty()) return before;
  if (!before || !why_foreign(*before, store).empty()) return heard;
  if (heard.control_plane.empty()) {
    auto out = *before;
    out.holder = heard.holder;
    out.control_plane.clear();
    return out;
  }
  if (before->control_plane.empty()) return heard.epoch >= before->epoch ? heard : before;
  if (before->control_plane != heard.control_plane) return heard;
  if (heard.epoch != before->epoch) return heard.epoch > before->epoch ? heard : before;
  const bool is_farther = heard.position > before->position ||
                          heard.generation > before->generation ||
                          heard.server_id != before->server_id;
  return is_farther ? heard : before;
}

std::string why_unmended(std::string_view holder) {
  return "the log lacks what the leader '" + std::string{process_of(holder)} +
         "' had, and only that one's data directory can make up for it" + std::string{remedy};
}

std::string holder_text(std::string_view process, std::string_view plane,
                        std::string_view server_id) {
  return std::string{process} + "/" + std::string{plane} + "/" + std::string{server_id};
}

namespace {

/// The part behind so many slashes; empty if there are fewer.
std::string_view part_of(std::string_view holder, int slashes) {
  for (; slashes > 0; --slashes) {
    const auto slash = holder.find('/');
    if (slash == std::string_view::npos) return {};
    holder.remove_prefix(slash + 1);
  }
  return holder.substr(0, holder.find('/'));
}

}  // namespace

std::string_view process_of(std::string_view holder) {
  const auto slash = holder.find('/');
  if (slash == std::string_view::npos) return holder;
  return holder.substr(0, holder.find('/', slash + 1));
}

std::string_view plane_of(std::string_view holder) {
  return part_of(holder, 2);
}

std::string_view server_of(std::string_view holder) {
  return part_of(holder, 3);
}

}  // namespace argosy::ledger
