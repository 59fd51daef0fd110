// SPDX-License-Identifier: Apache-2.0
#include "messages/view/queue_sums_codec.hpp"

#include <algorithm>
#include <utility>

#include "messages/proto/argosy/store.pb.h"

namespace argosy::view {

namespace {

template <class Field>
void write_counts(const ledger::wait_times& from, Field& to) {
  for (const auto count : from.counts) to.Add(count);
}

/// Steps that the record lacks count nothing.
template <class Field>
void read_counts(const Field& from, std::int64_t sum_ns, ledger::wait_times& to) {
  const auto known = std::min<std::size_t>(to.counts.size(), static_cast<std::size_t>(from.size()));
  for (std::size_t i = 0; i < known; ++i) to.counts[i] = from.Get(static_cast<int>(i));
  to.sum_ns = sum_ns;
}

}  // namespace

void to_record(const ledger::queue_sums& sums, store::v1::QueueTotals& record) {
  for (const auto& [place, delays] : sums.by_place) {
    auto& out = *record.add_delays();
    out.set_pool(place.first);
    out.set_priority_class(place.second);
    write_counts(delays.waits, *out.mutable_waits());
    out.set_waits_ns(delays.waits.sum_ns);
    write_counts(delays.placings, *out.mutable_placings());
    out.set_placings_ns(delays.placings.sum_ns);
  }
  for (const auto& [kind, jobs] : sums.ended) {
    auto& out = *record.add_ended();
    out.set_pool(std::get<0>(kind));
    out.set_state(static_cast<std::uint32_t>(std::get<1>(kind)));
    out.set_category(std::get<2>(kind));
    out.set_jobs(jobs);
  }
  for (const auto& [kind, runs] : sums.failures) {
    auto& out = *record.add_failures();
    out.set_category(kind.first);
    out.set_subcategory(kind.second);
    out.set_runs(runs);
  }
  for (const auto& [what, amount] : sums.preempted) {
    auto& out = *record.add_lost();
    out.set_pool(what.first);
    out.set_resource(what.second);
    out.set_amount_seconds(amount);
  }
}

result<std::shared_ptr<const ledger::queue_sums>> sums_of(const store::v1::QueueTotals& record) {
  auto sums = std::make_shared<ledger::queue_sums>();
  for (const auto& in : record.delays()) {
    auto& delays = sums->by_place[{in.pool(), in.priority_class()}];
    read_counts(in.waits(), in.waits_ns(), delays.waits);
    read_counts(in.placings(), in.placings_ns(), delays.placings);
  }
  for (const auto& in : record.ended()) {
    if (in.state() > static_cast<std::uint32_t>(model::job_state::rejected))
      return fail(ec::corrupt, "the totals of a queue name an unknown state of jobs");
    sums->ended[{in.pool(), static_cast<model::job_state>(in.state()), in.category()}] = in.jobs();
  }
  for (const auto& in : record.failures())
    sums->failures[{in.category(), in.subcategory()}] = in.runs();
  for (const auto& in : record.lost())
    sums->preempted[{in.pool(), in.resource()}] = in.amount_seconds();
  return std::shared_ptr<const ledger::queue_sums>{std::move(sums)};
}

}  // namespace argosy::view
