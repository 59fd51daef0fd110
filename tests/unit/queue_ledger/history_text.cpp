// SPDX-License-Identifier: Apache-2.0
// Goal: this is the machinery of history_test.cpp. Method: see history_text.hpp.
#include "tests/unit/queue_ledger/history_text.hpp"

#include <sstream>

namespace argosy::ledger {

std::string describe(const model::job_record& record) {
  std::ostringstream out;
  out << to_string(record.header->id) << ' ' << model::to_string(record.state) << " p"
      << record.priority << " s" << static_cast<int>(record.stopping) << " at " << record.changed_ns
      << " '" << record.reason << "' '" << record.requestor << "' " << to_string(record.preemptor);
  if (record.hold)
    out << " held by " << record.hold->by << ' ' << record.hold->reason << ' '
        << record.hold->since_ns;
  for (const auto& run : record.runs)
    out << " [" << run.number << ' ' << model::to_string(run.state) << ' ' << run.cluster.str()
        << '/' << run.node.str() << ' ' << run.leased_ns << ' ' << run.pending_ns << ' '
        << run.started_ns << ' ' << run.finished_ns << ' ' << run.outcome.reason << ' '
        << run.outcome.message << ']';
  return out.str();
}

std::string describe(const change& what) {
  std::ostringstream out;
  out << what.index() << ' ';
  if (const auto* put = std::get_if<put_job>(&what))
    out << put->is_new << ' ' << describe(put->record);
  else if (const auto* index = std::get_if<index_event>(&what))
    out << index->queue << ' ' << index->job_set << ' ' << model::name_of(index->event.payload)
        << ' ' << to_string(model::job_of(index->event)) << ' ' << index->event.time_ns;
  else if (const auto* client = std::get_if<put_client_id>(&what))
    out << client->client_id << ' ' << to_string(client->jobs.front().first) << ' '
        << client->jobs.size() << ' ' << client->body_hash << ' ' << client->used_ns;
  else if (const auto* queue = std::get_if<put_queue>(&what))
    out << queue->settings.name << ' ' << queue->settings.cordoned << ' '
        << queue->settings.priority_factor;
  return out.str();
}

std::string describe(const queue_core& core) {
  std::vector<std::string> jobs;
  core.for_each([&](const model::job_record& record) { jobs.push_back(describe(record)); });
  std::sort(jobs.begin(), jobs.end());
  std::ostringstream out;
  out << core.exists() << ' ' << (core.exists() && core.settings()->cordoned) << ' '
      << core.live_count() << ' ' << core.client_id_count() << ' ' << core.holds().by_somebody()
      << '\n';
  for (const auto& line : jobs) out << line << '\n';
  for (const auto& set : core.job_sets())
    out << set.job_set << ' ' << set.queued << ' ' << set.active << '\n';
  for (const auto& gang : core.gangs()) {
    out << gang.gang->id;
    for (const auto& member : gang.members)
      out << ' ' << to_string(member.job) << member.placed << member.ran;
    out << '\n';
  }
  return out.str();
}

}  // namespace argosy::ledger
