// SPDX-License-Identifier: Apache-2.0
// Goal: a queue with very many jobs stays small, and no command on them is quadratic. Method: the
// heap in use before and after 20,000 submissions with realistic names and a 500-byte
// specification; work on all of them at once must end within the test's time limit.
#include <gtest/gtest.h>
#include <malloc.h>

#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

constexpr std::uint64_t job_count = 20'000;

std::vector<std::shared_ptr<const model::job_header>> many_jobs() {
  const auto shape = job_named(0).shape;
  std::vector<std::shared_ptr<const model::job_header>> jobs;
  jobs.reserve(job_count);
  for (std::uint64_t number = 1; number <= job_count; ++number) {
    auto header = job_named(number, "simulation-" + std::to_string(number / 1000) + "-2026-11");
    header.shape = shape;
    header.name_space = "research-workloads";
    header.client_id = "b7f9c2d0-0000-4000-8000-" + std::to_string(100'000'000'000 + number);
    header.spec = std::make_shared<const std::string>(500, 's');
    jobs.push_back(std::make_shared<const model::job_header>(std::move(header)));
  }
  return jobs;
}

TEST(queue_cost, a_waiting_job_takes_less_than_one_and_a_half_kibibytes) {
  const auto before = mallinfo2();
  if (before.uordblks == 0) GTEST_SKIP() << "the heap cannot be measured under this allocator";
  queue_core core{"q"};
  model::queue_settings settings;
  settings.name = "q";
  (void)core.apply(core.set(settings, write_mode::create, 1).events.at(0));
  {
    const auto jobs = many_jobs();
    for (std::size_t at = 0; at < jobs.size(); at += 1000) {
      const std::vector<std::shared_ptr<const model::job_header>> part(
          jobs.begin() + static_cast<std::ptrdiff_t>(at),
          jobs.begin() + static_cast<std::ptrdiff_t>(at + 1000));
      for (const auto& e : core.submit(part, 2).events) (void)core.apply(e);
    }
  }
  (void)core.take_dirty();
  const auto after = mallinfo2();
  ASSERT_EQ(core.live_count(), job_count);
  const auto used = (after.uordblks + after.hblkhd) - (before.uordblks + before.hblkhd);
  RecordProperty("bytes_per_job", static_cast<int>(used / job_count));
  EXPECT_LT(used / job_count, 1536U);
}

TEST(queue_cost, everything_at_once_is_not_quadratic) {
  queue_driver q;
  auto jobs = many_jobs();
  ASSERT_TRUE(q.run(q.core.submit(jobs, 2)));
  job_selection all;
  all.whole = true;
  EXPECT_EQ(q.run(q.core.reprioritize(all, 99, "bob", 3))->ids.size(), job_count);
  place_request plan;
  for (const auto& job : jobs)
    plan.leases.push_back({job->id, model::cluster_name{"c"}, model::node_name{"n1"},
                           model::pool_name{"default"}, 0});
  EXPECT_EQ(q.run(q.core.place(plan, 4))->started.size(), job_count);
  EXPECT_EQ(q.run(q.core.cancel(all, "bob", "", 5))->ids.size(), job_count);
  std::vector<model::run_report> reports(job_count);
  for (std::size_t i = 0; i < job_count; ++i) {
    reports[i].run = {jobs[i]->id, 1};
    reports[i].phase = model::run_phase::stopped;
  }
  EXPECT_EQ(q.run(q.core.report(model::cluster_name{"c"}, reports, 6))->taken, job_count);
  EXPECT_EQ(q.core.live_count(), 0U);
  EXPECT_TRUE(q.core.job_sets().empty());
}

TEST(queue_cost, a_large_gang_is_not_quadratic) {
  queue_driver q;
  const auto gang = gang_of("g", 4'000);
  std::vector<model::job_header> members;
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t number = 1; number <= 4'000; ++number) {
    members.push_back(job_named(number));
    members.back().gang = gang;
    numbers.push_back(number);
  }
  ASSERT_TRUE(q.submit(std::move(members)));
  ASSERT_EQ(q.lease(numbers)->started.size(), 4'000U);
  std::vector<model::run_key> runs;
  for (const auto number : numbers) runs.push_back({job_id(number), 1});
  ASSERT_EQ(q.run(q.core.lease_expired(runs, 5))->taken, 4'000U);
  EXPECT_EQ(q.core.count(model::job_state::queued), 4'000U);
  ASSERT_EQ(q.cancel(numbers)->ids.size(), 4'000U);
  EXPECT_TRUE(q.core.gangs().empty());
}

}  // namespace
}  // namespace argosy::ledger
