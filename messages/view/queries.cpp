// SPDX-License-Identifier: Apache-2.0
#include "messages/view/queries.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>

#include "messages/codec/log/log_codec.hpp"
#include "messages/view/job_walk.hpp"
#include "messages/view/store_codec.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

ulid id_of(std::string_view key) {
  ulid id;
  std::memcpy(id.bytes.data(), key.data(), std::min(key.size(), id.bytes.size()));
  return id;
}

/// The record of a job; nothing when there is no such job.
result<std::optional<model::job_record>> find_job(store::read_txn& txn, const ulid& id,
                                                  bool with_spec) {
  for (const auto in : {store::table::jobs_live, store::table::jobs_done}) {
    auto value = txn.get(in, view::job_key(id));
    if (!value) return fail(value.error());
    if (!*value) continue;
    auto record = view::decode_job(txn, **value, with_spec);
    if (!record) return fail(record.error());
    return std::optional{std::move(*record)};
  }
  return std::optional<model::job_record>{};
}

/// The filters of a query, which each job has to pass.
class job_filter {
 public:
  explicit job_filter(const native::list_jobs& query) : query_(query) {
    auto sorted = query.id_prefixes;
    std::sort(sorted.begin(), sorted.end());
    // A prefix that begins with another one adds nothing.
    for (auto& prefix : sorted)
      if (prefixes_.empty() || !prefix.starts_with(prefixes_.back()))
        prefixes_.push_back(std::move(prefix));
  }

  [[nodiscard]] bool takes(const model::job_record& job) const {
    if (!query_.queue.empty() && job.header->queue != query_.queue) return false;
    if (!query_.job_set.empty() && job.header->job_set != query_.job_set) return false;
    if (query_.active_only && model::is_terminal(job.state)) return false;
    if (!query_.states.empty() &&
        std::find(query_.states.begin(), query_.states.end(), job.state) == query_.states.end())
      return false;
    if (prefixes_.empty()) return true;
    // The id can only begin with the last prefix that is not behind it.
    const auto id = to_string(job.header->id);
    const auto behind = std::upper_bound(prefixes_.begin(), prefixes_.end(), id);
    return behind != prefixes_.begin() && id.starts_with(*std::prev(behind));
  }

 private:
  const native::list_jobs& query_;
  /// The prefixes in ascending order; none begins with another.
  std::vector<std::string> prefixes_;
};

/// A page of one job set, found through the index of its ids.
result<native::job_page> jobs_of_set(store::read_txn& txn, const native::list_jobs& query,
                                     std::uint32_t limit) {
  native::job_page page;
  const job_filter filter{query};
  result<void> outcome;
  const auto prefix = view::job_set_prefix(query.queue, query.job_set);
  std::string from;
  if (query.after) from = prefix + std::string{view::job_key(*query.after)};
  auto scanned = store::scan(
      txn, store::table::job_sets, prefix,
      [&](const store::entry& entry) {
        const auto id = id_of(entry.key.substr(prefix.size()));
        if (query.after && id <= *query.after) return true;
        auto job = find_job(txn, id, false);
        if (!job) {
          outcome = fail(job.error());
          return false;
        }
        if (!*job || !filter.takes(**job)) return true;
        if (page.jobs.size() == limit) {
          page.next = page.jobs.back().header->id;
          return false;
        }
        page.jobs.push_back(std::move(**job));
        return true;
      },
      from);
  if (!scanned) return fail(scanned.error());
  if (!outcome) return fail(outcome.error());
  return page;
}

}  // namespace

result<native::job_page> jobs_by_id(store::read_txn& txn, const native::get_jobs& query) {
  native::job_page page;
  for (const auto& id : query.ids) {
    auto job = find_job(txn, id, query.with_spec);
    if (!job) return fail(job.error());
    if (*job) page.jobs.push_back(std::move(**job));
  }
  return page;
}

result<native::job_page> jobs_by_filter(store::read_txn& txn, const native::list_jobs& query,
                                        std::uint32_t limit) {
  if (!query.queue.empty() && !query.job_set.empty()) return jobs_of_set(txn, query, limit);
  native::job_page page;
  const job_filter filter{query};
  auto visited = visit_jobs(txn, query.active_only, query.after, query.id_prefixes,
                            [&](std::string_view value) -> result<bool> {
                              auto job = view::decode_job(txn, value, false);
                              if (!job) return fail(job.error());
                              if (!filter.takes(*job)) return true;
                              if (page.jobs.size() == limit) {
                                page.next = page.jobs.back().header->id;
                                return false;
                              }
                              page.jobs.push_back(std::move(*job));
                              return true;
                            });
  if (!visited) return fail(visited.error());
  return page;
}

namespace {

/// The event's run number; 0 when it is about no run.
std::uint32_t run_number(const model::event& event) {
  return std::visit(
      [](const auto& payload) -> std::uint32_t {
        if constexpr (requires { payload.run.number; })
          return payload.run.number;
        else
          return 0;
      },
      event.payload);
}

/// Jobs that one page of events is about; each is read once.
class job_cache {
 public:
  explicit job_cache(store::read_txn& txn) : txn_(txn) {}

  result<const model::job_record*> find(const ulid& id, bool with_spec) {
    auto found = jobs_.find(id);
    if (found != jobs_.end() && (!with_spec || (found->second && found->second->header->spec)))
      return found->second ? &*found->second : nullptr;
    auto job = find_job(txn_, id, with_spec);
    if (!job) return fail(job.error());
    auto& slot = jobs_[id];
    slot = std::move(*job);
    return slot ? &*slot : nullptr;
  }

 private:
  store::read_txn& txn_;
  std::map<ulid, std::optional<model::job_record>> jobs_;
};

result<native::indexed_event> decode_indexed(const store::entry& entry, job_cache& jobs) {
  native::indexed_event out;
  auto place = view::event_place_of(entry.key);
  if (!place) return fail(place.error());
  out.cursor = {place->position, place->index};
  auto event = codec::decode_event(entry.value);
  if (!event) return fail(event.error());
  out.event = std::move(*event);
  const auto id = model::job_of(out.event);
  const bool submitted = std::holds_alternative<model::job_submitted>(out.event.payload);
  auto job = jobs.find(id, submitted);
  if (!job) return fail(job.error());
  if (*job == nullptr) return out;
  out.header = (*job)->header;
  const auto number = run_number(out.event);
  for (const auto& run : (*job)->runs)
    if (run.number == number) out.run = run;
  return out;
}

}  // namespace

result<native::event_page> events(store::read_txn& txn, const native::read_events& query,
                                  std::uint32_t limit) {
  native::event_page page;
  const auto prefix = view::event_prefix(query.queue, query.job_set);
  auto newest = store::last(txn, store::table::events, prefix);
  if (!newest) return fail(newest.error());
  // Events expire, but a job set whose jobs are still known has existed.
  auto member =
      store::last(txn, store::table::job_sets, view::job_set_prefix(query.queue, query.job_set));
  if (!member) return fail(member.error());
  page.exists = newest->has_value() || member->has_value();
  if (*newest) {
    auto place = view::event_place_of((*newest)->key);
    if (!place) return fail(place.error());
    page.newest = {place->position, place->index};
  }
  if (query.newest_only) return page;
  job_cache jobs{txn};
  result<void> outcome;
  const auto from = store::key_builder{}.bytes(prefix).number(query.after.position).take();
  auto scanned = store::scan(
      txn, store::table::events, prefix,
      [&](const store::entry& entry) {
        auto place = view::event_place_of(entry.key);
        if (place && native::event_cursor{place->position, place->index} <= query.after)
          return true;
        if (page.events.size() == limit) {
          page.more = true;
          return false;
        }
        auto event = decode_indexed(entry, jobs);
        if (!event) {
          outcome = fail(event.error());
          return false;
        }
        page.events.push_back(std::move(*event));
        return true;
      },
      query.after.position == 0 ? std::string{} : from);
  if (!scanned) return fail(scanned.error());
  if (!outcome) return fail(outcome.error());
  return page;
}

}  // namespace argosy::view
