// SPDX-License-Identifier: Apache-2.0
// Goal: a data directory gets the leader's newest snapshot in place of its store whole, or stays as
// it was. Method: two folders, the pieces of one asked for by the other without a bus, and answers
// that are cut, changed or late.
#include "bins/argosyd/upkeep/snapshot_exchange.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "bins/argosyd/upkeep/copied_file.hpp"
#include "runtime/backends/run/file.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::argosyd {
namespace {

namespace fs = std::filesystem;

class snapshot_exchange : public ::testing::Test {
 protected:
  snapshot_exchange() {
    shelve("1-5", "older");
    shelve("2-10", store);
    fs::create_directories(own / "store");
    write(own / "store" / "data.mdb", "too old");
  }

  static void write(const fs::path& path, const std::string& text) {
    ASSERT_TRUE(backends::write_file(path, text, backends::sync_mode::no));
  }
  void shelve(const std::string& name, const std::string& text) const {
    const auto folder = leader / "snapshots" / name;
    fs::create_directories(folder / "store");
    write(folder / "store" / "data.mdb", text);
    write(folder / "log.key", "secret");
    backup_manifest manifest;
    const auto dash = name.find('-');
    manifest.generation = {static_cast<std::uint32_t>(std::stoul(name.substr(0, dash)))};
    manifest.position = {std::stoul(name.substr(dash + 1))};
    for (const auto* file : {"store/data.mdb", "log.key"})
      manifest.files.push_back(describe_file(folder, file).value());
    write(folder / manifest_name, print_manifest(manifest));
  }
  [[nodiscard]] std::string content(const std::string& name) const {
    const auto read = backends::read_file(own / name, 16u << 20);
    return read ? *read : "none";
  }
  result<void> fetch(const std::function<void(codec::snapshot_piece&)>& change = {}) {
    return fetch_snapshot(
        own, [&](const codec::snapshot_question& asked) -> result<codec::snapshot_piece> {
          auto piece = read_snapshot_piece(leader, asked);
          if (change) change(piece);
          return piece;
        });
  }
  void expect_unchanged() const {
    EXPECT_EQ(content("store/data.mdb"), "too old");
    EXPECT_EQ(content("store.aside/data.mdb"), "none");
    EXPECT_EQ(std::distance(fs::directory_iterator{own}, {}), 1) << "nothing is left behind";
  }

  testing::temp_folder folders;
  const fs::path leader = folders.path() / "leader";
  const fs::path own = folders.path() / "own";
  const std::string store = std::string(1'300'000, 'x') + "end";
};

TEST_F(snapshot_exchange, puts_the_newest_in_place_of_the_store_and_keeps_that) {
  const auto done = fetch();
  ASSERT_TRUE(done) << done.error().detail;
  EXPECT_EQ(content("store/data.mdb"), store);
  EXPECT_EQ(content("store.aside/data.mdb"), "too old");
  EXPECT_FALSE(fs::exists(own / "log.key")) << "the leader's key stays with it";
  ASSERT_TRUE(fetch()) << "what was kept before goes";
  EXPECT_EQ(content("store.aside/data.mdb"), store);
}

TEST_F(snapshot_exchange, changes_nothing_where_there_is_none) {
  fs::remove_all(leader);
  EXPECT_EQ(fetch().error().code, ec::not_found);
  expect_unchanged();
}

TEST_F(snapshot_exchange, changes_nothing_for_one_that_would_not_help) {
  const auto ask = [&](const codec::snapshot_question& asked) -> result<codec::snapshot_piece> {
    EXPECT_TRUE(asked.name.empty()) << "nothing but the list is read";
    return read_snapshot_piece(leader, asked);
  };
  const auto done = fetch_snapshot(own, ask, [](const backup_manifest& snapshot) {
    return "it ends at record " + to_string(snapshot.position);
  });
  EXPECT_EQ(done.error().code, ec::not_found);
  EXPECT_EQ(done.error().detail, "it ends at record 10");
  expect_unchanged();
}

TEST_F(snapshot_exchange, changes_nothing_when_a_piece_is_damaged) {
  const auto done = fetch([](auto& piece) {
    if (!piece.data.empty()) piece.data.front() = 'y';
  });
  EXPECT_EQ(done.error().code, ec::corrupt);
  expect_unchanged();
}

TEST_F(snapshot_exchange, changes_nothing_when_the_snapshot_is_dropped_meanwhile) {
  const auto done = fetch([&](auto& piece) {
    if (!piece.data.empty()) fs::remove_all(leader / "snapshots" / "2-10");
  });
  EXPECT_EQ(done.error().code, ec::unavailable);
  expect_unchanged();
}

TEST_F(snapshot_exchange, gives_nothing_but_the_stores_of_snapshots) {
  write(leader / "lead", "private");
  for (const auto* name : {"..", "../lead", "2-10/..", "/etc", "new", "2-11"}) {
    const auto piece = read_snapshot_piece(leader, {name, 0});
    EXPECT_TRUE(piece.name.empty() && piece.data.empty()) << name;
  }
  EXPECT_TRUE(read_snapshot_piece(leader, {"2-10", 1u << 30}).data.empty()) << "behind its end";
}

}  // namespace
}  // namespace argosy::argosyd
