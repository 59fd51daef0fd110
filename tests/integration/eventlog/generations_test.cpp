// SPDX-License-Identifier: Apache-2.0
// Goal: the generations of a log share one limit, and one that is emptied gives its disk back and
// keeps its place. Method: a real nats-server whose room is bounded, restarted in between.
#include <gmock/gmock.h>

#include <filesystem>

#include "runtime/eventlog/jetstream/jetstream_log.hpp"
#include "runtime/eventlog/jetstream/stream_limits.hpp"
#include "tests/support/nats/nats_server.hpp"
#include "tests/support/process/child.hpp"

namespace argosy::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class log_generations : public ::testing::Test {
 protected:
  log_generations() {
    settings.nats.url = server.url();
    settings.max_bytes = 16u << 20;
    log = eventlog::open_jetstream(settings).value();
    keeper = eventlog::open_keeper(settings).value();
    EXPECT_TRUE(log->create());
  }
  void write(std::uint64_t base, std::uint64_t records) {
    const std::string data(100'000, 'x');
    for (auto at = base; at < base + records; ++at)
      ASSERT_TRUE(log->append({at}, "r" + std::to_string(at), data));
  }
  std::uintmax_t disk() const {
    std::uintmax_t out = 0;
    std::error_code gone;
    for (const auto& entry : fs::recursive_directory_iterator{server.folder(), gone})
      if (entry.is_regular_file(gone)) out += entry.file_size(gone);
    return out;
  }

  nats_server server;
  eventlog::jetstream_settings settings;
  std::shared_ptr<eventlog::event_log> log;
  std::unique_ptr<eventlog::generation_keeper> keeper;
};

TEST(limit_of_a_written_generation, is_what_the_others_leave) {
  using eventlog::limit_of_written;
  constexpr std::uint64_t mebi = 1u << 20;
  EXPECT_EQ(limit_of_written(64 * mebi, 0, 0, 0), 64 * mebi);
  EXPECT_EQ(limit_of_written(64 * mebi, 24 * mebi, 0, 0), 40 * mebi);
  EXPECT_EQ(limit_of_written(64 * mebi, 24 * mebi, 40 * mebi, 39 * mebi), 40 * mebi)
      << "a restart with a full log gives it no more";
  EXPECT_GT(limit_of_written(64 * mebi, 40 * mebi, 64 * mebi, 34 * mebi), 39 * mebi)
      << "it is not cut below what it holds";
  EXPECT_EQ(limit_of_written(64 * mebi, 64 * mebi, 0, 0), 64u << 10) << "0 would be no limit";
}

TEST_F(log_generations, share_one_limit) {
  write(0, 50);
  EXPECT_EQ(log->info()->bytes_max, settings.max_bytes);
  log->choose({2}, {50});
  ASSERT_TRUE(log->create());
  const auto all = keeper->look().value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_GE(all[0].bytes, 5'000'000u);
  EXPECT_LE(all[0].bytes_max, all[0].bytes + (64u << 10)) << "it keeps room for its last record";
  EXPECT_EQ(all[0].bytes_max + all[1].bytes_max, settings.max_bytes);
  // The next one was not begun: the room comes back.
  log->choose({1}, {0});
  ASSERT_TRUE(log->apply_limits());
  EXPECT_GE(log->info()->bytes_max, settings.max_bytes - (64u << 10));
  EXPECT_EQ(log->info()->last_position.value, 50u);
  // It is begun by the next process, and gets the room again.
  log->choose({2}, {50});
  ASSERT_TRUE(log->create());
  EXPECT_GE(log->info()->bytes_max, 10u << 20);
}

TEST_F(log_generations, that_take_the_whole_limit_leave_room_for_no_further_one) {
  settings.max_bytes = 2u << 20;
  const auto small = eventlog::open_jetstream(settings).value();
  ASSERT_TRUE(small->apply_limits());
  write(0, 20);
  small->choose({2}, {20});
  const auto made = small->create();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ec::out_of_space);
  EXPECT_THAT(made.error().detail, ::testing::HasSubstr("journal.logBytesMax"));
}

TEST_F(log_generations, that_are_emptied_give_disk_and_room_back_and_keep_their_place) {
  write(0, 50);
  log->choose({2}, {50});
  ASSERT_TRUE(log->create());
  write(50, 1);
  const auto before = disk();
  ASSERT_TRUE(keeper->empty({1}));
  EXPECT_TRUE(eventually([&] { return keeper->look().value()[0].records == 0; }, 10s));
  EXPECT_TRUE(eventually([&] { return disk() + 4'000'000 < before; }, 10s)) << disk();
  for (const bool restarted : {false, true}) {
    if (restarted) {
      server.kill();
      server.restart();
      ASSERT_TRUE(eventually([&] { return log->info().has_value(); }, 10s));
    }
    const auto all = keeper->look().value();
    EXPECT_TRUE(all[0].given_up);
    EXPECT_FALSE(all[1].given_up);
    EXPECT_GE(all[1].bytes_max, settings.max_bytes - (128u << 10));
    log->choose({1}, {0});
    EXPECT_EQ(log->info()->last_position.value, 50u) << "positions are not used again";
    EXPECT_EQ(log->info()->first_position.value, 51u);
    EXPECT_EQ(log->get({50}).error().code, ec::not_found);
    log->choose({2}, {50});
    EXPECT_TRUE(log->get({51}));
  }
  write(51, 1);
}

}  // namespace
}  // namespace argosy::testing
