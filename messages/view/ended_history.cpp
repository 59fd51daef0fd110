// SPDX-License-Identifier: Apache-2.0
#include "messages/view/ended_history.hpp"

#include <limits>

#include "messages/view/job_set_counts.hpp"
#include "messages/view/search/postings.hpp"
#include "messages/view/store_codec.hpp"
#include "messages/view/view_keys.hpp"
#include "runtime/store/key.hpp"

namespace argosy::view {

namespace {

using store::table;
using store::write_txn;

result<void> erase_key(write_txn& txn, table in, std::string_view key) {
  if (auto gone = txn.erase(in, key); !gone) return fail(std::move(gone.error()));
  return {};
}

result<void> erase_job(write_txn& txn, const std::string& id) {
  auto value = txn.get(table::jobs_done, id);
  if (!value) return fail(std::move(value.error()));
  if (!*value) return {};
  auto job = decode_job(txn, **value, false);
  if (!job) return fail(std::move(job.error()));
  const auto key = job_set_prefix(job->header->queue, job->header->job_set).append(id);
  if (auto ok = erase_key(txn, table::job_sets, key); !ok) return ok;
  if (auto ok = uncount_job(txn, *job); !ok) return ok;
  if (auto ok = erase_postings(txn, *job); !ok) return ok;
  if (auto ok = erase_key(txn, table::specs, id); !ok) return ok;
  return erase_key(txn, table::jobs_done, id);
}

result<void> expire_under(write_txn& txn, std::string_view prefix, std::int64_t before_ns,
                          std::size_t& room) {
  return expire_records(
      txn, prefix, before_ns, room,
      [&txn](const history_record&, const std::string& id) -> result<std::size_t> {
        if (auto gone = erase_job(txn, id); !gone) return fail(gone.error());
        return 1;
      });
}

}  // namespace

std::string ended_jobs_prefix(std::string_view queue, model::job_state state) {
  const char number = static_cast<char>(state);
  return store::key_builder{}.bytes({&ended_jobs_kind, 1}).text(queue).bytes({&number, 1}).take();
}

result<ended_jobs_key> decode_ended_jobs_key(std::string_view key) {
  const auto wrong = [] {
    return fail(ec::corrupt, "a key of the history names no queue and state of ended jobs");
  };
  if (!key.starts_with(ended_jobs_kind)) return wrong();
  store::key_reader reader{key.substr(1)};
  const auto queue = reader.text();
  const auto number = reader.bytes(1);
  if (!queue || !number || reader.rest().size() != sizeof(std::uint64_t)) return wrong();
  const auto state = static_cast<model::job_state>(number->front());
  if (!model::is_terminal(state) || state > model::job_state::rejected) return wrong();
  return ended_jobs_key{*queue, state};
}

result<std::vector<ledger::oldest_ended>> oldest_ended_jobs(store::read_txn& txn) {
  std::vector<ledger::oldest_ended> out;
  auto cursor = txn.open_cursor(table::history);
  if (!cursor) return fail(std::move(cursor.error()));
  std::string from(1, ended_jobs_kind);
  for (;;) {
    const auto entry = (*cursor)->seek(from);
    if (!entry) return fail(entry.error());
    if (!*entry || !(*entry)->key.starts_with(ended_jobs_kind)) return out;
    const auto key = decode_ended_jobs_key((*entry)->key);
    if (!key) return fail(key.error());
    const auto time_ns = history_time((*entry)->value);
    if (!time_ns) return fail(time_ns.error());
    out.push_back({model::queue_name{key->queue}, key->state, *time_ns});
    from = store::key_builder{}
               .bytes(ended_jobs_prefix(key->queue, key->state))
               .number(std::numeric_limits<std::uint64_t>::max())
               .take();
  }
}

result<void> expire_ended_jobs(write_txn& txn, const model::history_expired& limits,
                               std::size_t& room) {
  for (const auto& one : limits.ended) {
    if (room == 0) return {};
    const auto prefix = ended_jobs_prefix(one.queue, one.state);
    if (auto ok = expire_under(txn, prefix, one.before_ns, room); !ok) return ok;
  }
  return {};
}

}  // namespace argosy::view
