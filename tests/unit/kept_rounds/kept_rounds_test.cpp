// SPDX-License-Identifier: Apache-2.0
// Goal: a round that failed its self-check can be decided again from its file, and such files never
// fill the disk. Method: a folder of its own for each test.
#include "bins/argosyd/kept_rounds.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <set>
#include <sstream>

#include "runtime/scheduling/snap1.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::argosyd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class kept : public ::testing::Test {
 protected:
  kept() {
    auto read = scheduling::read_snap1(
        "N 0 n e 4000 1000 0 - -\nQ a 1\nJ x a std 0 1 2000 0 0 - - - - 1 -\n",
        scheduling::bench_config(scheduling::preset::argosy));
    if (read) world.emplace(std::move(*read));
  }

  result<std::filesystem::path> add(const kept_rounds& to, const std::string& why = "why") {
    return to.add(world->jobs_and_nodes, world->conf, world->params, why);
  }
  std::set<std::string> names() {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      all.insert(entry.path().filename());
    return all;
  }

  argosy::testing::temp_folder parent;
  std::filesystem::path folder = parent.path() / "rounds";
  std::optional<scheduling::snap1_world> world;
};

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  return text.str();
}

TEST_F(kept, files_decide_as_the_round_did) {
  const auto path = add(kept_rounds{folder}, "node 'n' was given\nmore cpu than it has");
  ASSERT_TRUE(path) << path.error().detail;
  const auto text = content_of(*path);
  EXPECT_THAT(text, StartsWith("# node 'n' was given more cpu than it has\n"));
  const auto again =
      scheduling::read_snap1(text, scheduling::default_config(scheduling::preset::lottery));
  ASSERT_TRUE(again) << again.error().detail;
  const auto plan = scheduling::schedule(again->jobs_and_nodes, again->conf, again->params);
  EXPECT_EQ(plan.leases.size(), 1u);
  EXPECT_EQ(again->conf.base, scheduling::preset::argosy);
}

TEST_F(kept, files_are_numbered_and_the_oldest_goes) {
  const kept_rounds rounds{folder, 2};
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(add(rounds));
  EXPECT_THAT(names(), ElementsAre("4.snap", "5.snap"));
  // Another process counts on from where the last one stopped.
  const auto next = add(kept_rounds{folder, 2});
  ASSERT_TRUE(next);
  EXPECT_EQ(next->filename(), "6.snap");
}

TEST_F(kept, files_of_others_stay) {
  std::filesystem::create_directory(folder);
  for (const char* name : {"notes.txt", "x1.snap", "12.snap.bak"}) std::ofstream{folder / name};
  const kept_rounds rounds{folder, 1};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(add(rounds));
  EXPECT_THAT(names(), ElementsAre("12.snap.bak", "3.snap", "notes.txt", "x1.snap"));
}

TEST_F(kept, a_folder_that_cannot_be_made_is_an_error) {
  std::ofstream{folder} << "a file";
  const auto path = add(kept_rounds{folder});
  ASSERT_FALSE(path);
  EXPECT_EQ(path.error().code, ec::denied);
  EXPECT_THAT(path.error().detail, HasSubstr("1.snap"));
}

}  // namespace
}  // namespace argosy::argosyd
