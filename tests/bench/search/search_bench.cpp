// SPDX-License-Identifier: Apache-2.0
// Goal: what it costs to write the postings of jobs, and to find and group jobs by conditions.
// Method: JOBS ended jobs in 5 queues and 1,000 job sets, 1 of 50 failed, with annotations of 20
// teams and 10,000 projects, in LMDB in a temporary folder; each query in one piece, the best of 5.
// Then the same number of jobs is submitted, one of 1,000 into a queue of its own, searched, and
// ended. At last, what is too old is looked for among ended jobs of a tenth as many queues.
//
//   bench_search [JOBS]
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string>

#include "messages/codec/api/search_text.hpp"
#include "messages/proto/argosy/log.pb.h"
#include "messages/view/history_codec.hpp"
#include "messages/view/search/job_grouping.hpp"
#include "messages/view/search/job_search.hpp"
#include "messages/view/writer.hpp"
#include "runtime/base/check.hpp"
#include "runtime/base/whole_number.hpp"
#include "runtime/store/lmdb/lmdb_database.hpp"

namespace argosy::view {
namespace {

using clock = std::chrono::steady_clock;

double millis_since(clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(clock::now() - begin).count();
}

model::job_record job_of(std::uint64_t number, bool tagged) {
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
  header.queue = "queue-" + std::to_string(number % 5);
  header.job_set = "set-" + std::to_string(number / 5 % 1'000);
  header.owner = "user-" + std::to_string(number % 40);
  header.name_space = "default";
  header.submitted_ns = 1'700'000'000'000'000'000 + static_cast<std::int64_t>(number) * 1'000'000;
  header.shape = std::make_shared<const model::job_shape>(shape);
  header.spec = std::make_shared<const std::string>(spec.SerializeAsString());
  model::run_record run;
  run.number = 1;
  run.state = number % 50 == 0 ? model::run_state::failed : model::run_state::succeeded;
  run.cluster = "cluster-" + std::to_string(number % 3);
  run.node = "node-" + std::to_string(number % 500);
  run.pool = "default";
  model::job_record out;
  out.header = std::make_shared<const model::job_header>(std::move(header));
  out.state = number % 50 == 0 ? model::job_state::failed : model::job_state::succeeded;
  out.changed_ns = out.header->submitted_ns + 60'000'000'000;
  out.runs.push_back(std::move(run));
  return out;
}

model::job_record queued_job_of(std::uint64_t number) {
  auto out = job_of(number, false);
  auto header = *out.header;
  if (number % 1'000 == 0) header.queue = "rare";
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
    batch.position = ++position;
    batch.entries = {std::make_shared<const native::append_request>(std::move(request))};
    auto txn = database.begin_write();
    ARGOSY_CHECK(txn && write_batch(**txn, batch, [](const auto&) {}) && (*txn)->commit());
  }
  return {millis_since(begin),
          static_cast<double>(std::clock() - processor) / (CLOCKS_PER_SEC / 1e3)};
}

void report_written(store::database& database, std::uint64_t jobs, const char* what,
                    const write_time& took) {
  std::printf("%llu %s in %.0f ms, %.0f ms of the processor, %.0f MB\n",
              static_cast<unsigned long long>(jobs), what, took.wall_ms, took.processor_ms,
              static_cast<double>(database.usage()->used_bytes) / 1e6);
}

model::job_conditions conditions(std::string_view text) {
  return {codec::parse_search_text(text, {}).value(), false};
}

template <class Query>
auto whole(store::database& database, Query query) {
  auto txn = database.begin_read();
  ARGOSY_CHECK(txn && query.go_on(**txn).value());
  return query.take();
}

void report(const char* what, double millis, std::uint64_t looked_at, std::size_t found) {
  std::printf("%-68s %9.2f ms, looked at %8llu, found %6zu\n", what, millis,
              static_cast<unsigned long long>(looked_at), found);
}

constexpr std::size_t everything = std::size_t{1} << 40;

void find(store::database& database, const std::string& where, std::uint32_t skip,
          model::job_field by = model::job_field::id) {
  native::find_jobs query{{conditions(where), {by, false}, 100, skip, {}}};
  double best = 1e9;
  native::found_jobs page;
  for (int i = 0; i < 5; ++i) {
    const auto begin = clock::now();
    page = whole(database, job_search{query, {1'500'000, everything}});
    best = std::min(best, millis_since(begin));
  }
  auto what = "100 of '" + where + "'";
  if (skip > 0) what += " behind " + std::to_string(skip);
  if (by != model::job_field::id) what += " by time of change";
  report(what.c_str(), best, page.looked_at, page.jobs.size());
}

/// Page after page by cursor, and then the time of the last one.
void find_page(store::database& database, const std::string& where, int number) {
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

void group(store::database& database, const std::string& where, model::job_field by,
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

void live_jobs(const std::filesystem::path& place, std::uint64_t jobs) {
  std::filesystem::create_directories(place);
  store::lmdb_options options;
  options.folder = place;
  auto database = store::open_lmdb(options).value();
  report_written(*database, jobs, "jobs submitted", write(*database, jobs, true, queued_job_of));
  find(*database, "queue:rare", 0);
  find(*database, "queue:rare state:queued", 0, model::job_field::changed);
  find(*database, "queue:rare state:running", 0);
  find(*database, "queue:queue-1 state:queued", 0);
  find(*database, "queue:queue-1 owner:nobody", 0);
  find(*database, "jobset:set-0", 0);
  find(*database, "", 0);
  find(*database, "state:active", 0);
  find(*database, "state:failed", 0);
  group(*database, "queue:rare", model::job_field::job_set, "job set");
  const auto took = write(*database, jobs, false, [](std::uint64_t number) {
    auto ended = queued_job_of(number);
    ended.state = model::job_state::cancelled;
    return ended;
  });
  report_written(*database, jobs, "of them cancelled", took);
}

/// Takes the time of a look for what is too old while nothing is, with rules for 100 queues.
void look_for_old(const std::filesystem::path& place, std::uint64_t jobs) {
  std::filesystem::create_directories(place);
  store::lmdb_options options;
  options.folder = place;
  auto database = store::open_lmdb(options).value();
  const auto queues = std::max<std::uint64_t>(jobs / 10, 1);
  write(*database, jobs, true, [queues](std::uint64_t number) {
    auto ended = job_of(number, false);
    auto header = *ended.header;
    header.queue = "queue-" + std::to_string(number % queues);
    ended.header = std::make_shared<const model::job_header>(std::move(header));
    return ended;
  });
  ledger::retention_config rules;
  for (int i = 0; i < 100; ++i)
    rules.jobs_by_queue.push_back({"queue-" + std::to_string(i) + "*", std::chrono::hours{9}, {}});
  double best = 1e9;
  std::size_t found = 0;
  for (int i = 0; i < 5; ++i) {
    const auto begin = clock::now();
    auto txn = database->begin_read();
    const auto oldest = read_oldest_kept(**txn).value();
    found = oldest.ended.size();
    ARGOSY_CHECK(!ledger::expire_due(rules, oldest, 0));
    best = std::min(best, millis_since(begin));
  }
  report("the oldest of each queue and state", best, found, 0);
}

}  // namespace

int run(std::uint64_t jobs) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("argosy_bench_search_" + std::to_string(::getpid()));
  for (const bool tagged : {false, true}) {
    const auto place = folder / (tagged ? "tagged" : "plain");
    std::filesystem::create_directories(place);
    store::lmdb_options options;
    options.folder = place;
    auto database = store::open_lmdb(options).value();
    const auto took = write(*database, jobs, true,
                            [tagged](std::uint64_t number) { return job_of(number, tagged); });
    report_written(*database, jobs,
                   tagged ? "ended jobs with 2 annotations and a label written"
                          : "ended jobs with no annotations written",
                   took);
    if (!tagged) continue;
    find(*database, "queue:queue-0 state:failed @project:project-50", 0);
    find(*database, "queue:queue-0 state:succeeded @team:team-5", 0);
    find(*database, "@project:project-77", 0);
    find(*database, "queue:queue-1", 0);
    find_page(*database, "queue:queue-1 state:succeeded", 1);
    find_page(*database, "queue:queue-1 state:succeeded", 1'000);
    find(*database, "queue:queue-1", 100'000);
    find(*database, "jobset:set-7", 0);
    find(*database, "jobset:set-77*", 0);
    find(*database, "state:preempted", 0);
    find(*database, "reason:*memory*", 0);
    find(*database, "owner:nobody", 0);
    find(*database, "state:failed", 0, model::job_field::changed);
    group(*database, "", model::job_field::job_set, "job set");
    group(*database, "queue:queue-0", model::job_field::job_set, "job set");
    group(*database, "", model::job_field::annotation, "annotation", "team");
  }
  live_jobs(folder / "live", jobs);
  look_for_old(folder / "old", std::min<std::uint64_t>(jobs, 100'000));
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace argosy::view

int main(int argc, char** argv) {
  const auto jobs = argc > 1 ? argosy::whole_number<std::uint64_t>(argv[1]) : 1'000'000;
  return jobs ? argosy::view::run(*jobs) : 2;
}
