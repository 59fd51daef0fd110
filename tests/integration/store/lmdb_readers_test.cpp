// SPDX-License-Identifier: Apache-2.0
// Goal: a reader keeps no page of the store for longer than it lives, and whoever keeps some is
// known. Method: forked readers that hold transactions, and are killed while another process
// writes.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runtime/store/lmdb/lmdb_database.hpp"
#include "tests/support/signals.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::testing {
namespace {

/// A process of its own that reads the database, and holds its transactions until it is ended.
class other_reader {
 public:
  other_reader(const std::filesystem::path& folder, std::size_t transactions) {
    std::array<int, 2> said{};
    EXPECT_EQ(::pipe(said.data()), 0);
    process_ = ::fork();
    if (process_ == 0) {
      const auto db = store::open_lmdb({.folder = folder, .read_only = true}).value();
      std::vector<std::unique_ptr<store::read_txn>> held;
      while (held.size() < transactions) held.push_back(db->begin_read().value());
      if (::write(said[1], "x", 1) != 1) ::_exit(1);
      ::pause();
      ::_exit(0);
    }
    char ready = 0;
    EXPECT_EQ(::read(said[0], &ready, 1), 1);
    ::close(said[0]);
    ::close(said[1]);
  }
  ~other_reader() { end(); }
  other_reader(const other_reader&) = delete;
  other_reader& operator=(const other_reader&) = delete;

  [[nodiscard]] pid_t process() const { return process_; }
  void end() {
    if (process_ == 0) return;
    send_signal(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  pid_t process_ = 0;
};

class lmdb_readers : public ::testing::Test {
 protected:
  static constexpr auto in = store::table::tail;

  [[nodiscard]] result<std::unique_ptr<store::database>> open() const {
    return store::open_lmdb({.folder = path_});
  }
  static void put(store::database& db, std::uint64_t number, std::size_t bytes) {
    const auto txn = db.begin_write().value();
    ASSERT_TRUE(txn->put(in, store::number_key(number), std::string(bytes, 'v')).has_value());
    ASSERT_TRUE(txn->commit().has_value());
  }

  temp_folder folder_;
  std::filesystem::path path_ = folder_.path() / "db";
};

TEST_F(lmdb_readers, pages_that_a_reader_keeps_are_told_with_who_it_is) {
  put(*open().value(), 1, 500'000);
  const other_reader old{path_, 1};
  const auto db = open().value();
  EXPECT_LT(db->usage().value().held_bytes, 100'000u);
  for (int i = 0; i < 4; ++i) put(*db, 1, 500'000);
  const auto usage = db->usage().value();
  EXPECT_GE(usage.held_bytes, 2'000'000u);
  EXPECT_LT(usage.held_bytes, 2'200'000u);
  EXPECT_GE(usage.file_bytes, usage.used_bytes + usage.held_bytes);
  const auto young = db->begin_read().value();
  const auto readers = db->readers().value();
  ASSERT_EQ(readers.size(), 2u);
  EXPECT_EQ(readers[0].process, old.process());
  EXPECT_EQ(readers[0].held_bytes, usage.held_bytes);
  EXPECT_EQ(readers[1].process, ::getpid());
  EXPECT_LT(readers[1].held_bytes, 600'000u);
}

TEST_F(lmdb_readers, uses_the_pages_of_a_killed_reader_again_while_it_runs) {
  put(*open().value(), 1, 500'000);
  other_reader killed{path_, 1};
  const auto db = open().value();
  for (int i = 0; i < 10; ++i) put(*db, 1, 500'000);
  EXPECT_GE(db->usage().value().held_bytes, 4'000'000u);
  killed.end();
  // The writer looks for dead readers by itself, now and then.
  std::uint64_t commits = 0;
  for (; db->usage().value().held_bytes > 0 && commits < 1'000'000; ++commits) put(*db, 2, 10);
  EXPECT_EQ(db->usage().value().held_bytes, 0u);
  const auto file = db->usage().value().file_bytes;
  for (int i = 0; i < 8; ++i) put(*db, 1, 500'000);
  EXPECT_LE(db->usage().value().file_bytes, file);
}

TEST_F(lmdb_readers, places_of_killed_readers_are_given_to_others) {
  put(*open().value(), 1, 10);
  other_reader killed{path_, 200};
  const auto db = open().value();
  killed.end();
  std::vector<std::unique_ptr<store::read_txn>> held;
  for (int i = 0; i < 200; ++i) {
    auto txn = db->begin_read();
    ASSERT_TRUE(txn.has_value()) << i << ": " << to_string(txn.error());
    held.push_back(std::move(*txn));
  }
}

}  // namespace
}  // namespace argosy::testing
