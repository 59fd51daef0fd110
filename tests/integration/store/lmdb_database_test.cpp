// SPDX-License-Identifier: Apache-2.0
// Goal: the database on LMDB keeps the contract, survives a kill, and refuses damaged files.
// Method: the shared contract; a forked writer that is killed; files that are cut or overwritten.
#include "runtime/store/lmdb/lmdb_database.hpp"

#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "tests/support/signals.hpp"
#include "tests/support/store/store_contract.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::testing {
namespace {

class lmdb_store final : public store_under_test {
 public:
  explicit lmdb_store(std::uint64_t limit)
      : db_(store::open_lmdb({.folder = folder_.path() / "db", .map_bytes = limit}).value()) {}
  store::database& db() override { return *db_; }

 private:
  temp_folder folder_;
  std::unique_ptr<store::database> db_;
};

INSTANTIATE_TEST_SUITE_P(lmdb, store_contract,
                         ::testing::Values(store_kind{"lmdb",
                                                      [](std::uint64_t limit) {
                                                        return std::make_unique<lmdb_store>(limit);
                                                      }}),
                         store_kind_name);

class lmdb_database : public ::testing::Test {
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
  [[nodiscard]] std::filesystem::path file() const { return path_ / "data.mdb"; }

  temp_folder folder_;
  std::filesystem::path path_ = folder_.path() / "db";
};

TEST_F(lmdb_database, is_private_and_there_after_a_restart) {
  put(*open().value(), 1, 100);
  struct stat found {};
  ASSERT_EQ(::stat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(file().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  const auto again = open().value();
  EXPECT_EQ(again->begin_read().value()->count(in).value(), 1u);
  EXPECT_EQ(again->usage().value().limit_bytes, 64ull << 30);
}

TEST_F(lmdb_database, tells_what_is_in_use_and_not_what_was_freed) {
  const auto db = open().value();
  const auto empty = db->usage().value().used_bytes;
  for (std::uint64_t i = 0; i < 20; ++i) put(*db, i, 100'000);
  const auto full = db->usage().value().used_bytes;
  EXPECT_GE(full, empty + 2'000'000);
  EXPECT_LT(full, empty + 2'300'000);
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto txn = db->begin_write().value();
    ASSERT_TRUE(txn->erase(in, store::number_key(i)).value());
    ASSERT_TRUE(txn->commit());
  }
  EXPECT_LT(db->usage().value().used_bytes, empty + 50'000);
}

TEST_F(lmdb_database, that_is_full_names_the_setting_and_goes_on_under_a_larger_limit) {
  store::lmdb_options options{
      .folder = path_, .map_bytes = 1u << 20, .map_setting = "store.mapSize of argosyd"};
  std::uint64_t kept = 0;
  {
    const auto db = store::open_lmdb(options).value();
    result<void> done;
    for (; done; ++kept) {
      const auto txn = db->begin_write().value();
      done = txn->put(in, store::number_key(kept), std::string(50'000, 'v'));
      if (done) done = txn->commit();
    }
    EXPECT_EQ(done.error().code, ec::out_of_space);
    EXPECT_THAT(done.error().detail, ::testing::HasSubstr("1048576 bytes"));
    EXPECT_THAT(done.error().detail, ::testing::HasSubstr("raise store.mapSize of argosyd"));
  }
  options.map_bytes = 2u << 20;
  const auto larger = store::open_lmdb(options).value();
  put(*larger, kept, 50'000);
  EXPECT_EQ(larger->begin_read().value()->count(in).value(), kept);
}

/// Returns what `act` says in a child whose file system at the path has so much room ("1m"), or
/// nothing where none can be mounted. The word is "died" if the child ended by a signal.
std::optional<std::string> said_on_small_disk(const std::filesystem::path& path, const char* room,
                                              const std::function<error()>& act) {
  std::array<int, 2> said{};
  EXPECT_EQ(::pipe(said.data()), 0);
  std::filesystem::create_directory(path);
  const auto child = ::fork();
  if (child == 0) {
    const auto size = std::string{"size="} + room;
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", "", MS_REC | MS_PRIVATE, "") != 0 ||
        ::mount("none", path.c_str(), "tmpfs", 0, size.c_str()) != 0)
      ::_exit(77);
    const auto text = to_string(act());
    ::_exit(::write(said[1], text.data(), text.size()) == ssize_t(text.size()) ? 0 : 1);
  }
  ::close(said[1]);
  std::string text(1'000, '\0');
  text.resize(
      static_cast<std::size_t>(std::max<ssize_t>(0, ::read(said[0], text.data(), text.size()))));
  ::close(said[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return std::nullopt;
  return WIFSIGNALED(status) ? "died" : text;
}

TEST_F(lmdb_database, on_a_disk_that_is_full_says_so_with_its_path) {
  const auto filled = said_on_small_disk(path_, "1m", [&] {
    const auto db = open().value();
    result<void> done;
    for (std::uint64_t i = 0; done; ++i) {
      const auto txn = db->begin_write().value();
      done = txn->put(in, store::number_key(i), std::string(50'000, 'v'));
      if (done) done = txn->commit();
    }
    return done.error();
  });
  if (!filled) GTEST_SKIP() << "no small file system can be mounted here";
  // There is room for a part of the files alone, of which one is mapped.
  const auto never_made = said_on_small_disk(path_, "8k", [&] { return open().error(); });
  for (const auto& text : {*filled, never_made.value_or("")}) {
    EXPECT_TRUE(text.starts_with("out_of_space")) << text;
    EXPECT_THAT(text, ::testing::HasSubstr("the disk is full"));
    EXPECT_THAT(text, ::testing::HasSubstr(path_.string()));
  }
}

TEST_F(lmdb_database, a_second_open_in_one_process_is_a_conflict) {
  const auto first = open().value();
  const auto second = open();
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ec::conflict);
  EXPECT_NE(second.error().detail.find(path_.string()), std::string::npos);
}

TEST_F(lmdb_database, may_be_opened_again_after_it_was_closed_or_refused) {
  std::filesystem::create_directory(path_);
  std::ofstream{file()} << std::string(20'000, 'x');
  EXPECT_EQ(open().error().code, ec::corrupt);
  std::filesystem::remove(file());
  EXPECT_TRUE(open().has_value());
  EXPECT_TRUE(open().has_value());
}

TEST_F(lmdb_database, a_killed_writer_loses_nothing_that_was_committed) {
  std::array<int, 2> done{};
  ASSERT_EQ(::pipe(done.data()), 0);
  const auto child = ::fork();
  if (child == 0) {
    const auto db = open().value();
    for (std::uint64_t i = 1;; ++i) {
      put(*db, i, 5'000);
      if (::write(done[1], &i, sizeof i) != sizeof i) ::_exit(1);
    }
  }
  std::uint64_t last = 0;
  while (last < 50) ASSERT_EQ(::read(done[0], &last, sizeof last), ssize_t{sizeof last});
  send_signal(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(done[1]);
  for (std::uint64_t more = 0; ::read(done[0], &more, sizeof more) == ssize_t{sizeof more};)
    last = more;
  ::close(done[0]);
  const auto db = open().value();
  const auto txn = db->begin_read().value();
  for (std::uint64_t i = 1; i <= last; ++i)
    EXPECT_TRUE(txn->get(in, store::number_key(i)).value().has_value()) << i;
  EXPECT_LE(txn->count(in).value(), last + 1);
}

TEST_F(lmdb_database, a_file_cut_short_is_corrupt_at_any_length) {
  {
    const auto db = open().value();
    put(*db, 1, 300'000);
    for (std::uint64_t i = 2; i < 200; ++i) put(*db, i, 500);
    put(*db, 200, 300'000);
  }
  const auto whole = std::filesystem::file_size(file());
  const auto copy = folder_.path() / "copy.mdb";
  std::filesystem::copy_file(file(), copy);
  for (const std::uint64_t cut :
       {std::uint64_t{4'096}, whole / 3, whole / 2, whole - 3 * 4'096, whole - 4'096}) {
    std::filesystem::copy_file(copy, file(), std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(file(), whole - cut);
    const auto opened = open();
    ASSERT_FALSE(opened.has_value()) << "cut by " << cut;
    EXPECT_EQ(opened.error().code, ec::corrupt);
    EXPECT_NE(opened.error().detail.find(path_.string()), std::string::npos);
  }
  std::filesystem::copy_file(copy, file(), std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(open().has_value());
}

TEST_F(lmdb_database, a_file_that_lacks_only_free_pages_opens) {
  {
    const auto db = open().value();
    put(*db, 1, 50'000);
    put(*db, 2, 2'000'000);
    const auto txn = db->begin_write().value();
    ASSERT_TRUE(txn->erase(in, store::number_key(2)).value());
    ASSERT_TRUE(txn->commit().has_value());
    // Further commits move what is in use to the freed pages in front of it.
    for (std::uint64_t i = 10; i < 20; ++i) put(*db, i, 10);
  }
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) - 1'000'000);
  const auto db = open();
  ASSERT_TRUE(db.has_value()) << to_string(db.error());
  EXPECT_EQ((*db)->begin_read().value()->get(in, store::number_key(1)).value()->size(), 50'000u);
  put(**db, 2, 3'000'000);
  EXPECT_EQ((*db)->begin_read().value()->count(in).value(), 12u);
}

TEST_F(lmdb_database, a_backup_opens_by_itself) {
  const auto db = open().value();
  put(*db, 1, 10'000);
  const auto copy = (folder_.path() / "backup").string();
  ASSERT_TRUE(db->backup(copy).has_value());
  EXPECT_EQ(db->backup(copy).error().code, ec::already_exists);
  put(*db, 2, 10);
  const auto restored = store::open_lmdb({.folder = copy}).value();
  EXPECT_EQ(restored->begin_read().value()->count(in).value(), 1u);
}

TEST_F(lmdb_database, that_is_open_for_reading_alone_reads_and_changes_nothing) {
  EXPECT_EQ(store::open_lmdb({.folder = path_, .read_only = true}).error().code, ec::not_found);
  EXPECT_FALSE(std::filesystem::exists(path_));
  put(*open().value(), 1, 10);
  const auto db = store::open_lmdb({.folder = path_, .read_only = true}).value();
  EXPECT_EQ(db->begin_read().value()->count(in).value(), 1u);
  EXPECT_TRUE(db->usage());
  EXPECT_EQ(db->begin_write().error().code, ec::denied);
}

TEST_F(lmdb_database, too_many_readers_are_refused_not_fatal) {
  const auto db = store::open_lmdb({.folder = path_, .max_readers = 2}).value();
  const auto first = db->begin_read().value();
  auto second = db->begin_read().value();
  EXPECT_EQ(db->begin_read().error().code, ec::overloaded);
  second.reset();
  EXPECT_TRUE(db->begin_read().has_value());
}

TEST_F(lmdb_database, pages_of_what_was_erased_are_used_again) {
  const auto db = open().value();
  const auto replace_all = [&](std::uint64_t from) {
    const auto txn = db->begin_write().value();
    for (std::uint64_t i = from; i < from + 1'000; ++i)
      ASSERT_TRUE(txn->put(in, store::number_key(i), std::string(2'000, 'v')).has_value());
    for (std::uint64_t i = from - 1'000; i < from; ++i)
      ASSERT_TRUE(txn->erase(in, store::number_key(i)).has_value());
    ASSERT_TRUE(txn->commit().has_value());
  };
  for (std::uint64_t round = 1; round <= 3; ++round) replace_all(round * 1'000);
  const auto early = std::filesystem::file_size(file());
  for (std::uint64_t round = 4; round <= 30; ++round) replace_all(round * 1'000);
  EXPECT_LE(std::filesystem::file_size(file()), early + early / 2);
}

}  // namespace
}  // namespace argosy::testing
