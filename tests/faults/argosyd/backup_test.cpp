// SPDX-License-Identifier: Apache-2.0
// Goal: a backup that was made while jobs came in brings all accepted jobs back, with the log, or
// says what is lost, without it; and a damaged store or log is found by `argosyd check`. Method: a
// real argosyd and a real nats-server; files are removed, flipped and put back.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/faults/argosyd/own_server_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class backup : public own_server_fixture {
 protected:
  /// Flips a bit in the middle of the text wherever it stands, since LMDB leaves old pages behind.
  /// Returns what stands there then.
  static std::string flip(const fs::path& file, const std::string& text) {
    const auto bytes = content_of(file);
    auto flipped = text;
    flipped[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1);
    const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    std::size_t found = 0;
    for (auto at = bytes.find(text); at != std::string::npos; at = bytes.find(text, at + 1)) {
      ++found;
      EXPECT_EQ(::pwrite(fd, flipped.data(), flipped.size(), static_cast<off_t>(at)),
                static_cast<ssize_t>(flipped.size()));
    }
    ::close(fd);
    EXPECT_GT(found, 0u) << text;
    return flipped;
  }

  const fs::path data = world.data_dir();
  fs::path copy = world.folder() / "backups" / "first";
};

TEST_F(backup, under_load_and_the_log_bring_back_every_accepted_job) {
  auto served = serve();
  ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);
  submit(10);
  std::atomic<std::size_t> accepted = 10;
  std::jthread load{[&](const std::stop_token& stop) {
    const std::vector<job_text> twenty(20, job_text{"true"});
    const auto file = world.write("load.yaml", deployment::jobs(twenty));
    while (!stop.stop_requested())
      if (ctl({"submit", file}).code == 0) accepted += 20;
  }};
  ASSERT_TRUE(eventually([&] { return accepted >= 50; }, 20s));
  const auto made = run({"backup", copy.string()});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("up to record"), std::string::npos) << made.out;
  const auto at_backup = accepted.load();
  EXPECT_TRUE(eventually([&] { return accepted >= at_backup + 60; }, 20s));
  load.request_stop();
  load.join();
  end(served);
  fs::remove_all(data);
  const auto restored = run({"recover", "--from", copy.string()});
  EXPECT_EQ(restored.code, 0) << restored.out << restored.err;
  EXPECT_EQ(run({"check"}).code, 0) << run({"check"}).out << run({"check"}).err;
  served = serve();
  EXPECT_EQ(jobs(), accepted) << log();
  submit(1);
  EXPECT_EQ(jobs(), accepted + 1);
  end(served);
  EXPECT_EQ(run({"check"}).code, 0) << run({"check"}).out;
}

TEST_F(backup, without_the_log_goes_on_only_when_an_operator_accepts_the_loss) {
  auto served = serve();
  ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);
  submit(10);
  ASSERT_EQ(run({"backup", copy.string()}).code, 0);
  submit(5);
  end(served);
  fs::remove_all(data);
  delete_stream("ARGOSY_LOG_0001");
  const auto restored = run({"recover", "--from", copy.string()});
  ASSERT_EQ(restored.code, 3) << restored.err;
  EXPECT_NE(restored.out.find("is lost"), std::string::npos) << restored.out;
  EXPECT_NE(restored.out.find("start:  argosyd refuses"), std::string::npos)
      << "it is said now and not at the start alone: " << restored.out;
  const auto refused = run({});
  EXPECT_EQ(refused.code, 1) << refused.err;
  EXPECT_NE(refused.err.find("restored from the backup of"), std::string::npos) << refused.err;
  EXPECT_EQ(run({"recover"}).code, 3);
  const auto accepted = run({"recover", "--accept-loss"});
  EXPECT_EQ(accepted.code, 0) << accepted.out << accepted.err;
  EXPECT_NE(accepted.err.find("is not known any more"), std::string::npos) << accepted.err;
  served = serve();
  EXPECT_EQ(jobs(), 10u);
  submit(5);
  end(served);
  served = serve();
  EXPECT_EQ(jobs(), 15u);
  end(served);
}

TEST_F(backup, of_a_data_directory_that_nobody_uses_says_that_another_may_lead) {
  auto served = serve();
  const auto during = run({"backup", copy.string()});
  EXPECT_EQ(during.code, 0);
  EXPECT_EQ(during.err.find("another control plane"), std::string::npos) << during.err;
  end(served);
  const auto after = run({"backup", (world.folder() / "backups" / "second").string()});
  EXPECT_EQ(after.code, 0);
  EXPECT_NE(after.err.find("If another control plane leads"), std::string::npos) << after.err;
}

TEST_F(backup, is_not_restored_from_a_folder_without_one) {
  const auto missing = run({"recover", "--from", copy.string()});
  EXPECT_EQ(missing.code, 1) << missing.err;
  EXPECT_NE(missing.err.find("there is no backup in '" + copy.string() + "'"), std::string::npos)
      << missing.err;
  EXPECT_NE(missing.err.find("'argosyd backup'"), std::string::npos) << missing.err;
  EXPECT_FALSE(fs::exists(data / "store"));
}

TEST_F(backup, never_writes_over_anything) {
  auto served = serve();
  ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);
  ASSERT_EQ(run({"backup", copy.string()}).code, 0);
  const auto again = run({"backup", copy.string()});
  EXPECT_EQ(again.code, 6) << again.err;
  EXPECT_NE(again.err.find("is not empty"), std::string::npos) << again.err;
  for (const auto& inside : {data / "copy", data / "store" / "copy"}) {
    const auto lost_with_it = run({"backup", inside.string()});
    EXPECT_EQ(lost_with_it.code, 2) << lost_with_it.err;
    EXPECT_NE(lost_with_it.err.find("is in the data directory"), std::string::npos)
        << lost_with_it.err;
    EXPECT_FALSE(fs::exists(inside));
  }
  const auto in_use = run({"recover", "--from", copy.string()});
  EXPECT_EQ(in_use.code, 6) << in_use.err;
  end(served);
  const auto over = run({"recover", "--from", copy.string()});
  EXPECT_EQ(over.code, 6) << over.err;
  EXPECT_NE(over.err.find("there is a store"), std::string::npos) << over.err;
  fs::remove_all(data);
  flip(copy / "log.key", content_of(copy / "log.key"));
  const auto damaged = run({"recover", "--from", copy.string()});
  EXPECT_EQ(damaged.code, 1) << damaged.err;
  EXPECT_NE(damaged.err.find("is damaged"), std::string::npos) << damaged.err;
  EXPECT_FALSE(fs::exists(data / "store"));
  EXPECT_FALSE(fs::exists(data / "log.key"));
}

TEST_F(backup, a_check_finds_a_flipped_bit_of_the_store_and_a_log_that_is_gone) {
  auto served = serve();
  ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);
  const auto got = ctl({"submit", world.write("jobs.yaml", deployment::jobs({{"echo needle"}}))});
  ASSERT_EQ(got.code, 0) << got.err;
  const auto live = run({"check"});
  EXPECT_EQ(live.code, 0) << live.out << live.err;
  EXPECT_NE(live.out.find("An argosyd uses the store"), std::string::npos) << live.out;
  end(served);
  const auto sound = run({"check"});
  EXPECT_EQ(sound.code, 0) << sound.out << sound.err;
  EXPECT_NE(sound.out.find("1 live job"), std::string::npos) << sound.out;
  EXPECT_NE(sound.out.find("store and log are sound"), std::string::npos) << sound.out;
  const auto changed = flip(data / "store" / "data.mdb", "echo needle");
  const auto flipped = run({"check"});
  EXPECT_EQ(flipped.code, 3) << flipped.out << flipped.err;
  EXPECT_NE(flipped.out.find("fix:"), std::string::npos) << flipped.out;
  flip(data / "store" / "data.mdb", changed);
  delete_stream("ARGOSY_LOG_0001");
  EXPECT_EQ(run({"check"}).code, 3);
  EXPECT_EQ(run({"check", "--no-log"}).code, 0) << run({"check", "--no-log"}).out;
  fs::remove(data / "log.key");
  EXPECT_EQ(run({"check", "--no-log"}).code, 3) << "the key of the log is missing";
  fs::remove_all(data);
  EXPECT_EQ(run({"check", "--no-log"}).code, 1) << "there is nothing to check";
}

}  // namespace

}  // namespace argosy::testing
