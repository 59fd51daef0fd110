// SPDX-License-Identifier: Apache-2.0
#include "messages/view/search/job_scan.hpp"

#include <algorithm>

#include "messages/view/job_set_counts.hpp"
#include "messages/view/search/conditions.hpp"
#include "messages/view/search/key_prefixes.hpp"
#include "messages/view/search/postings.hpp"
#include "messages/view/search/queue_jobs.hpp"
#include "messages/view/view_keys.hpp"

namespace argosy::view {

namespace {

using model::job_condition;
using model::job_field;
using model::job_match;
using model::job_state;
using store::table;

/// More streams than this cost more than they save.
constexpr std::size_t streams_max = 64;

bool names_values(const job_condition& condition, job_field field) {
  return condition.field == field && condition.match == job_match::any_of && !condition.negated;
}

/// The condition that names values of this field, if there is one.
const job_condition* named(const std::vector<job_condition>& all, job_field field) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const auto& one) { return names_values(one, field); });
  return found == all.end() ? nullptr : &*found;
}

/// The condition that says most about the field, if there is one.
const job_condition* telling(const std::vector<job_condition>& all, job_field field) {
  if (const auto* names = named(all, field)) return names;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) {
    return one.field == field && !one.negated && one.match != job_match::exists;
  });
  return found == all.end() ? nullptr : &*found;
}

/// Whether only jobs that have a reason meet the condition.
bool asks_for_reason(const job_condition& one) {
  return one.field == job_field::reason && !one.negated &&
         std::none_of(one.texts.begin(), one.texts.end(),
                      [](const auto& text) { return text.empty(); });
}

result<void> add(std::vector<id_stream_ptr>& to, result<id_stream_ptr> stream) {
  if (!stream) return fail(stream.error());
  to.push_back(std::move(*stream));
  return {};
}

}  // namespace

job_scan::job_scan(model::job_conditions conditions, direction way,
                   const std::optional<ulid>& after)
    : conditions_(std::move(conditions)), way_(way) {
  if (way_ == direction::down) from_.bytes.fill(0xff);
  at_ = after;
  if (after) over_ = !move_on();
}

bool job_scan::move_on() {
  const auto next = next_id(*at_, way_);
  if (next) from_ = *next;
  return next.has_value();
}

bool job_scan::wants(job_state state) const {
  return std::all_of(conditions_.all.begin(), conditions_.all.end(), [&](const auto& one) {
    if (asks_for_reason(one)) return model::can_have_reason(state);
    if (one.field != job_field::state) return true;
    const bool listed = std::find(one.states.begin(), one.states.end(), state) != one.states.end();
    return listed != one.negated;
  });
}

bool job_scan::wants_all_states() const {
  for (std::size_t i = 0; i < job_states; ++i)
    if (!wants(static_cast<job_state>(i))) return false;
  return true;
}

/// The jobs that have ended in a wanted state. Most jobs succeed, so that the others are looked for
/// by their postings.
result<void> job_scan::add_ended(store::read_txn& txn, std::vector<id_stream_ptr>& any) const {
  std::vector<job_state> states;
  for (std::size_t i = 0; i < job_states; ++i)
    if (const auto state = static_cast<job_state>(i); model::is_terminal(state) && wants(state))
      states.push_back(state);
  if (states.empty()) return {};
  auto ended = ids_in_table(txn, table::jobs_done, {}, way_);
  if (!ended || wants(job_state::succeeded)) return add(any, std::move(ended));
  const auto prefixes = ended_prefixes(txn, states);
  if (!prefixes) return fail(prefixes.error());
  if (!*prefixes) return add(any, std::move(ended));
  std::vector<id_stream_ptr> posted;
  for (const auto& prefix : **prefixes)
    if (auto ok = add(posted, ids_in_table(txn, table::job_postings, prefix, way_)); !ok) return ok;
  // The table has their records.
  std::vector<id_stream_ptr> both;
  both.push_back(any_of(std::move(posted), way_));
  both.push_back(std::move(*ended));
  any.push_back(all_of(std::move(both)));
  return {};
}

/// The jobs of the tables that can have a wanted state.
result<id_stream_ptr> job_scan::in_states(store::read_txn& txn) const {
  bool live = false;
  bool queued = false;
  for (std::size_t i = 0; i < job_states; ++i) {
    const auto state = static_cast<job_state>(i);
    if (!wants(state)) continue;
    live |= !model::is_terminal(state);
    queued |= state == job_state::queued;
  }
  std::vector<id_stream_ptr> any;
  if (live) {
    const auto in = queued ? table::jobs_live : table::jobs_placed;
    if (auto ok = add(any, ids_in_table(txn, in, {}, way_)); !ok) return fail(ok.error());
  }
  if (auto ok = add_ended(txn, any); !ok) return fail(ok.error());
  return any_of(std::move(any), way_);
}

result<id_stream_ptr> job_scan::with_tag(store::read_txn& txn, const job_condition& tag) const {
  std::vector<id_stream_ptr> any;
  for (const auto& value : tag.texts)
    if (auto ok = add(any, ids_in_table(txn, table::job_postings,
                                        tag_prefix(tag.field, tag.key, value), way_));
        !ok)
      return fail(ok.error());
  auto ok = add(any, ids_in_table(txn, table::job_postings, unkeyed_tags_prefix(), way_));
  if (!ok) return fail(ok.error());
  return any_of(std::move(any), way_);
}

result<void> job_scan::learn_names(store::read_txn& txn) {
  if (knows_names_) return {};
  if (const auto* set = telling(conditions_.all, job_field::job_set)) {
    auto found = set_prefixes(txn, *set, named(conditions_.all, job_field::queue));
    if (!found) return fail(found.error());
    sets_ = std::move(*found);
  }
  if (const auto* owner = telling(conditions_.all, job_field::owner)) {
    auto found = owner_prefixes(txn, *owner);
    if (!found) return fail(found.error());
    owners_ = std::move(*found);
  }
  knows_names_ = true;
  return {};
}

/// Adds the ids that stand under one of the prefixes.
result<void> job_scan::add_under(store::read_txn& txn, table in,
                                 const std::vector<std::string>& prefixes,
                                 std::vector<id_stream_ptr>& all) const {
  std::vector<id_stream_ptr> any;
  for (const auto& prefix : prefixes)
    if (auto ok = add(any, ids_in_table(txn, in, prefix, way_)); !ok) return ok;
  all.push_back(any_of(std::move(any), way_));
  return {};
}

/// The ids that can meet the conditions. Which of them do is asked afterwards.
result<id_stream_ptr> job_scan::candidates(store::read_txn& txn) {
  std::vector<id_stream_ptr> all;
  result<void> ok;
  // The tables of the states leap over jobs in others, and have records.
  bool join_states = !wants_all_states();
  if (const auto* id = named(conditions_.all, job_field::id)) {
    std::vector<ulid> ids;
    for (const auto& text : id->texts)
      if (const auto known = parse_ulid(text)) ids.push_back(*known);
    all.push_back(ids_in_list(std::move(ids), way_));
  } else {
    ok = learn_names(txn);
    if (ok && owners_) {
      ok = add_under(txn, table::job_postings, *owners_, all);
      join_states = true;
    }
    const auto* queue = named(conditions_.all, job_field::queue);
    if (ok && sets_) {
      ok = add_under(txn, table::job_sets, *sets_, all);
      join_states = true;
    } else if (ok && queue != nullptr && queue->texts.size() * job_states <= streams_max) {
      const auto can_be_wanted = [this](job_state state) { return wants(state); };
      ok = add(all, ids_in_queues(txn, queue->texts, can_be_wanted, way_));
      join_states = false;
    }
  }
  for (const auto& each : conditions_.all)
    if (ok && needs_tags(each.field) && names_values(each, each.field) &&
        each.texts.size() <= streams_max)
      ok = add(all, with_tag(txn, each));
  if (ok && (all.empty() || join_states)) ok = add(all, in_states(txn));
  if (!ok) return fail(ok.error());
  return all_of(std::move(all));
}

result<bool> job_scan::has_active_set(store::read_txn& txn, const job_facts& job) {
  auto key = job_set_prefix(job.queue, job.job_set);
  if (const auto known = active_sets_.find(key); known != active_sets_.end()) return known->second;
  const auto value = txn.get(table::set_counts, key);
  if (!value) return fail(value.error());
  bool active = false;
  if (*value) {
    const auto set = decode_counts({key, **value});
    if (!set) return fail(set.error());
    active = std::any_of(set->jobs.begin(), set->jobs.end(),
                         [](const auto& count) { return !model::is_terminal(count.first); });
  }
  return active_sets_.emplace(std::move(key), active).first->second;
}

result<bool> job_scan::meets_all(store::read_txn& txn, const job_facts& job) {
  for (const auto& each : conditions_.all) {
    if (needs_tags(each.field)) continue;
    const auto met = meets(each, job);
    if (!met || !*met) return met;
  }
  if (conditions_.active_job_sets) {
    const auto active = has_active_set(txn, job);
    if (!active || !*active) return active;
  }
  std::optional<model::job_tags> tags;
  for (const auto& each : conditions_.all) {
    if (!needs_tags(each.field)) continue;
    if (!tags) {
      const auto spec = txn.get(table::specs, job_key(job.id));
      if (!spec) return fail(spec.error());
      auto read = *spec ? tags_of(**spec) : result<model::job_tags>{};
      if (!read) return fail(read.error());
      tags = std::move(*read);
    }
    if (!meets(each, *tags)) return false;
  }
  return true;
}

result<bool> job_scan::go_on(store::read_txn& txn, std::size_t most, const found_visitor& visitor) {
  if (over_) return true;
  active_sets_.clear();
  const auto stream = candidates(txn);
  if (!stream) return fail(stream.error());
  for (std::size_t i = 0; i < most; ++i) {
    const auto id = (*stream)->leap_to(from_);
    if (!id) return fail(id.error());
    over_ = !*id;
    if (over_) return true;
    at_ = **id;
    ++looked_at_;
    over_ = !move_on();
    auto record = (*stream)->record();
    if (!record) {
      const auto found = record_of(txn, *at_);
      if (!found) return fail(found.error());
      if (!*found) continue;
      record = **found;
    }
    const auto job = facts_of(*at_, *record);
    if (!job) return fail(job.error());
    const auto met = meets_all(txn, *job);
    if (!met) return fail(met.error());
    if (!*met) continue;
    const auto more = visitor(*job, *record);
    if (!more) return fail(more.error());
    if (!*more) over_ = true;
    if (over_) return true;
  }
  return false;
}

}  // namespace argosy::view
