// SPDX-License-Identifier: Apache-2.0
// Goal: the checker finds what starts where operators have closed something, and queues that others
// starve. Method: small logs made by hand.
#include <gtest/gtest.h>

#include "bins/simulator/witness/fair_story.hpp"
#include "bins/simulator/witness/log_story.hpp"

namespace argosy::witness {
namespace acts_test {
namespace {

ulid id(std::uint8_t number) {
  ulid out;
  out.bytes[15] = number;
  return out;
}

model::event of_queue(const std::string& queue, model::event_payload payload,
                      std::int64_t time_ns = 0) {
  return {time_ns, model::queue_name{queue}, std::move(payload)};
}

model::event queue_set(const std::string& name, bool cordoned = false) {
  model::queue_settings settings;
  settings.name = model::queue_name{name};
  settings.cordoned = cordoned;
  return of_queue(name, model::queue_set{settings});
}

model::event submitted(std::uint8_t job, const std::string& queue, std::int64_t time_ns = 0) {
  auto header = std::make_shared<model::job_header>();
  header->id = id(job);
  header->queue = model::queue_name{queue};
  auto shape = std::make_shared<model::job_shape>();
  shape->requests = {{"cpu", 1'000}};
  header->shape = std::move(shape);
  return of_queue(queue, model::job_submitted{header}, time_ns);
}

model::event leased(std::uint8_t job, const std::string& queue, std::uint64_t round = 1,
                    std::int64_t time_ns = 0) {
  return of_queue(queue,
                  model::job_leased{{id(job), 1},
                                    model::cluster_name{"c"},
                                    model::node_name{"n"},
                                    model::pool_name{"default"},
                                    0,
                                    round},
                  time_ns);
}

model::event cordon(const std::string& node, bool on) {
  return of_queue(
      "", model::cordon_changed{model::cluster_name{"c"}, model::node_name{node}, on, "", ""});
}

model::event decided(std::uint64_t number) {
  model::round_decided round;
  round.number = number;
  return of_queue("", round);
}

std::string found_in(const std::vector<model::event>& events) {
  log_story story;
  std::uint64_t position = 0;
  for (const auto& event : events) story.add(++position, event);
  story.finish();
  std::string out;
  for (const auto& one : story.findings()) out += one.promise + ": " + one.text + "\n";
  return out;
}

TEST(acts, a_cordoned_queue_starts_nothing) {
  EXPECT_NE(found_in({queue_set("q", true), submitted(1, "q"), leased(1, "q")}), "");
  EXPECT_EQ(found_in({queue_set("q", true), queue_set("q"), submitted(1, "q"), leased(1, "q")}),
            "");
}

TEST(acts, a_held_job_does_not_start) {
  const auto held = of_queue("q", model::job_held{id(1), "", ""});
  const auto released = of_queue("q", model::job_released{id(1), "", ""});
  EXPECT_NE(found_in({submitted(1, "q"), held, leased(1, "q")}), "");
  EXPECT_EQ(found_in({submitted(1, "q"), held, released, leased(1, "q")}), "");
}

TEST(acts, later_rounds_start_nothing_on_what_is_cordoned) {
  for (const std::string node : {"n", ""}) {
    EXPECT_NE(found_in({submitted(1, "q"), decided(5), cordon(node, true), leased(1, "q", 9)}), "");
    EXPECT_EQ(found_in({submitted(1, "q"), decided(5), cordon(node, true), leased(1, "q", 6)}), "");
    EXPECT_EQ(found_in({submitted(1, "q"), decided(5), cordon(node, true), cordon(node, false),
                        leased(1, "q", 9)}),
              "");
  }
}

TEST(acts, a_deleted_queue_gets_no_jobs) {
  EXPECT_NE(found_in({queue_set("q"), of_queue("q", model::queue_deleted{}), submitted(1, "q")}),
            "");
}

TEST(acts, a_drain_is_over_only_when_nothing_runs_there) {
  model::operation_changed drain;
  drain.now.cluster = model::cluster_name{"c"};
  drain.now.state = model::operation_state::done;
  const auto ended = of_queue("q", model::run_succeeded{{id(1), 1}, {}});
  for (const std::string node : {"n", ""}) {
    drain.now.node = model::node_name{node};
    EXPECT_NE(found_in({submitted(1, "q"), leased(1, "q"), of_queue("", drain)}), "");
    EXPECT_EQ(found_in({submitted(1, "q"), leased(1, "q"), ended, of_queue("", drain)}), "");
  }
  drain.now.node = model::node_name{"other"};
  EXPECT_EQ(found_in({submitted(1, "q"), leased(1, "q"), of_queue("", drain)}), "");
}

TEST(acts, nothing_happens_to_a_job_that_has_ended) {
  const auto ended = of_queue("q", model::job_cancelled{id(1), "", ""});
  EXPECT_NE(
      found_in({submitted(1, "q"), ended, of_queue("q", model::job_reprioritized{id(1), 3, ""})}),
      "");
}

/// One job of queue "waits" is there from the beginning, and many of queue "greedy" start.
std::size_t starved(std::uint8_t others, std::int64_t after_ns, bool closed = false) {
  fair_story story;
  story.add(queue_set("greedy"));
  story.add(queue_set("waits", closed));
  story.add(submitted(1, "waits"));
  for (std::uint8_t i = 0; i < others; ++i) {
    const auto job = static_cast<std::uint8_t>(10 + i);
    story.add(submitted(job, "greedy", after_ns));
    story.add(leased(job, "greedy", 1, after_ns));
  }
  return story.findings().size();
}

TEST(fairness, finds_a_queue_that_is_passed_over_again_and_again) {
  constexpr std::int64_t minute_ns = 60'000'000'000;
  EXPECT_EQ(starved(60, 5 * minute_ns), 1u);
  EXPECT_EQ(starved(20, 5 * minute_ns), 0u);
  EXPECT_EQ(starved(60, minute_ns / 2), 0u);
  EXPECT_EQ(starved(60, 5 * minute_ns, true), 0u);
}

}  // namespace
}  // namespace acts_test
}  // namespace argosy::witness
