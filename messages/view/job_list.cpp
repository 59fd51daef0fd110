// SPDX-License-Identifier: Apache-2.0
#include "messages/view/job_list.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "messages/codec/api/job_codec.hpp"
#include "messages/codec/wire.hpp"
#include "messages/view/job_glance.hpp"
#include "messages/view/job_set_counts.hpp"
#include "messages/view/job_walk.hpp"
#include "messages/view/search/queue_jobs.hpp"
#include "messages/view/store_codec.hpp"

namespace argosy::view {

namespace {

bool is_live(model::job_state state) {
  return !model::is_terminal(state);
}

}  // namespace

job_list::job_list(native::list_jobs query, const job_list_bounds& bounds)
    : query_(std::move(query)), bounds_(bounds), at_(query_.after) {
  auto sorted = query_.id_prefixes;
  std::sort(sorted.begin(), sorted.end());
  // A prefix that begins with another one adds nothing.
  for (auto& prefix : sorted)
    if (prefixes_.empty() || !prefix.starts_with(prefixes_.back()))
      prefixes_.push_back(std::move(prefix));
}

bool job_list::is_only(bool (*wanted)(model::job_state)) const {
  return !query_.states.empty() && std::all_of(query_.states.begin(), query_.states.end(), wanted);
}

bool job_list::takes(model::job_state state) const {
  const auto& states = query_.states;
  return (!query_.active_only || is_live(state)) &&
         (states.empty() || std::find(states.begin(), states.end(), state) != states.end());
}

bool job_list::takes(const ulid& id, std::string_view queue, std::string_view job_set,
                     model::job_state state) const {
  if (!query_.queue.empty() && queue != query_.queue) return false;
  if (!query_.job_set.empty() && job_set != query_.job_set) return false;
  if (!takes(state)) return false;
  if (prefixes_.empty()) return true;
  // The id can only begin with the last prefix that is not behind it.
  const auto text = to_string(id);
  const auto behind = std::upper_bound(prefixes_.begin(), prefixes_.end(), text);
  return behind != prefixes_.begin() && text.starts_with(*std::prev(behind));
}

std::vector<store::table> job_list::tables() const {
  std::vector<store::table> out;
  if (!is_only(model::is_terminal)) out.push_back(store::table::jobs_live);
  if (!query_.active_only && !is_only(is_live)) out.push_back(store::table::jobs_done);
  return out;
}

/// How many jobs the job set of the query has; 0 when none of them is in a state asked for.
result<std::uint64_t> job_list::jobs_in_set(store::read_txn& txn) const {
  const auto key = job_set_prefix(query_.queue, query_.job_set);
  const auto value = txn.get(store::table::set_counts, key);
  if (!value) return fail(value.error());
  if (!*value) return std::uint64_t{0};
  const auto set = decode_counts({key, **value});
  if (!set) return fail(set.error());
  bool any = false;
  std::uint64_t jobs = 0;
  for (const auto& [state, count] : set->jobs) {
    jobs += count;
    any |= takes(state);
  }
  return any ? jobs : 0;
}

result<bool> job_list::has_uri(store::read_txn& txn, const ulid& id) const {
  if (query_.external_uri.empty()) return true;
  const auto spec = txn.get(store::table::specs, codec::to_wire(id));
  if (!spec) return fail(spec.error());
  return *spec ? codec::has_external_uri(std::string{**spec}, query_.external_uri) : false;
}

result<bool> job_list::look_at(store::read_txn& txn, const ulid& id, std::string_view record) {
  if (looked_at_ == bounds_.looked_at) {
    paused_ = true;
    return false;
  }
  ++looked_at_;
  ++looked_at_in_all_;
  at_ = id;
  const auto seen = glance_at(record);
  if (!seen) return fail(seen.error());
  if (!takes(id, seen->queue, seen->job_set, seen->state)) return true;
  const auto named = has_uri(txn, id);
  if (!named) return fail(named.error());
  if (!*named) return true;
  if (is_full()) {
    page_.next = page_.jobs.back().header->id;
    return false;
  }
  auto job = decode_job(txn, record, false);
  if (!job) return fail(job.error());
  bytes_ += record.size();
  page_.jobs.push_back(std::move(*job));
  return true;
}

/// Visits the jobs of the queue that may pass, and no others.
result<void> job_list::walk_queue(store::read_txn& txn, const job_visitor& look) const {
  const auto stream = ids_in_queues(
      txn, {query_.queue}, [this](model::job_state state) { return takes(state); }, direction::up);
  if (!stream) return fail(stream.error());
  auto from = at_ ? next_id(*at_, direction::up) : std::optional{ulid{}};
  while (from) {
    const auto id = (*stream)->leap_to(*from);
    if (!id) return fail(id.error());
    if (!*id) return {};
    from = next_id(**id, direction::up);
    auto record = (*stream)->record();
    if (!record) {
      const auto found = record_of(txn, **id);
      if (!found) return fail(found.error());
      if (!*found) continue;
      record = **found;
    }
    const auto more = look(**id, *record);
    if (!more) return fail(more.error());
    if (!*more) return {};
  }
  return {};
}

/// Visits the jobs that may pass, by the way that leads past the fewest others.
result<void> job_list::walk(store::read_txn& txn, const job_visitor& look) {
  std::optional<std::uint64_t> in_set;
  if (!query_.queue.empty() && !query_.job_set.empty()) {
    const auto jobs = jobs_in_set(txn);
    if (!jobs) return fail(jobs.error());
    if (*jobs == 0) return {};
    in_set = *jobs;
  }
  // What ids begin with leads to few jobs, whatever queue they are of.
  if (!query_.queue.empty() && !in_set && query_.id_prefixes.empty()) return walk_queue(txn, look);
  if (is_only(has_run_in_state)) {
    const auto placed = txn.count(store::table::jobs_placed);
    if (!placed) return fail(placed.error());
    if (!in_set || *placed < *in_set)
      return visit_index(txn, store::table::jobs_placed, {}, at_, look);
  }
  if (in_set)
    return visit_index(txn, store::table::job_sets, job_set_prefix(query_.queue, query_.job_set),
                       at_, look);
  return visit_jobs(txn, tables(), at_, query_.id_prefixes, look);
}

result<bool> job_list::go_on(store::read_txn& txn) {
  looked_at_ = 0;
  paused_ = false;
  const auto look = [&](const ulid& id, std::string_view record) {
    return look_at(txn, id, record);
  };
  const auto walked = walk(txn, look);
  if (!walked) return fail(walked.error());
  if (!paused_) return true;
  if (!is_full()) return false;
  page_.next = page_.jobs.back().header->id;
  return true;
}

}  // namespace argosy::view
