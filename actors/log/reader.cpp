// SPDX-License-Identifier: Apache-2.0
#include "actors/log/reader.hpp"

#include <algorithm>
#include <memory>

#include "actors/caf_error.hpp"
#include "messages/probes/log/reader_probe.hpp"
#include "messages/view/call_table.hpp"
#include "messages/view/history_codec.hpp"
#include "messages/view/job_list.hpp"
#include "messages/view/job_sets.hpp"
#include "messages/view/operation_table.hpp"
#include "messages/view/queries.hpp"
#include "messages/view/search/job_grouping.hpp"
#include "messages/view/search/job_search.hpp"
#include "runtime/base/check.hpp"
#include "runtime/border/fair_queue_core.hpp"
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

  /// A list or a search that is being read, and who waits for it.
  class open_query {
   public:
    virtual ~open_query() = default;
    [[nodiscard]] virtual const native::asker& by() const = 0;
    /// Reads a piece, and returns whether it was the last.
    [[nodiscard]] virtual result<bool> go_on(store::read_txn& txn) = 0;
    /// The deadline has come.
    [[nodiscard]] virtual result<void> stop(store::read_txn& txn) = 0;
    virtual void deliver() = 0;
    virtual void fail(const error& why) = 0;
  };
  template <class Query, class Page>
  class query_of;

  template <class Page, class Query>
  caf::result<std::shared_ptr<const Page>> open(metrics::counter& queries, Query query);
  [[nodiscard]] view::job_list_bounds list_bounds(const native::list_jobs& query) const;
  void go_on();

  pointer self;
  reader_config config;
  std::shared_ptr<probes::reader_probe> probe;
  /// Callers take turns, and the questions of each.
  border::fair_queue_core<std::unique_ptr<open_query>> open_queries;
};

/// `Query` is a view::job_list or something like it, and `Page` what it takes.
template <class Query, class Page>
class reader_state::query_of final : public open_query {
 public:
  using promise = caf::typed_response_promise<std::shared_ptr<const Page>>;

  query_of(Query query, promise answer) : query_(std::move(query)), answer_(std::move(answer)) {}

  const native::asker& by() const override { return query_.query().asked_by; }
  result<bool> go_on(store::read_txn& txn) override { return query_.go_on(txn); }
  result<void> stop(store::read_txn& txn) override {
    if constexpr (requires { query_.stop(txn); }) {
      return query_.stop(txn);
    } else {
      return argosy::fail(ec::timeout,
                          "the list was not complete in time: filter by more, or by less");
    }
  }
  void deliver() override { answer_.deliver(std::make_shared<const Page>(query_.take())); }
  void fail(const error& why) override { answer_.deliver(to_caf(why)); }

 private:
  Query query_;
  promise answer_;
};

template <class Page, class Query>
caf::result<std::shared_ptr<const Page>> reader_state::open(metrics::counter& queries,
                                                            Query query) {
  ++queries;
  using opened = query_of<Query, Page>;
  auto promise = self->make_response_promise<typename opened::promise>();
  auto asked = std::make_unique<opened>(std::move(query), promise);
  const auto who = asked->by().who;
  open_queries.push(who, std::move(asked));
  if (open_queries.size() == 1) self->send(self, atom::tick_v);
  return promise;
}

view::job_list_bounds reader_state::list_bounds(const native::list_jobs& query) const {
  view::job_list_bounds bounds;
  bounds.jobs = limit(query.limit);
  bounds.looked_at = config.looked_at_max;
  return bounds;
}

/// Reads a piece of one query. The next piece comes through the mailbox, so that other queries do
/// not wait for one that looks at many jobs.
void reader_state::go_on() {
  if (open_queries.empty()) return;
  auto open = open_queries.pop();
  if (open->by().has_given_up()) {
    open->fail({ec::cancelled, "the caller has gone"});
    if (!open_queries.empty()) self->send(self, atom::tick_v);
    return;
  }
  const bool late = self->clock().now() >= open->by().deadline;
  const auto complete = read([&](store::read_txn& txn) -> result<bool> {
    if (!late) return open->go_on(txn);
    if (auto stopped = open->stop(txn); !stopped) return argosy::fail(stopped.error());
    return true;
  });
  if (!complete)
    open->fail(complete.error());
  else if (*complete)
    open->deliver();
  else
    open_queries.push(open->by().who, std::move(open));
  if (!open_queries.empty()) self->send(self, atom::tick_v);
}

reader_actor::behavior_type reader_state::make_behavior(reader_config cfg) {
  config = std::move(cfg);
  probe = config.probes->get<probes::reader_probe>();
  return {
      [this](atom::query, const native::get_jobs& query) {
        return in_transaction<native::job_page>(
            probe->jobs, [&](store::read_txn& txn) { return view::jobs_by_id(txn, query); });
      },
      [this](atom::query, const native::list_jobs& query) {
        return open<native::job_page>(probe->job_lists, view::job_list{query, list_bounds(query)});
      },
      [this](atom::query, const native::find_jobs& query) {
        view::search_bounds bounds;
        bounds.looked_at = config.looked_at_max;
        return open<native::found_jobs>(probe->searches, view::job_search{query, bounds});
      },
      [this](atom::query, const native::group_jobs& query) {
        view::grouping_bounds bounds;
        bounds.looked_at = config.looked_at_max;
        return open<native::job_groups>(probe->groupings, view::job_grouping{query, bounds});
      },
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
      [this](atom::query, const native::list_audit_callers& query) {
        return in_transaction<native::audit_callers>(
            probe->audit, [&](store::read_txn& txn) { return view::list_callers(txn, query); });
      },
      [this](atom::query, const native::list_operations& query) {
        return in_transaction<native::operation_page>(probe->operations, [&](store::read_txn& txn) {
          return view::list_operations(txn, query);
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
