// SPDX-License-Identifier: Apache-2.0
#include "messages/view/search/queue_jobs.hpp"

#include <utility>

#include "messages/view/search/postings.hpp"
#include "messages/view/view_keys.hpp"

namespace argosy::view {

namespace {

using model::job_state;
using store::table;

/// Adds the live jobs of the queue.
result<void> add_live(store::read_txn& txn, const std::string& queue, const state_filter& wants,
                      direction way, std::vector<id_stream_ptr>& any) {
  auto posted = ids_in_table(txn, table::job_postings, live_prefix(queue), way);
  if (!posted) return fail(posted.error());
  const auto in = wants(job_state::queued) ? table::jobs_live : table::jobs_placed;
  auto listed = ids_in_table(txn, in, {}, way);
  if (!listed) return fail(listed.error());
  std::vector<id_stream_ptr> all;
  all.push_back(std::move(*posted));
  all.push_back(std::move(*listed));
  any.push_back(all_of(std::move(all)));
  return {};
}

}  // namespace

result<id_stream_ptr> ids_in_queues(store::read_txn& txn, const std::vector<std::string>& queues,
                                    const state_filter& wants, direction way) {
  std::vector<id_stream_ptr> any;
  bool live = false;
  for (std::size_t i = 0; i < job_states; ++i) {
    const auto state = static_cast<job_state>(i);
    if (!wants(state)) continue;
    if (!model::is_terminal(state)) {
      live = true;
      continue;
    }
    for (const auto& queue : queues) {
      auto ended = ids_in_table(txn, table::job_postings, ended_prefix(state, queue), way);
      if (!ended) return fail(ended.error());
      any.push_back(std::move(*ended));
    }
  }
  if (live)
    for (const auto& queue : queues)
      if (auto added = add_live(txn, queue, wants, way, any); !added) return fail(added.error());
  return any_of(std::move(any), way);
}

result<std::optional<std::string_view>> record_of(store::read_txn& txn, const ulid& id) {
  auto record = txn.get(table::jobs_done, job_key(id));
  if (!record || *record) return record;
  return txn.get(table::jobs_live, job_key(id));
}

}  // namespace argosy::view
