// SPDX-License-Identifier: Apache-2.0
#include "messages/view/queries.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>

#include "messages/codec/api/event_id.hpp"
#include "messages/codec/api/resume_token.hpp"
#include "messages/codec/log/log_codec.hpp"
#include "messages/view/progress.hpp"
#include "messages/view/store_codec.hpp"
#include "runtime/store/scan.hpp"

namespace argosy::view {

namespace {

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

/// Fails with ec::conflict unless the events behind the place are whole. Those of older positions
/// expire first, so that they are while its own event is there.
result<void> check_place(store::read_txn& txn, const native::read_events& query) {
  const auto& place = *query.resumes;
  if (place.position.is_zero()) return {};
  const bool has_event = place.index != codec::event_id::behind_all;
  if (has_event) {
    const auto own = txn.get(store::table::events, view::event_key(query.queue, query.job_set,
                                                                   {place.position, place.index}));
    if (!own) return fail(own.error());
    if (*own) return {};
  }
  const auto at = view::read_position(txn);
  if (!at) return fail(at.error());
  const auto now = at->value_or(view::view_position{});
  if (place.position > now.position || (has_event && place.position > now.events_gone))
    return fail(codec::of_another_history("the event id"));
  if (place.position >= now.events_gone) return {};
  return fail(ec::conflict, "events behind this id have expired: read again from the beginning");
}

}  // namespace

result<native::event_page> events(store::read_txn& txn, const native::read_events& query,
                                  std::uint32_t limit) {
  native::event_page page;
  const auto prefix = view::event_prefix(query.queue, query.job_set);
  if (query.resumes)
    if (auto whole = check_place(txn, query); !whole) return fail(whole.error());
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
  const auto from = store::key_builder{}.bytes(prefix).number(query.after.position.value).take();
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
      query.after.position.is_zero() ? std::string{} : from);
  if (!scanned) return fail(scanned.error());
  if (!outcome) return fail(outcome.error());
  return page;
}

}  // namespace argosy::view
