// SPDX-License-Identifier: Apache-2.0
// Goal: what it costs to write the postings of jobs, and to find and group jobs by conditions.
// Method: JOBS ended jobs in 5 queues and 1,000 job sets, 1 of 50 failed, with annotations of 20
// teams and 10,000 projects, in LMDB in a temporary folder; each query in one piece, the best of 5.
// Then the same number of jobs is submitted, one of 1,000 into a queue of its own and one of 1,000
// by another owner, searched, and ended. As many ended jobs are searched by their reasons: one of
// 100 failed, and all failed, for one of 20 reasons and each for its own, in 200 queues. At last,
// what is too old is looked for among ended jobs of a tenth as many queues.
//
//   bench_search [JOBS]
#include <unistd.h>

#include <filesystem>

#include "messages/view/history_codec.hpp"
#include "runtime/base/whole_number.hpp"
#include "runtime/store/lmdb/lmdb_database.hpp"
#include "tests/bench/search/bench_store.hpp"

namespace argosy::view {
namespace {

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
  find(*database, "owner:nobody", 0);
  find(*database, "owner:visitor", 0);
  find(*database, "owner:vis*", 0);
  find(*database, "owner:*sit*", 0);
  find(*database, "owner:user-1", 0, model::job_field::changed);
  find(*database, "reason:*nothing*", 0);
  find(*database, "", 0, model::job_field::submitted);
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

/// Searches by reasons where one of `each` ended jobs failed, for one of so many reasons.
void failed_jobs(const std::filesystem::path& place, std::uint64_t jobs, std::uint64_t each,
                 std::uint64_t reasons) {
  std::filesystem::create_directories(place);
  store::lmdb_options options;
  options.folder = place;
  auto database = store::open_lmdb(options).value();
  const auto took = write(*database, jobs, true, [&](std::uint64_t number) {
    auto ended = job_of(number, false);
    const bool failed = number % each == 0;
    auto header = *ended.header;
    header.queue = model::queue_name{"queue-" + std::to_string(number / each % 200)};
    ended.header = std::make_shared<const model::job_header>(std::move(header));
    ended.state = failed ? model::job_state::failed : model::job_state::succeeded;
    if (failed)
      ended.reason = "container main was killed: reason " + std::to_string(number / each % reasons);
    return ended;
  });
  std::printf("%llu of them failed, for %llu reasons:\n",
              static_cast<unsigned long long>(jobs / each),
              static_cast<unsigned long long>(reasons));
  report_written(*database, jobs, "ended jobs written", took);
  find(*database, "reason:*nothing*", 0);
  find(*database, "reason:\"container main was killed: reason 7\"", 0);
  find(*database, "reason:*killed*", 0);
  find(*database, "reason:*killed*", 0, model::job_field::changed);
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
    header.queue = model::queue_name{"queue-" + std::to_string(number % queues)};
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
  failed_jobs(folder / "few failed", jobs, 100, 20);
  failed_jobs(folder / "all failed", jobs, 1, 20);
  failed_jobs(folder / "each failed", jobs, 1, jobs);
  look_for_old(folder / "old", std::min<std::uint64_t>(jobs, 100'000));
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace argosy::view

int main(int argc, char** argv) {
  const auto jobs = argc > 1 ? argosy::whole_number<std::uint64_t>(argv[1]) : 1'000'000;
  return jobs ? argosy::view::run(*jobs) : 2;
}
