// SPDX-License-Identifier: Apache-2.0
// This file has the jobs of the bench of searches, and functions that write, find and group them
// and tell the time that it takes.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

#include "messages/codec/api/search_text.hpp"
#include "messages/proto/argosy/log.pb.h"
#include "messages/view/search/job_grouping.hpp"
#include "messages/view/search/job_search.hpp"
#include "messages/view/writer.hpp"
#include "runtime/base/check.hpp"

namespace argosy::view {

using clock = std::chrono::steady_clock;

inline double millis_since(clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(clock::now() - begin).count();
}

inline model::job_record job_of(std::uint64_t number, bool tagged) {
  log::v1::JobSpec spec;
  auto& container = *spec.mutable_pod_spec()->add_containers();
  container.set_image("team/image:latest");
  container.add_command("python");
  container.add_args(std::string(300, 'x'));
  if (tagged) {
    (*spec.mutable_annotations())["team"] = "team-" + std::to_string(number % 20);
    (*spec.mutable_annotations())["project"] = "project-" + std::to_string(number % 10'000);
    (*spec.mutable_labels())["app"] = "app-" + std::to_string(number % 7);
  }
  model::job_shape shape;
  shape.requests = {{"cpu", 1'000}, {"memory", 1 << 30}};
  shape.priority_class = "armada-default";
  model::job_header header;
  header.id = ulid_from_hash(1'700'000'000'000 + number / 10, number, number);
  header.queue = model::queue_name{"queue-" + std::to_string(number % 5)};
  header.job_set = "set-" + std::to_string(number / 5 % 1'000);
  header.owner = "user-" + std::to_string(number % 40);
  header.name_space = "default";
  header.submitted_ns = 1'700'000'000'000'000'000 + static_cast<std::int64_t>(number) * 100'000;
  header.shape = std::make_shared<const model::job_shape>(shape);
  header.spec = std::make_shared<const std::string>(spec.SerializeAsString());
  model::run_record run;
  run.number = 1;
  run.state = number % 50 == 0 ? model::run_state::failed : model::run_state::succeeded;
  run.cluster = model::cluster_name{"cluster-" + std::to_string(number % 3)};
  run.node = model::node_name{"node-" + std::to_string(number % 500)};
  run.pool = model::pool_name{"default"};
  model::job_record out;
  out.header = std::make_shared<const model::job_header>(std::move(header));
  out.state = number % 50 == 0 ? model::job_state::failed : model::job_state::succeeded;
  out.changed_ns = out.header->submitted_ns + 60'000'000'000;
  out.runs.push_back(std::move(run));
  return out;
}

inline model::job_record queued_job_of(std::uint64_t number) {
  auto out = job_of(number, false);
  auto header = *out.header;
  if (number % 1'000 == 0) header.queue = "rare";
  if (number % 1'000 == 500) header.owner = "visitor";
  out.header = std::make_shared<const model::job_header>(std::move(header));
  out.state = model::job_state::queued;
  out.runs.clear();
  return out;
}

struct write_time {
  double wall_ms = 0;
  double processor_ms = 0;  ///< This is steadier beside other programs.
};

/// Writes the jobs that `make` makes of their numbers.
template <class Make>
write_time write(store::database& database, std::uint64_t jobs, bool is_new, Make make) {
  constexpr std::uint64_t in_a_batch = 1'000;
  static std::uint64_t position = 0;
  const auto begin = clock::now();
  const auto processor = std::clock();
  for (std::uint64_t number = 0; number < jobs;) {
    native::append_request request;
    for (; number < jobs && request.changes.size() < in_a_batch; ++number)
      request.changes.emplace_back(ledger::put_job{make(number), is_new});
    native::committed_batch batch;
    batch.position = {++position};
    batch.entries = {std::make_shared<const native::append_request>(std::move(request))};
    auto txn = database.begin_write();
    ARGOSY_CHECK(txn && write_batch(**txn, batch, [](const auto&) {}) && (*txn)->commit());
  }
  return {millis_since(begin),
          static_cast<double>(std::clock() - processor) / (CLOCKS_PER_SEC / 1e3)};
}

inline void report_written(store::database& database, std::uint64_t jobs, const char* what,
                           const write_time& took) {
  std::printf("%llu %s in %.0f ms, %.0f ms of the processor, %.0f MB\n",
              static_cast<unsigned long long>(jobs), what, took.wall_ms, took.processor_ms,
              static_cast<double>(database.usage()->used_bytes) / 1e6);
}

inline model::job_conditions conditions(std::string_view text) {
  return {codec::parse_search_text(text, {}).value(), false};
}

template <class Query>
auto whole(store::database& database, Query query) {
  auto txn = database.begin_read();
  ARGOSY_CHECK(txn);
  while (!query.go_on(**txn).value()) continue;
  return query.take();
}

inline void report(const char* what, double millis, std::uint64_t looked_at, std::size_t found) {
  std::printf("%-68s %9.2f ms, looked at %8llu, found %6zu\n", what, millis,
              static_cast<unsigned long long>(looked_at), found);
}

inline constexpr std::size_t everything = std::size_t{1} << 40;

inline void find(store::database& database, const std::string& where, std::uint32_t skip,
                 model::job_field by = model::job_field::id) {
  native::find_jobs query{{conditions(where), {by, false}, 100, skip, {}}};
  // By time of submission a search ends with the piece behind which no job can be later.
  const search_bounds bounds{1'500'000, by == model::job_field::submitted ? 10'000 : everything};
  double best = 1e9;
  native::found_jobs page;
  for (int i = 0; i < 5; ++i) {
    const auto begin = clock::now();
    page = whole(database, job_search{query, bounds});
    best = std::min(best, millis_since(begin));
  }
  auto what = "100 of '" + where + "'";
  if (skip > 0) what += " behind " + std::to_string(skip);
  if (by == model::job_field::changed) what += " by time of change";
  if (by == model::job_field::submitted) what += " by time of submission";
  report(what.c_str(), best, page.looked_at, page.jobs.size());
}

/// Page after page by cursor, and then the time of the last one.
inline void find_page(store::database& database, const std::string& where, int number) {
  native::find_jobs query{{conditions(where), {}, 100, 0, {}}};
  double took = 0;
  native::found_jobs page;
  for (int i = 0; i < number; ++i) {
    const auto begin = clock::now();
    page = whole(database, job_search{query, {1'500'000, everything}});
    took = millis_since(begin);
    if (!page.next) break;
    query.after = page.next;
  }
  report(("page " + std::to_string(number) + " of '" + where + "'").c_str(), took, page.looked_at,
         page.jobs.size());
}

inline void group(store::database& database, const std::string& where, model::job_field by,
                  const char* name, const char* key = "") {
  double best = 1e9;
  native::job_groups found;
  for (int i = 0; i < 5; ++i) {
    native::group_jobs query;
    query.conditions = conditions(where);
    query.by = by;
    query.key = key;
    const auto begin = clock::now();
    found = whole(database, job_grouping{query, {everything, 200'000}});
    best = std::min(best, millis_since(begin));
  }
  report(("'" + where + "' grouped by " + name).c_str(), best, found.looked_at,
         found.groups.size());
}

}  // namespace argosy::view
