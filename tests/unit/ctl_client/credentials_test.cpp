// SPDX-License-Identifier: Apache-2.0
// Goal: argosyctl takes the credentials that the user means, and says which file is of no use.
// Method: an environment of the test, and files in a temporary folder.
#include "bins/argosyctl/client/credentials.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/temp_folder.hpp"

namespace argosy::ctl {

namespace {

constexpr const char* seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
constexpr const char* url = "nats://127.0.0.1:4711";

class credentials : public ::testing::Test {
 protected:
  std::string write(const std::filesystem::path& path, const access::identity& who) {
    EXPECT_TRUE(access::write_private(path, access::print_credentials({who, seed}), true));
    return path.string();
  }
  [[nodiscard]] result<std::optional<access::credentials>> find(const std::string& at = url) const {
    return find_credentials(env, at);
  }

  testing::temp_folder folder;
  std::map<std::string, std::string> variables{{"XDG_STATE_HOME", folder.path()}};
  environment env{[this](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  }};
  std::filesystem::path kept = folder.path() / "argosy" / "credentials" / "127.0.0.1-4711";
};

TEST_F(credentials, are_those_of_the_variable_before_those_that_are_kept_for_the_server) {
  EXPECT_FALSE(find().value());
  write(kept, {access::party::user, "kept"});
  EXPECT_EQ(find().value()->who.name, "kept");
  EXPECT_FALSE(find("nats://127.0.0.1:4712").value()) << "that is another server";
  EXPECT_FALSE(find("nats://token@127.0.0.1:4711").value()) << "the URL says who";
  variables["ARGOSY_CREDENTIALS"] = write(folder.path() / "x", {access::party::user, "named"});
  EXPECT_EQ(find().value()->who.name, "named");
}

TEST_F(credentials, that_cannot_be_used_are_named) {
  variables["ARGOSY_CREDENTIALS"] = (folder.path() / "none").string();
  const auto none = find();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ec::invalid_argument);
  EXPECT_NE(none.error().detail.find("ARGOSY_CREDENTIALS: "), std::string::npos);
  variables["ARGOSY_CREDENTIALS"] = write(folder.path() / "a", {access::party::agent, "c"});
  const auto agent = find();
  ASSERT_FALSE(agent);
  EXPECT_NE(agent.error().detail.find("agent/c; argosyctl needs those of a user"),
            std::string::npos)
      << agent.error().detail;
  variables.erase("ARGOSY_CREDENTIALS");
  ASSERT_TRUE(access::write_private(kept, "nonsense", true));
  const auto damaged = find();
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().detail.find(kept.string()), std::string::npos);
}

}  // namespace

}  // namespace argosy::ctl
