// SPDX-License-Identifier: Apache-2.0
// Goal: nothing durable goes by the wall clock of the machine: a jump of it, also over a restart,
// erases nothing that is kept for a time. Method: a control plane whose machine's wall clock is set
// by hand in virtual time; it has the clock that argosyd gives it.
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/logging/log_clock.hpp"
#include "runtime/store/scan.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct log_clock : control_plane_test {
  log_clock() { begin(); }

  /// The clocks of a machine: the wall clock is off by what the test says.
  struct machine_clock final : clock_source {
    explicit machine_clock(const clock_source& right) : right_(right) {}
    wall_time wall() const override { return right_.wall() + off; }
    boot_time boot() const override { return right_.boot(); }
    boot_time off{};

   private:
    const clock_source& right_;
  };

  void begin() {
    start([this](actors::root_config& with) {
      const clock_mark now{{}, machine.wall(), machine.boot(), boot_id};
      std::optional<wall_time> newest;
      if (with.recovered.newest_ns > 0) newest = from_nanos(with.recovered.newest_ns);
      time = std::make_unique<logging::log_clock>(
          machine, boot_id, log_time_rules{},
          begin_log_time({}, newest, with.recovered.clock, now));
      with.clock = time.get();
      with.mark_clock = [this] { return time->mark(); };
    });
  }

  std::size_t size(store::table in) {
    std::size_t out = 0;
    auto txn = database->begin_read();
    EXPECT_TRUE(store::scan(**txn, in, {}, [&](const store::entry&) {
      ++out;
      return true;
    }));
    return out;
  }

  /// Makes a job with a client id that runs and succeeds.
  std::string ended_job() {
    create_queue("a");
    auto& agent = add_agent("c", {node_of("n", 4)});
    const auto id = submit("a", {.client_id = "x"}).at(0);
    pass();
    agent.end(id, run_phase::succeeded);
    pass();
    return id;
  }

  machine_clock machine{clock};
  std::string boot_id = "one";
  std::unique_ptr<logging::log_clock> time;
};

TEST_F(log_clock, that_jumps_for_a_minute_erases_nothing) {
  const auto id = ended_job();
  const auto events = size(store::table::events);
  machine.off = 8 * 24h;
  pass(66s);
  machine.off = {};
  pass(66s);
  EXPECT_EQ(job(id).state(), api::SUCCEEDED);
  EXPECT_EQ(size(store::table::client_ids), 1U);
  EXPECT_EQ(size(store::table::events), events);
  EXPECT_EQ(submit("a", {.client_id = "x"}).at(0), id);
}

TEST_F(log_clock, that_jumps_does_not_cut_the_tail) {
  ended_job();
  const auto batches = size(store::table::tail);
  ASSERT_GT(batches, 3U);
  machine.off = 1h;
  pass(66s);
  EXPECT_GE(size(store::table::tail), batches);
  machine.off = {};
  pass(10min);
  EXPECT_LT(size(store::table::tail), batches) << "time has passed";
}

TEST_F(log_clock, that_is_behind_cuts_the_tail_nevertheless) {
  ended_job();
  const auto batches = size(store::table::tail);
  machine.off = -24h;
  pass(12min);
  EXPECT_LT(size(store::table::tail), batches);
}

TEST_F(log_clock, that_is_wrong_when_the_machine_starts_erases_no_client_id) {
  const auto id = ended_job();
  for (int restart = 0; restart < 5; ++restart) {
    crash();
    machine.off = 70 * 365 * 24h;
    boot_id += "+";
    begin();
    pass(66s);
  }
  crash();
  machine.off = {};
  boot_id = "last";
  begin();
  EXPECT_EQ(submit("a", {.client_id = "x"}).at(0), id);
}

TEST_F(log_clock, never_goes_back_over_a_restart) {
  create_queue("a");
  pass(10min);
  const auto before = job(submit("a").at(0)).submitted_ns();
  crash();
  machine.off = -1h;
  begin();
  EXPECT_GE(to_nanos(time->wall()), before);
  EXPECT_GE(job(submit("a").at(0)).submitted_ns(), before);
}

TEST_F(log_clock, goes_on_where_it_would_be_after_a_night_without_the_process) {
  ended_job();
  crash();
  pass(15h);
  begin();
  EXPECT_EQ(time->wall(), machine.wall());
}

}  // namespace argosy::tests
