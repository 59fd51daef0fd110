// SPDX-License-Identifier: Apache-2.0
// Goal: ended jobs of two queues and two states are each kept for the span that the rules give
// them, also when another leader takes over in between, and every replica forgets the same.
// Method: a control plane in virtual time with short retention; a second store is rebuilt from the
// log and compared.
#include <gmock/gmock.h>

#include <map>
#include <string>

#include "runtime/store/scan.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using store::table;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct retention_by_state : control_plane_test {
  retention_by_state() { begin(); }

  void begin() {
    start([](actors::root_config& with) {
      with.retention.events = 60s;
      with.retention.jobs = 100s;
      with.retention.jobs_by_state.failed = 250s;
      ledger::queue_retention rule;
      rule.pattern = "b*";
      rule.all = 180s;
      rule.by_state.failed = 400s;
      with.retention.jobs_by_queue = {rule};
    });
  }

  /// Makes a job that runs and ends so.
  std::string ended_job(const std::string& queue, scripted_agent& agent, run_phase how) {
    const auto id = submit(queue).at(0);
    pass();
    agent.end(id, how);
    pass();
    return id;
  }

  std::vector<std::string> keys(table in) {
    std::vector<std::string> out;
    auto txn = database->begin_read();
    EXPECT_TRUE(store::scan(**txn, in, {}, [&](const store::entry& entry) {
      out.emplace_back(entry.key);
      return true;
    }));
    return out;
  }

  /// The jobs of both queues, as "QUEUE STATE".
  std::vector<std::string> kept() {
    std::vector<std::string> out;
    for (const auto* queue : {"a", "b"})
      for (const auto& each : jobs(queue))
        out.push_back(std::string{queue} + ' ' + api::JobState_Name(each.state()));
    std::sort(out.begin(), out.end());
    return out;
  }
};

TEST_F(retention_by_state, each_queue_and_state_goes_after_its_own_span_also_after_a_restart) {
  create_queue("a");
  create_queue("b");
  auto& agent = add_agent("c", {node_of("n", 8)});
  for (const auto* queue : {"a", "b"})
    for (const auto how : {run_phase::succeeded, run_phase::failed}) ended_job(queue, agent, how);
  ASSERT_THAT(kept(), ElementsAre("a FAILED", "a SUCCEEDED", "b FAILED", "b SUCCEEDED"));
  pass(80s);
  EXPECT_EQ(kept().size(), 4U);
  pass(40s);
  EXPECT_THAT(kept(), ElementsAre("a FAILED", "b FAILED", "b SUCCEEDED"));

  crash();
  begin();
  reconnect_agents();
  EXPECT_EQ(kept().size(), 3U);
  pass(90s);
  EXPECT_THAT(kept(), ElementsAre("a FAILED", "b FAILED"));
  pass(70s);
  EXPECT_THAT(kept(), ElementsAre("b FAILED"));

  ended_job("a", agent, run_phase::succeeded);
  stop();
  const std::vector<table> tables{table::jobs_done, table::specs,      table::job_sets,
                                  table::history,   table::set_counts, table::job_postings};
  std::map<table, std::vector<std::string>> before;
  for (const auto in : tables) before[in] = keys(in);
  EXPECT_EQ(before[table::jobs_done].size(), 2U);
  database = std::make_shared<store::memory_database>();
  begin();
  reconnect_agents();
  for (const auto in : tables) EXPECT_EQ(keys(in), before[in]) << store::to_string(in);

  pass(150s);
  EXPECT_THAT(kept(), IsEmpty());
  EXPECT_THAT(keys(table::jobs_done), IsEmpty());
  EXPECT_THAT(keys(table::job_postings), IsEmpty());
}

}  // namespace argosy::tests
