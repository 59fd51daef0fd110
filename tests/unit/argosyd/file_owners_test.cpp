// SPDX-License-Identifier: Apache-2.0
// Goal: root obeys no file that somebody else may write, replace or reach by a link of his own.
// Method: files of a folder of root, given away one by one.
#include "bins/shared/file_owners.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/temp_folder.hpp"

namespace argosy {
namespace {

constexpr uid_t somebody = 65'534;

class file_owners : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
    std::filesystem::create_directories(file_.parent_path());
    std::ofstream{file_} << "cluster: a\n";
  }
  void give(const std::filesystem::path& what, uid_t user) {
    ASSERT_EQ(::lchown(what.c_str(), user, static_cast<gid_t>(-1)), 0);
  }
  std::string fault_of_step(const std::filesystem::path& step, const std::filesystem::path& file) {
    EXPECT_EQ(other_writer_of(file), "");
    give(step, somebody);
    auto out = other_writer_of(file);
    give(step, 0);
    return out;
  }

  const testing::temp_folder folder_;
  const std::filesystem::path file_ = folder_.path() / "argosy" / "agents" / "a.yaml";
};

TEST_F(file_owners, of_the_file_and_of_each_folder_above_count) {
  for (auto step = file_; step != folder_.path().parent_path(); step = step.parent_path()) {
    const auto fault = fault_of_step(step, file_);
    EXPECT_NE(fault.find("say: chown -h root " + step.string()), std::string::npos) << fault;
    EXPECT_EQ(fault.ends_with(", or keep the file in a folder of root's"), step != file_) << fault;
  }
}

TEST_F(file_owners, who_let_others_write_are_told) {
  for (const auto& step : {file_, file_.parent_path()}) {
    ASSERT_EQ(::chmod(step.c_str(), 0775), 0);
    EXPECT_NE(other_writer_of(file_).find("say: chmod go-w " + step.string()), std::string::npos);
    ASSERT_EQ(::chmod(step.c_str(), 0755), 0);
  }
  ASSERT_EQ(::chmod(file_.parent_path().c_str(), 01777), 0);
  EXPECT_EQ(other_writer_of(file_), "") << "as in /tmp nobody replaces it there";
}

TEST_F(file_owners, of_links_and_of_what_they_lead_to_count) {
  const auto link = folder_.path() / "link";
  std::filesystem::create_symlink("argosy/../argosy/agents", link);
  EXPECT_NE(fault_of_step(link, link / "a.yaml"), "");
  EXPECT_NE(fault_of_step(file_.parent_path(), link / "a.yaml"), "");
  const auto loop = folder_.path() / "loop";
  std::filesystem::create_symlink("loop", loop);
  EXPECT_EQ(other_writer_of(loop), "") << "whoever reads it says so";
}

TEST_F(file_owners, of_each_file_that_the_configuration_names_count) {
  const auto key = folder_.path() / "key";
  std::ofstream{key} << "secret";
  const std::vector<settings::named_thing> files{{"nats.tokenFile", key.string()},
                                                 {"nats.caFile", ""}};
  EXPECT_TRUE(refuse_files_of_others(file_, files));
  give(key, somebody);
  const auto refused = refuse_files_of_others(file_, files);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::denied);
  EXPECT_TRUE(refused.error().detail.starts_with("nats.tokenFile names '" + key.string() + "'"))
      << refused.error().detail;
  EXPECT_TRUE(refuse_files_of_others("", {}));
}

}  // namespace
}  // namespace argosy
