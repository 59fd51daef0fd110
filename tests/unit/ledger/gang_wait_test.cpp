// SPDX-License-Identifier: Apache-2.0
// Goal: no gang waits for ever for members that do not come or have ended, whatever happened to it
// before, and a gang is told what it waits for. Method: one core in every order of a few events and
// in random orders of many, such as losses before and after the start, preemption, retries and
// restarts; then time passes, and every gang that is left can be placed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "runtime/base/random.hpp"
#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

using model::job_state;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

constexpr std::int64_t one_second = 1'000'000'000;

job_selection these(std::vector<ulid> ids) {
  job_selection out;
  out.ids = std::move(ids);
  return out;
}

queue_config waits(boot_time limit) {
  queue_config out;
  out.gang_wait = limit;
  return out;
}

/// A queue with a gang "g" whose server starts anew now and then.
class gang_world {
 public:
  explicit gang_world(std::uint32_t minimum, boot_time limit = 60s)
      : minimum_(minimum), config_(waits(limit)) {
    q_.emplace(config_);
  }

  [[nodiscard]] bool join() {
    auto job = job_named(++last_);
    job.gang = gang_of("g", 3, minimum_);
    return q_->submit({job}).has_value();
  }
  void pass(std::int64_t nanos) {
    q_->now += nanos;
    ASSERT_TRUE(q_->run(q_->core.end_gang_waits(q_->now, since_)));
  }
  [[nodiscard]] std::optional<gang_wait> wait() const {
    return q_->core.wait_of_gang("g", q_->now, since_);
  }

  /// The view is kept, and all else is forgotten.
  void restart() {
    const auto old = std::move(q_);
    q_.emplace(config_);
    q_->now = old->now;
    old->core.for_each([&](const model::job_record& record) { q_->core.restore(record); });
    for (const auto& roll : q_->core.gangs()) {
      auto& gang = q_->gangs.try_emplace(roll.gang->id, roll.gang).first->second;
      for (const auto& member : roll.members) gang.restore(member);
      if (const auto report = gang.take_report()) q_->core.gang_reported(*report);
    }
    since_ = q_->now;
  }

  [[nodiscard]] std::vector<ulid> live() const {
    std::set<ulid> out;
    q_->core.for_each([&](const model::job_record& record) { out.insert(record.header->id); });
    return {out.begin(), out.end()};
  }
  [[nodiscard]] std::optional<ulid> placed() const {
    for (const auto& id : live())
      if (q_->core.find(id)->live_run() != nullptr) return id;
    return std::nullopt;
  }
  void lease(std::size_t but) {
    const auto ids = live();
    if (ids.size() <= but) return;
    place_request plan;
    for (std::size_t i = 0; i + but < ids.size(); ++i)
      plan.leases.push_back({ids[i], model::cluster_name{"c"}, model::node_name{"n"},
                             model::pool_name{"default"}, 0});
    ASSERT_TRUE(q_->run(q_->core.place(plan, ++q_->now)));
  }
  void cancel() {
    const auto ids = live();
    if (ids.empty()) return;
    ASSERT_TRUE(q_->run(q_->core.cancel(these({ids.front()}), "bob", "", ++q_->now)));
  }
  void hold(bool on) {
    const auto ids = live();
    if (ids.empty()) return;
    ASSERT_TRUE(q_->run(q_->core.hold(these(ids), on, "bob", "", ++q_->now)));
  }
  void preempt() {
    if (const auto id = placed())
      ASSERT_TRUE(q_->run(q_->core.preempt(these({*id}), "bob", "", ++q_->now)));
  }
  void report(model::run_phase phase) {
    const auto id = placed();
    if (!id) return;
    model::run_report report;
    report.run = {*id, q_->core.find(*id)->live_run()->number};
    report.queue = "q";
    report.phase = phase;
    ASSERT_TRUE(q_->run(q_->core.report(model::cluster_name{"c"}, {report}, ++q_->now)));
  }
  /// All runs that are being stopped are over.
  void stop() {
    for (const auto& id : live()) {
      const auto* record = q_->core.find(id);
      if (record == nullptr || record->stopping == model::stop_cause::none) continue;
      const auto* run = record->live_run();
      ASSERT_NE(run, nullptr);
      ASSERT_TRUE(q_->run(q_->core.lease_expired({{id, run->number}}, ++q_->now)));
    }
  }

  /// Says why the gang is stuck; empty if it ended, runs, or can be placed as a whole.
  [[nodiscard]] std::string stuck() {
    const auto ids = live();
    if (ids.empty() || placed()) return {};
    q_->core.touch_all();
    const auto seen = q_->core.take_dirty().jobs.set;
    if (seen.size() != ids.size()) return "no round sees it";
    for (const auto& item : seen)
      if (item.gang->cardinality != ids.size()) return "rounds miss members";
    bool ran = false;
    for (const auto& id : ids) ran = ran || !q_->core.find(id)->runs.empty();
    return ran || ids.size() >= minimum_ ? "" : "it goes on without its minimum";
  }

  queue_driver& queue() { return *q_; }

 private:
  std::uint32_t minimum_;
  queue_config config_;
  std::optional<queue_driver> q_;
  std::uint64_t last_ = 0;
  std::int64_t since_ = 0;
};

constexpr std::string_view all_steps = "jclmrfphHRtT";
void step(gang_world& world, char what) {
  switch (what) {
    case 'j':
      (void)world.join();
      break;
    case 'c':
      world.cancel();
      break;
    case 'l':
      world.lease(0);
      break;
    case 'm':
      world.lease(1);
      break;
    case 'r':
      world.report(model::run_phase::unknown);
      break;
    case 'f':
      world.report(model::run_phase::failed);
      break;
    case 'p':
      world.preempt();
      break;
    case 'h':
      world.hold(true);
      break;
    case 'H':
      world.hold(false);
      break;
    case 'R':
      world.restart();
      break;
    case 't':
      world.pass(one_second * 40);
      break;
    default:
      world.pass(one_second * 61);
  }
}

std::string outcome(std::uint32_t minimum, int members, const std::string& steps) {
  gang_world world{minimum};
  for (int i = 0; i < members; ++i) (void)world.join();
  for (const auto what : steps) step(world, what);
  world.hold(false);
  world.stop();
  world.pass(one_second * 61);
  return world.stuck();
}

void play_all(std::uint32_t minimum, std::string steps, std::size_t length) {
  for (int members = 0; members <= 3; ++members)
    ASSERT_EQ(outcome(minimum, members, steps), "")
        << "minimum " << minimum << ", " << members << " members, then " << steps;
  if (steps.size() == length) return;
  for (const auto next : all_steps) play_all(minimum, steps + next, length);
}

TEST(gang_waits, end_in_every_order_of_events) {
  play_all(1, "", 2);
  play_all(2, "", 3);
  play_all(3, "", 2);
}

TEST(gang_waits, end_in_random_orders_of_many_events) {
  seeded_random random{7};
  for (int i = 0; i < 1'500; ++i) {
    std::string steps;
    for (int step = 0; step < 10; ++step) steps += all_steps[random.next() % all_steps.size()];
    const auto minimum = static_cast<std::uint32_t>(1 + i % 3);
    ASSERT_EQ(outcome(minimum, 3, steps), "") << "minimum " << minimum << ", " << steps;
  }
}

TEST(gang_waits, let_a_gang_go_on_that_has_its_minimum) {
  gang_world world{2};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(world.join());
  world.cancel();
  EXPECT_EQ(world.stuck(), "no round sees it");
  ASSERT_TRUE(world.wait());
  EXPECT_THAT(to_string(*world.wait()),
              HasSubstr("2 of the 3 members of its gang are there; it starts when all are. If no "
                        "other is submitted within 60 s, it goes on with these"));
  world.pass(one_second * 61);
  EXPECT_EQ(world.stuck(), "");
  EXPECT_FALSE(world.wait());
  world.lease(0);
  EXPECT_EQ(world.live().size(), 2U);
  EXPECT_TRUE(world.placed());
}

TEST(gang_waits, reject_a_gang_that_never_had_its_minimum) {
  gang_world world{3};
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(world.join());
  EXPECT_THAT(to_string(*world.wait()), HasSubstr("these are rejected, since it needs at least 3"));
  world.pass(one_second * 30);
  EXPECT_EQ(world.live().size(), 2U);
  world.pass(one_second * 31);
  EXPECT_THAT(world.live(), IsEmpty());
  EXPECT_EQ(world.queue().stored(1).state, job_state::rejected);
  EXPECT_THAT(world.queue().stored(1).reason,
              HasSubstr("only 2 of the 3 members of its gang 'g' were there"));
}

TEST(gang_waits, begin_anew_with_each_member_with_a_release_and_with_a_restart) {
  gang_world world{3};
  ASSERT_TRUE(world.join());
  world.pass(one_second * 50);
  ASSERT_TRUE(world.join());
  world.pass(one_second * 50);
  world.hold(true);
  world.pass(one_second * 500);
  EXPECT_EQ(world.wait()->left_ns, -1) << "nobody waits for the members of a gang that is held";
  world.hold(false);
  world.pass(one_second * 50);
  world.restart();
  world.pass(one_second * 50);
  EXPECT_EQ(world.live().size(), 2U);
  world.pass(one_second * 11);
  EXPECT_THAT(world.live(), IsEmpty());
}

TEST(gang_waits, end_with_a_late_member_only_when_the_gang_is_whole_or_has_waited_again) {
  gang_world world{1};
  ASSERT_TRUE(world.join());
  world.pass(one_second * 61);
  EXPECT_EQ(world.stuck(), "");
  ASSERT_TRUE(world.join());
  EXPECT_EQ(world.stuck(), "no round sees it");
  ASSERT_TRUE(world.join());
  EXPECT_EQ(world.stuck(), "");
}

TEST(gang_waits, last_for_ever_where_there_is_no_limit) {
  gang_world world{3, 0s};
  ASSERT_TRUE(world.join());
  world.pass(one_second * 1'000'000);
  EXPECT_EQ(world.live().size(), 1U);
  EXPECT_EQ(to_string(*world.wait()),
            "1 of the 3 members of its gang are there; it starts when all are");
}

TEST(gang_waits, outlast_a_clock_that_is_set_back) {
  gang_world world{3};
  world.queue().now = one_second * 1'000'000;
  ASSERT_TRUE(world.join());
  world.pass(-one_second * 900'000);
  EXPECT_EQ(world.wait()->left_ns, 60 * one_second);
}

}  // namespace
}  // namespace argosy::ledger
