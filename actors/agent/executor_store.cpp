// SPDX-License-Identifier: Apache-2.0
#include "actors/agent/executor_store.hpp"

#include <optional>
#include <utility>

#include "actors/caf_error.hpp"
#include "messages/codec/agent/agent_codec.hpp"
#include "messages/probes/executor_probe.hpp"
#include "runtime/base/check.hpp"
#include "runtime/base/planted.hpp"
#include "runtime/store/key.hpp"
#include "runtime/store/scan.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

namespace {

using store::table;
using store::write_txn;

/// How many entries one call erases at most; reports come and go in batches far below this.
constexpr std::size_t erase_max = 1'000'000;

result<void> write(write_txn& txn, const ledger::put_facts& put) {
  return txn.put(table::meta, codec::agent_facts_key, codec::encode(put.facts));
}

result<void> write(write_txn& txn, const ledger::put_agent_run& put) {
  return txn.put(table::runs, codec::agent_run_key(put.run.run), codec::encode(put.run));
}

result<void> write(write_txn& txn, const ledger::erase_agent_run& erase) {
  if (auto done = txn.erase(table::runs, codec::agent_run_key(erase.run)); !done)
    return fail(std::move(done.error()));
  return {};
}

result<void> write(write_txn& txn, const ledger::put_outbox_report& put) {
  return txn.put(table::outbox, store::number_key(put.report.sequence), codec::encode(put.report));
}

result<void> write(write_txn& txn, const ledger::erase_outbox_reports& erase) {
  auto done = store::erase_range(txn, table::outbox, store::number_key(0),
                                 store::number_key(erase.up_to + 1), erase_max);
  if (!done) return fail(std::move(done.error()));
  return {};
}

result<void> commit(store::database& database, const std::vector<ledger::executor_write>& writes) {
  auto txn = database.begin_write();
  if (!txn) return fail(std::move(txn.error()));
  for (const auto& each : writes) {
    auto done = std::visit([&](const auto& what) { return write(**txn, what); }, each);
    if (!done) return done;
  }
  return (*txn)->commit();
}

/// Decodes every record of a table into `out`.
template <class Record>
result<void> read_all(store::read_txn& txn, table from, result<Record> (*decode)(std::string_view),
                      std::vector<Record>& out) {
  result<void> outcome;
  auto scanned = store::scan(txn, from, {}, [&](const store::entry& entry) {
    auto record = decode(entry.value);
    if (record)
      out.push_back(std::move(*record));
    else
      outcome = fail(std::move(record.error()));
    return outcome.has_value();
  });
  return scanned ? outcome : scanned;
}

result<std::optional<ledger::executor_facts>> read_facts(store::read_txn& txn) {
  auto facts = txn.get(table::meta, codec::agent_facts_key);
  if (!facts) return fail(std::move(facts.error()));
  if (!*facts) return std::optional<ledger::executor_facts>{};
  auto decoded = codec::decode_agent_facts(**facts);
  if (!decoded) return fail(std::move(decoded.error()));
  return std::optional{std::move(*decoded)};
}

bool is_elsewhere(const ledger::executor_facts& facts, const std::string& place) {
  return !facts.place.empty() && facts.place != place;
}

result<executor_memory> read_memory(store::database& database) {
  executor_memory out;
  auto txn = database.begin_read();
  if (!txn) return fail(std::move(txn.error()));
  auto facts = read_facts(**txn);
  if (!facts) return fail(std::move(facts.error()));
  if (*facts) out.facts = std::move(**facts);
  auto runs = read_all(**txn, table::runs, codec::decode_agent_run, out.runs);
  if (!runs) return fail(std::move(runs.error()));
  auto reports = read_all(**txn, table::outbox, codec::decode_report, out.reports);
  if (!reports) return fail(std::move(reports.error()));
  return out;
}

/// Forgets which runs there are, and by which incarnation.
std::vector<ledger::executor_write> forget(executor_memory& memory) {
  std::vector<ledger::executor_write> writes;
  for (const auto& run : memory.runs) writes.emplace_back(ledger::erase_agent_run{run.run});
  if (!memory.reports.empty())
    writes.emplace_back(ledger::erase_outbox_reports{memory.reports.back().sequence});
  memory.runs.clear();
  memory.reports.clear();
  memory.facts.incarnation = {};
  return writes;
}

}  // namespace

result<void> forget_executor(store::database& database) {
  auto memory = read_memory(database);
  if (!memory) return fail(std::move(memory.error()));
  auto writes = forget(*memory);
  writes.emplace_back(ledger::put_facts{memory->facts});
  return commit(database, writes);
}

result<executor_memory> load_executor(store::database& database, const std::string& place,
                                      const std::function<result<void>()>& on_copy) {
  auto out = read_memory(database);
  if (out && is_planted(planted_fault::forgets_reports)) out->reports.clear();
  if (out && is_planted(planted_fault::forgets_runs)) out->runs.clear();
  if (!out || out->facts.place == place) return out;
  std::vector<ledger::executor_write> writes;
  if (is_elsewhere(out->facts, place)) {
    if (on_copy)
      if (auto done = on_copy(); !done) return fail(std::move(done.error()));
    writes = forget(*out);
  }
  out->facts.place = place;
  writes.emplace_back(ledger::put_facts{out->facts});
  if (auto done = commit(database, writes); !done) return fail(std::move(done.error()));
  return out;
}

struct executor_store_state {
  static inline const char* name = "argosy.executor_store";
  using pointer = traced_pointer<executor_store_actor, executor_store_state>;

  explicit executor_store_state(pointer self_) : self(self_) {}

  executor_store_actor::behavior_type make_behavior(executor_store_config cfg) {
    config = std::move(cfg);
    probe = config.probes->get<probes::executor_store_probe>();
    return {
        [this](atom::append, const native::executor_writes_ptr& writes) -> caf::result<atom::ok> {
          if (auto done =
                  config.facts_only ? commit_facts(*writes) : commit(*config.database, *writes);
              !done) {
            ++probe->failures;
            return to_caf(done.error());
          }
          ++probe->commits;
          return atom::ok_v;
        },
        [this](atom::status, atom::figures) { return probe->figures(); },
    };
  }

  result<void> commit_facts(const std::vector<ledger::executor_write>& writes) {
    for (const auto& write : writes) {
      const auto* put = std::get_if<ledger::put_facts>(&write);
      if (put == nullptr) continue;
      auto facts = put->facts;
      // The reports of the next process may begin with any number.
      facts.next_sequence = 1;
      if (facts == written) continue;
      if (auto done = commit(*config.database, {ledger::put_facts{facts}}); !done) return done;
      written = std::move(facts);
    }
    return {};
  }

  pointer self;
  executor_store_config config;
  ledger::executor_facts written;
  std::shared_ptr<probes::executor_store_probe> probe;
};

namespace {

executor_store_actor::behavior_type executor_store_behavior(
    traced_pointer<executor_store_actor, executor_store_state> self, executor_store_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

executor_store_actor spawn_executor_store(caf::actor_system& system, executor_store_config config,
                                          run_on where) {
  ARGOSY_CHECK(config.database != nullptr);
  return spawn_actor(system, where, executor_store_behavior, std::move(config));
}

}  // namespace argosy::actors
