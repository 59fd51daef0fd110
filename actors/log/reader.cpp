// SPDX-License-Identifier: Apache-2.0
#include "actors/log/reader.hpp"

#include <algorithm>

#include "actors/caf_error.hpp"
#include "messages/probes/reader_probe.hpp"
#include "messages/view/history_codec.hpp"
#include "messages/view/job_sets.hpp"
#include "messages/view/queries.hpp"
#include "runtime/base/check.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct reader_state {
  static inline const char* name = "argosy.reader";
  using pointer = traced_pointer<reader_actor, reader_state>;

  explicit reader_state(pointer self_) : self(self_) {}

  /// Runs a query in a transaction of its own. The counter is that of the query.
  template <class Query>
  auto read(metrics::counter& queries, Query query)
      -> decltype(query(std::declval<store::read_txn&>())) {
    ++queries;
    metrics::portion open{probe->open};
    open.set(1);
    auto txn = config.database->begin_read();
    auto value = txn ? query(**txn) : decltype(query(**txn)){fail(txn.error())};
    if (!value) ++probe->failures;
    return value;
  }

  /// Does the same and wraps what the query gives into a shared pointer.
  template <class Value, class Query>
  caf::result<std::shared_ptr<const Value>> in_transaction(metrics::counter& queries, Query query) {
    auto value = read(queries, std::move(query));
    if (!value) return to_caf(value.error());
    return std::make_shared<const Value>(std::move(*value));
  }

  [[nodiscard]] std::uint32_t limit(std::uint32_t wanted) const {
    return wanted == 0 ? config.page_max : std::min(wanted, config.page_max);
  }

  reader_actor::behavior_type make_behavior(reader_config cfg);

  pointer self;
  reader_config config;
  std::shared_ptr<probes::reader_probe> probe;
};

reader_actor::behavior_type reader_state::make_behavior(reader_config cfg) {
  config = std::move(cfg);
  probe = config.probes->get<probes::reader_probe>();
  return {
      [this](atom::query, const native::get_jobs& query) {
        return in_transaction<native::job_page>(
            probe->jobs, [&](store::read_txn& txn) { return view::jobs_by_id(txn, query); });
      },
      [this](atom::query, const native::list_jobs& query) {
        return in_transaction<native::job_page>(probe->job_lists, [&](store::read_txn& txn) {
          return view::jobs_by_filter(txn, query, limit(query.limit));
        });
      },
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
      [this](atom::oldest) -> caf::result<ledger::oldest_kept> {
        auto oldest =
            read(probe->oldest, [](store::read_txn& txn) { return view::read_oldest_kept(txn); });
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
