// SPDX-License-Identifier: Apache-2.0
// Goal: a live run that stores more than it may is ended, says so, and gives the room back, and a
// disk without room costs a run only if that helps.
// Method: real runs that write; a reserve that no disk has.
#include <gmock/gmock.h>

#include <future>
#include <utility>

#include "runtime/backends/process/retention.hpp"
#include "runtime/backends/process/storage_watch.hpp"
#include "tests/integration/process_backend/process_fixture.hpp"

namespace argosy::backends {

namespace {

using ::testing::HasSubstr;

struct process_storage : process_fixture {
  process_storage() { config_.storage_period = 20ms; }

  static run_launch with_storage(run_launch run, std::int64_t bytes) {
    auto order = std::make_shared<model::start_run>(*run.order);
    order->requests = {{"ephemeral-storage", bytes}};
    order->grace_seconds = 300;
    run.order = order;
    return run;
  }

  void expect_exceeded(const run_event& end) {
    EXPECT_EQ(end.phase, model::run_phase::failed);
    EXPECT_EQ(end.outcome.reason, model::reason_storage_exceeded);
    EXPECT_EQ(end.outcome.signal, SIGKILL);
  }
};

// The signal is only sure if the command does not end by the SIGTERM before.
constexpr const char* writer =
    "trap '' TERM; dd if=/dev/zero of=big bs=1M count=64 2>/dev/null; sleep 1000";
constexpr const char* writer_on_a_sign =
    "trap '' TERM; until [ -e go ]; do sleep 0.01; done; "
    "dd if=/dev/zero of=big bs=1M count=64; sleep 1000";

TEST_F(process_storage, ends_a_run_that_writes_more_than_its_job_asks_for) {
  open();
  const auto other = start(with_storage(shell("echo x > small; sleep 1000"), 16 << 20));
  const auto run = start(with_storage(shell(writer), 16 << 20));
  const auto end = end_of(run);
  expect_exceeded(end);
  EXPECT_THAT(end.outcome.message, HasSubstr("16777216 bytes of its ephemeral-storage"));
  wait_until([&] { return !std::filesystem::exists(folder(run) / work_folder); }, "the removal");
  running(other);
  EXPECT_TRUE(lives(folder(other)));
}

TEST_F(process_storage, holds_jobs_that_say_nothing_to_the_setting) {
  config_.limits.storage_max = {16 << 20};
  open();
  expect_exceeded(run_to_end(with_storage(shell(writer), 0)));
}

TEST_F(process_storage, ends_a_run_with_too_many_files) {
  config_.limits.files_max = 50;
  open();
  const auto end =
      run_to_end(shell("trap '' TERM; for i in $(seq 60); do : > $i; done; sleep 1000"));
  expect_exceeded(end);
  EXPECT_THAT(end.outcome.message, HasSubstr("process.filesMax"));
}

TEST_F(process_storage, holds_runs_of_an_earlier_agent_to_their_limit) {
  open();
  const auto run = start(with_storage(shell(writer_on_a_sign), 16 << 20));
  running(run);
  close();
  open({run});
  std::ofstream{folder(run) / work_folder / "go"} << "go";
  expect_exceeded(end_of(run));
}

TEST_F(process_storage, ends_a_run_although_no_order_can_be_written) {
  open();
  const auto run = start(with_storage(shell(writer_on_a_sign), 16 << 20));
  running(run);
  std::filesystem::create_directory(folder(run) / (std::string{run_file::stop} + ".new"));
  std::ofstream{folder(run) / work_folder / "go"} << "go";
  expect_exceeded(end_of(run));
}

/// Runs that are folders, on a disk that is made up.
struct storage_looks : ::testing::Test {
  storage_looks() {
    for (const auto* run : {&small, &large}) std::filesystem::create_directories(work(*run));
    std::ofstream{work(small) / "file"} << std::string(10'000, 'x');
    std::ofstream{work(large) / "file"} << std::string(100'000, 'x');
  }

  static model::run_key key(std::uint8_t id) {
    model::run_key out;
    out.job.bytes[0] = id;
    out.number = 1;
    return out;
  }

  std::filesystem::path work(const model::run_key& run) {
    return dir / to_string(run) / work_folder;
  }

  /// Looks until a run is ended, and returns it.
  storage_end first_end(std::int64_t limit, disk_room disk) {
    std::promise<storage_end> told;
    bool ended = false;
    work_thread thread;
    storage_watch::owner owner;
    owner.list = [&, limit] {
      return std::vector{storing_run{small, 0, {}, false, false},
                         storing_run{large, limit, {}, false, ended}};
    };
    owner.end = [&](const storage_end& why) {
      if (!std::exchange(ended, true)) told.set_value(why);
    };
    owner.make_room = [&] { return kept-- > 0; };
    const storage_watch watch{thread, {dir, 0, [disk] { return disk; }, 1ms}, std::move(owner)};
    auto out = told.get_future().get();
    thread.stop();
    return out;
  }

  testing::temp_folder temp;
  std::filesystem::path dir = temp.path();
  model::run_key small = key(1);
  model::run_key large = key(2);
  int kept = 3;  ///< How many folders of ended runs there are.
};

TEST_F(storage_looks, find_a_run_over_its_limit) {
  EXPECT_EQ(first_end(50'000, {}).reason, model::reason_storage_exceeded);
  EXPECT_EQ(kept, 3);
}

TEST_F(storage_looks, find_the_largest_run_for_room_after_what_is_kept_is_gone) {
  const auto ended = first_end(0, {{1'000, 0}, {50'000, 0}});
  EXPECT_EQ(ended.run, large);
  EXPECT_EQ(ended.reason, model::reason_lost);
  EXPECT_LT(kept, 0);
}

TEST_F(storage_looks, shed_the_oldest_of_what_is_kept_first) {
  retention kept_runs{dir, 10, 1 << 30};
  kept_runs.add(small);
  kept_runs.add(large);
  int left = 1;
  kept_runs.shed([&] { return left-- == 0; });
  EXPECT_FALSE(std::filesystem::exists(work(small)));
  EXPECT_TRUE(std::filesystem::exists(work(large)));
  EXPECT_EQ(kept_runs.size(), 1U);
}

TEST_F(storage_looks, shed_what_modes_keep_from_its_owner) {
  // Whoever is root may read it all the same.
  const auto closed = work(small) / "c0" / "work" / "work";
  const auto fixed = work(small) / "c0" / "upper" / "fixed";
  for (const auto& folder : {closed, fixed}) std::filesystem::create_directories(folder);
  std::ofstream{fixed / "file"} << "x";
  std::filesystem::permissions(closed, std::filesystem::perms::none);
  std::filesystem::permissions(fixed, std::filesystem::perms::owner_read);
  retention kept_runs{dir, 10, 1 << 30};
  kept_runs.add(small);
  kept_runs.shed([] { return false; });
  EXPECT_FALSE(std::filesystem::exists(work(small).parent_path()));
}

}  // namespace
}  // namespace argosy::backends
