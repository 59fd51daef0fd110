// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/guest_list.hpp"

#include <iterator>

namespace argosy::rpc {

namespace {

/// So many blocks are remembered; those of more share one budget.
constexpr std::size_t blocks_max = 4'096;

}  // namespace

bool guest_list::has_place() const {
  const std::scoped_lock lock{guard_};
  return known_.size() + strangers_.size() < bounds_.all_max;
}

std::optional<connection_id> guest_list::add(connection_id who,
                                             const border::address_block& block) {
  const std::scoped_lock lock{guard_};
  strangers_.add(who, block);
  if (strangers_.size() <= bounds_.strangers_max) return std::nullopt;
  const auto gone = strangers_.first_to_go();
  if (gone) strangers_.remove(*gone);
  return gone;
}

std::shared_ptr<byte_pool> guest_list::let_in(connection_id who, std::string_view name) {
  const std::scoped_lock lock{guard_};
  auto found = users_.find(name);
  if (found == users_.end())
    found = users_.emplace(name, user{0, std::make_shared<byte_pool>(bounds_.user_held_max, held_)})
                .first;
  auto& his = found->second;
  if (his.connections >= bounds_.user_max) return nullptr;
  strangers_.remove(who);
  if (known_.emplace(who, name).second) ++his.connections;
  return his.held;
}

void guest_list::remove(connection_id who) {
  const std::scoped_lock lock{guard_};
  strangers_.remove(who);
  const auto found = known_.find(who);
  if (found == known_.end()) return;
  const auto his = users_.find(found->second);
  if (--his->second.connections == 0) users_.erase(his);
  known_.erase(found);
}

bool guest_list::may_reset(const border::address_block& from, boot_time now) {
  const std::scoped_lock lock{guard_};
  auto found = resets_.find(from);
  if (found == resets_.end()) {
    if (resets_.size() >= blocks_max) forget_quiet_blocks(now);
    const auto& under = resets_.size() < blocks_max ? from : border::address_block{};
    found = resets_.try_emplace(under, bounds_.resets).first;
  }
  return found->second.take(now);
}

void guest_list::forget_quiet_blocks(boot_time now) {
  for (auto each = resets_.begin(); each != resets_.end();)
    each = each->second.full(now) ? resets_.erase(each) : std::next(each);
}

std::size_t guest_list::strangers() const {
  const std::scoped_lock lock{guard_};
  return strangers_.size();
}

std::size_t guest_list::known() const {
  const std::scoped_lock lock{guard_};
  return known_.size();
}

}  // namespace argosy::rpc
