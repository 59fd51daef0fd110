// SPDX-License-Identifier: Apache-2.0
#include "messages/view/search/job_search.hpp"

#include <algorithm>
#include <limits>

#include "messages/view/search/conditions.hpp"
#include "messages/view/store_codec.hpp"
#include "messages/view/view_keys.hpp"
#include "runtime/store/key.hpp"

namespace argosy::view {

namespace {

using model::job_field;
using model::search_place;
using store::table;

constexpr std::int64_t nanos_in_milli = 1'000'000;

/// Numbers become bytes that sort as they do; they are not negative.
std::string key_of(std::int64_t number) {
  return store::number_key(static_cast<std::uint64_t>(std::max<std::int64_t>(number, 0)));
}

/// Where the job stands in an order other than that of ids.
search_place place_of(const job_facts& job, job_field by) {
  switch (by) {
    case job_field::queue:
      return {std::string{job.queue}, job.id};
    case job_field::job_set:
      return {std::string{job.job_set}, job.id};
    case job_field::state:
      return {key_of(static_cast<std::int64_t>(job.state)), job.id};
    case job_field::submitted:
      return {key_of(job.submitted_ns), job.id};
    case job_field::priority:
      return {key_of(job.priority), job.id};
    default:
      return {key_of(job.changed_ns), job.id};
  }
}

std::optional<ulid> start_of(const native::find_jobs& query) {
  if (query.order.by != job_field::id || !query.after) return std::nullopt;
  return query.after->id;
}

}  // namespace

job_search::job_search(native::find_jobs query, const search_bounds& bounds)
    : query_(std::move(query)),
      bounds_(bounds),
      // Most orders go with the age of jobs, so that few jobs push out others that were kept.
      scan_(query_.conditions, way(), start_of(query_)) {}

result<void> job_search::add(store::read_txn& txn, const ulid& id, std::string_view record) {
  auto job = decode_job(txn, record, false);
  if (!job) return fail(job.error());
  const auto spec = txn.get(table::specs, job_key(id));
  if (!spec) return fail(spec.error());
  auto tags = *spec ? tags_of(**spec) : result<model::job_tags>{};
  if (!tags) return fail(tags.error());
  bytes_ += record.size();
  for (const auto* of : {&tags->annotations, &tags->labels})
    for (const auto& [name, value] : *of) bytes_ += name.size() + value.size();
  page_.jobs.push_back({std::move(*job), std::move(*tags)});
  return {};
}

void job_search::leave_rest() {
  if (!by_id()) {
    dropped_ = true;
    return;
  }
  page_.next = search_place{{}, page_.jobs.back().record.header->id};
}

result<bool> job_search::take_by_id(store::read_txn& txn, const job_facts& job,
                                    std::string_view record) {
  if (skipped_ < query_.skip) {
    ++skipped_;
    return true;
  }
  if (is_full()) {
    leave_rest();
    return false;
  }
  auto added = add(txn, job.id, record);
  if (!added) return fail(added.error());
  return true;
}

void job_search::keep_if_first(const job_facts& job) {
  auto place = place_of(job, query_.order.by);
  if (query_.after && !is_before(*query_.after, place)) return;
  const auto before = [this](const search_place& a, const search_place& b) {
    return is_before(a, b);
  };
  if (first_.size() >= query_.skip + query_.limit) {
    dropped_ = true;
    if (!is_before(place, first_.front())) return;
    std::pop_heap(first_.begin(), first_.end(), before);
    first_.pop_back();
  }
  first_.push_back(std::move(place));
  std::push_heap(first_.begin(), first_.end(), before);
}

/// Whether no job behind those that were looked at was submitted as late as those that were kept.
/// The time in an id is never before that of the submission: the GATEWAY takes both from one
/// reading of its clock, and stays with the last id's when the clock went back.
bool job_search::has_latest() const {
  if (query_.order.by != job_field::submitted || query_.order.ascending || !scan_.at() ||
      first_.size() < query_.skip + query_.limit)
    return false;
  constexpr auto millis_max =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / nanos_in_milli - 1);
  const auto millis = scan_.at()->unix_millis();
  // An id of a damaged store may have any time.
  if (millis > millis_max) return false;
  const auto behind = static_cast<std::int64_t>(millis + 1) * nanos_in_milli;
  return first_.front().sort_key >= key_of(behind);
}

/// Reads the jobs whose places were kept.
result<void> job_search::fill_page(store::read_txn& txn) {
  std::sort_heap(first_.begin(), first_.end(),
                 [this](const search_place& a, const search_place& b) { return is_before(a, b); });
  for (auto at = std::min<std::size_t>(query_.skip, first_.size()); at < first_.size(); ++at) {
    if (bytes_ >= bounds_.bytes) {
      page_.next = first_[at - 1];
      return {};
    }
    for (const auto in : {table::jobs_done, table::jobs_live}) {
      const auto record = txn.get(in, job_key(first_[at].id));
      if (!record) return fail(record.error());
      if (!*record) continue;
      if (auto added = add(txn, first_[at].id, **record); !added) return added;
      break;
    }
  }
  if (dropped_ && !first_.empty()) page_.next = first_.back();
  return {};
}

result<bool> job_search::go_on(store::read_txn& txn) {
  const auto visit = [&](const job_facts& job, std::string_view record) -> result<bool> {
    if (by_id()) return take_by_id(txn, job, record);
    keep_if_first(job);
    return true;
  };
  const auto complete = scan_.go_on(txn, bounds_.looked_at, visit);
  if (!complete) return complete;
  if (!*complete && !is_full() && !has_latest()) return false;
  // Whether another job comes behind a full page may take a long look, which the next page takes.
  if (!*complete) leave_rest();
  page_.looked_at = scan_.looked_at();
  if (!by_id())
    if (auto filled = fill_page(txn); !filled) return fail(filled.error());
  return true;
}

result<void> job_search::stop(store::read_txn& txn) {
  page_.incomplete = true;
  page_.looked_at = scan_.looked_at();
  if (!by_id()) return fill_page(txn);
  if (scan_.at()) page_.next = search_place{{}, *scan_.at()};
  return {};
}

}  // namespace argosy::view
