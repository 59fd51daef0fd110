// SPDX-License-Identifier: Apache-2.0
// Goal: an agent of a later version goes on with the runs, the reports and the identity that one of
// version 0.1 has kept. Method: the records that 0.1 wrote, each compared with what it was made of.
//
// With ARGOSY_WRITE_FORMATS in the environment the file is written anew, as in formats_0_1_test.
#include <gtest/gtest.h>

#include <cstdlib>

#include "messages/codec/agent/agent_codec.hpp"
#include "tests/integration/formats/kept_log.hpp"
#include "tests/integration/formats/values_0_1.hpp"

namespace argosy::testing {
namespace {

const std::filesystem::path agent_file =
    std::filesystem::path{ARGOSY_SOURCE_DIR} / "tests/integration/formats/0.1/agent.gz";

model::agent_run agent_run() {
  model::agent_run out;
  out.run = {job_0_1(5), 2};
  out.queue = "research";
  out.job_set = "night";
  out.node = "n1";
  out.phase = model::run_phase::failed;
  out.started_ns = begin_0_1_ns;
  out.outcome = failure_0_1();
  out.requests = {{"cpu", 1'500}, {"memory", 1 << 30}};
  out.trace = trace_0_1();
  out.grace_seconds = 20;
  out.deadline_seconds = 3'600;
  out.stopping = model::stop_cause::preempt;
  return out;
}

model::run_report report() {
  model::run_report out;
  out.sequence = 41;
  out.run = {job_0_1(5), 2};
  out.queue = "research";
  out.phase = model::run_phase::failed;
  out.time_ns = begin_0_1_ns;
  out.outcome = failure_0_1();
  out.note = "it warms up";
  out.trace = trace_0_1();
  out.pod = {"uid-5", {{80, "h:31"}}};
  out.usage = {{{"cpu", "1"}}, {{"cpu", "500m"}}, {{"cpu", "3600"}}};
  return out;
}

const ledger::executor_facts facts{{9}, {4}, 42, {77}, "control-plane", "host:/var/lib/argosy"};

TEST(agent_0_1, records_of_its_store_say_what_they_said) {
  if (std::getenv("ARGOSY_WRITE_FORMATS") != nullptr)
    write_kept_log(agent_file, {{{1}, "facts", codec::encode(facts)},
                                {{1}, "run", codec::encode(agent_run())},
                                {{1}, "report", codec::encode(report())}});
  const auto kept = read_kept_log(agent_file);
  ASSERT_EQ(kept.size(), 3u);
  const auto known = codec::decode_agent_facts(kept[0].bytes);
  ASSERT_TRUE(known) << known.error().detail;
  EXPECT_EQ(*known, facts);
  const auto stored = codec::decode_agent_run(kept[1].bytes);
  ASSERT_TRUE(stored) << stored.error().detail;
  EXPECT_EQ(*stored, agent_run());
  const auto told = codec::decode_report(kept[2].bytes);
  ASSERT_TRUE(told) << told.error().detail;
  EXPECT_EQ(codec::encode(*told), codec::encode(report()));
}

}  // namespace
}  // namespace argosy::testing
