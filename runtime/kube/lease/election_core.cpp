// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/lease/election_core.hpp"

#include <algorithm>
#include <utility>

#include "runtime/kube/answers.hpp"

namespace argosy::kube {

namespace {

constexpr int http_unauthenticated = 401;
constexpr int http_forbidden = 403;
constexpr int http_not_found = 404;
constexpr int http_conflict = 409;
/// How often in a row the object is looked at again without a pause.
constexpr unsigned hurries_max = 3;

error refusal(const answer& from) {
  if (from.status == http_forbidden)
    return {ec::denied,
            server_message(from) +
                "; give the agent's user the right, as the table of rights in config/KUBERNETES.md "
                "has it"};
  return {from.status == http_unauthenticated ? ec::denied : ec::unreachable, server_message(from)};
}

}  // namespace

result<void> validate(const election_rules& rules) {
  if (rules.name.empty() || rules.name_space.empty() || rules.identity.empty())
    return fail(ec::invalid_argument, "a lease needs a name, a namespace and who asks for it");
  if (rules.retry.count() <= 0 || rules.retry >= rules.renew_within)
    return fail(ec::invalid_argument,
                "the pause between two renewals has to be shorter than the time within which one "
                "has to succeed");
  if (rules.renew_within >= rules.duration)
    return fail(ec::invalid_argument,
                "the time within which a renewal has to succeed has to be shorter than the lease, "
                "or two replicas would act at once");
  return {};
}

bool election_core::was_ours() const noexcept {
  return seen_.holder == rules_.identity ||
         (seen_.holder.empty() && seen_.released_by == rules_.identity);
}

bool election_core::may_take(boot_time now) const noexcept {
  if (absent_ || seen_.holder.empty() || seen_.holder == rules_.identity) return true;
  const auto wait = seen_.duration.count() > 0 ? seen_.duration : rules_.duration;
  return now - seen_at_ >= wait;
}

request election_core::look() {
  asked_ = asked::get;
  return get_lease(rules_.name_space, rules_.name);
}

request election_core::claim(wall_time wall) {
  lease_claim out{.holder = rules_.identity, .duration = rules_.duration};
  out.acquires = standing_ != standing::leading;
  if (absent_) {
    asked_ = asked::create;
    return create_lease(rules_.name_space, rules_.name, out, wall);
  }
  asked_ = asked::update;
  out.transitions = seen_.transitions + (was_ours() ? 0 : 1);
  return update_lease(rules_.name_space, rules_.name, seen_, out, wall);
}

std::optional<request> election_core::tick(boot_time now, wall_time wall) {
  if (standing_ == standing::leading && now >= held_until_) lose();
  if (standing_ == standing::lost || asked_ != asked::nothing || now < due_) return std::nullopt;
  sent_at_ = now;
  if (stale_ || !may_take(now)) return look();
  return claim(wall);
}

void election_core::saw(lease_record record, boot_time now) {
  const bool same = known_ && record.version == seen_.version && record.uid == seen_.uid;
  seen_ = std::move(record);
  if (!same) seen_at_ = now;
  known_ = true;
  absent_ = false;
  if (standing_ == standing::leading && seen_.holder != rules_.identity) lose();
}

void election_core::won(lease_record record, boot_time now) {
  saw(std::move(record), now);
  if (seen_.holder != rules_.identity) return;
  if (term_.empty()) term_ = seen_.uid + "/" + std::to_string(seen_.transitions);
  standing_ = standing::leading;
  held_until_ = sent_at_ + rules_.renew_within;
}

void election_core::lose() noexcept {
  standing_ = standing::lost;
}

void election_core::answered(const result<answer>& got, boot_time now) {
  const auto what = std::exchange(asked_, asked::nothing);
  // A renewal that comes too late is as good as none: another replica may be about to act.
  if (standing_ == standing::leading && now >= held_until_) lose();
  if (standing_ == standing::lost) return;
  due_ = now + rules_.retry;
  trouble_.reset();
  if (!got) {
    // It may have taken effect all the same.
    stale_ = true;
    trouble_ = got.error();
    return;
  }
  if (got->ok()) {
    auto record = read_lease(got->body);
    if (!record) {
      stale_ = true;
      trouble_ = std::move(record.error());
      return;
    }
    if (what == asked::get)
      saw(std::move(*record), now);
    else
      won(std::move(*record), now);
    stale_ = false;
    hurries_ = 0;
    // What can be taken is taken at once. Otherwise the next look is at the usual time.
    if (standing_ == standing::waiting) stale_ = !may_take(now);
    if (what == asked::get && !stale_) due_ = now;
    return;
  }
  absent_ = got->status == http_not_found && what == asked::get;
  known_ = known_ && got->status != http_not_found;
  stale_ = !absent_;
  const bool overtaken = got->status == http_conflict || got->status == http_not_found;
  // An object that cannot be made, since its namespace is missing, is not there each time.
  const bool in_vain = what == asked::create && got->status == http_not_found;
  if (overtaken && !in_vain && hurries_++ < hurries_max)
    due_ = now;
  else
    trouble_ = refusal(*got);
}

std::optional<request> election_core::release(boot_time now, wall_time wall) {
  const bool held = standing_ == standing::leading && now < held_until_ && known_;
  lose();
  if (!held) return std::nullopt;
  lease_claim out{.duration = std::chrono::seconds{1},
                  .transitions = seen_.transitions,
                  .released_by = rules_.identity};
  return update_lease(rules_.name_space, rules_.name, seen_, out, wall);
}

boot_time election_core::held_until() const noexcept {
  return standing_ == standing::leading ? held_until_ : boot_time::min();
}

boot_time election_core::next_due() const noexcept {
  if (standing_ == standing::lost) return boot_time::max();
  const auto due = asked_ == asked::nothing ? due_ : boot_time::max();
  return standing_ == standing::leading ? std::min(due, held_until_) : due;
}

}  // namespace argosy::kube
