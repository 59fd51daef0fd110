// SPDX-License-Identifier: Apache-2.0
#include "actors/log/reader.hpp"

#include <algorithm>
#include <deque>

#include "actors/caf_error.hpp"
#include "messages/probes/log/reader_probe.hpp"
#include "messages/view/audit/call_table.hpp"
#include "messages/view/history_codec.hpp"
#include "messages/view/job_list.hpp"
#include "messages/view/job_sets.hpp"
#include "messages/view/queries.hpp"
#include "runtime/base/check.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct reader_state {
  static inline const char* name = "argosy.reader";
  using pointer = traced_pointer<reader_actor, reader_state>;

  explicit reader_state(pointer self_) : self(self_) {}

  /// Runs a query in a transaction of its own.
  template <class Query>
  auto read(Query query) -> decltype(query(std::declval<store::read_txn&>())) {
    metrics::portion open{probe->open};
    open.set(1);
    auto txn = config.database->begin_read();
    auto value = txn ? query(**txn) : decltype(query(**txn)){fail(txn.error())};
    if (!value) ++probe->failures;
    return value;
  }

  /// Does the same, counts the query, and wraps what it gives into a shared pointer.
  template <class Value, class Query>
  caf::result<std::shared_ptr<const Value>> in_transaction(metrics::counter& queries, Query query) {
    ++queries;
    auto value = read(std::move(query));
    if (!value) return to_caf(value.error());
    return std::make_shared<const Value>(std::move(*value));
  }

  [[nodiscard]] std::uint32_t limit(std::uint32_t wanted) const {
    return wanted == 0 ? config.page_max : std::min(wanted, config.page_max);
  }

  reader_actor::behavior_type make_behavior(reader_config cfg);

  /// A list that is being read, and who waits for it.
  struct open_list {
    view::job_list list;
    caf::typed_response_promise<native::job_page_ptr> promise;
  };
  caf::result<native::job_page_ptr> list(const native::list_jobs& query);
  void go_on();

  pointer self;
  reader_config config;
  std::shared_ptr<probes::reader_probe> probe;
  std::deque<open_list> lists;  ///< They take turns; the front one is next.
};

caf::result<native::job_page_ptr> reader_state::list(const native::list_jobs& query) {
  ++probe->job_lists;
  view::job_list_bounds bounds;
  bounds.jobs = limit(query.limit);
  bounds.looked_at = config.looked_at_max;
  auto promise = self->make_response_promise<caf::typed_response_promise<native::job_page_ptr>>();
  lists.push_back({view::job_list{query, bounds}, promise});
  if (lists.size() == 1) self->send(self, atom::tick_v);
  return promise;
}

/// Reads a piece of one list. The next piece comes through the mailbox, so that other queries do
/// not wait for a list that looks at many jobs.
void reader_state::go_on() {
  auto open = std::move(lists.front());
  lists.pop_front();
  if (self->clock().now() >= open.list.query().deadline) {
    ++probe->failures;
    open.promise.deliver(
        to_caf({ec::timeout, "the list was not complete in time: filter by more, or by less"}));
  } else {
    const auto complete = read([&](store::read_txn& txn) { return open.list.go_on(txn); });
    if (!complete)
      open.promise.deliver(to_caf(complete.error()));
    else if (*complete)
      open.promise.deliver(std::make_shared<const native::job_page>(open.list.take()));
    else
      lists.push_back(std::move(open));
  }
  if (!lists.empty()) self->send(self, atom::tick_v);
}

reader_actor::behavior_type reader_state::make_behavior(reader_config cfg) {
  config = std::move(cfg);
  probe = config.probes->get<probes::reader_probe>();
  return {
      [this](atom::query, const native::get_jobs& query) {
        return in_transaction<native::job_page>(
            probe->jobs, [&](store::read_txn& txn) { return view::jobs_by_id(txn, query); });
      },
      [this](atom::query, const native::list_jobs& query) { return list(query); },
      [this](atom::tick) { go_on(); },
      [this](atom::query, const native::list_job_sets& query) {
        return in_transaction<native::job_set_page>(probe->job_sets, [&](store::read_txn& txn) {
          view::job_set_bounds bounds;
          if (query.limit > 0) bounds.sets = std::min(query.limit, bounds.sets);
          return view::job_sets(txn, query, bounds);
        });
      },
      [this](atom::query, const native::read_events& query) {
        return in_transaction<native::event_page>(probe->events, [&](store::read_txn& txn) {
          return view::events(txn, query, limit(query.limit));
        });
      },
      [this](atom::query, const native::list_audit& query) {
        return in_transaction<native::audit_page>(probe->audit, [&](store::read_txn& txn) {
          return view::list_calls(txn, query, config.looked_at_max);
        });
      },
      [this](atom::oldest) -> caf::result<ledger::oldest_kept> {
        ++probe->oldest;
        auto oldest = read([](store::read_txn& txn) { return view::read_oldest_kept(txn); });
        if (!oldest) return to_caf(oldest.error());
        return *oldest;
      },
      [this](atom::status, atom::figures) { return probe->figures(); },
  };
}

result<void> validate(const reader_config& config) {
  if (!config.database) return fail(ec::invalid_argument, "the reader needs a database");
  return {};
}

namespace {

reader_actor::behavior_type reader_behavior(traced_pointer<reader_actor, reader_state> self,
                                            reader_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

reader_actor spawn_reader(caf::actor_system& system, reader_config config, run_on where) {
  ARGOSY_CHECK(validate(config).has_value());
  return spawn_actor(system, where, reader_behavior, std::move(config));
}

}  // namespace argosy::actors
