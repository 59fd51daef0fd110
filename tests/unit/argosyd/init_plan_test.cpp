// SPDX-License-Identifier: Apache-2.0
// Goal: `argosyd init` makes what it says, shows no secret, and changes nothing that it was not
// asked to. Method: the plan alone, with keys that the test draws.
#include "bins/argosyd/init_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/access/credentials.hpp"

namespace argosy::argosyd {

namespace {

class init_plan : public ::testing::Test {
 protected:
  result<init_outcome> plan(const init_request& request,
                            const std::optional<std::string>& present = std::nullopt) {
    return plan_init(request, present, [this] {
      auto key = access::make_nkey();
      if (key) seeds_.push_back(key->seed);
      return key;
    });
  }
  static std::string text_of(const init_outcome& made, const std::string& path) {
    const auto found = std::ranges::find(made.files, std::filesystem::path{path}, &init_file::path);
    return found == made.files.end() ? "" : found->text;
  }
  static init_request request() {
    init_request out;
    out.folder = "/etc/argosy";
    out.clusters = {"c.1", "c2"};
    out.users = {"alice", "root:operator"};
    return out;
  }

  std::vector<std::string> seeds_;
};

TEST_F(init_plan, makes_a_log_that_fits_on_the_disk) {
  auto wanted = request();
  const auto settings = [&](std::uint64_t free_gibi) {
    wanted.disk_free_bytes = free_gibi << 30;
    const auto made = plan(wanted);
    return made ? text_of(*made, "argosyd.yaml") : made.error().detail;
  };
  EXPECT_NE(settings(70).find("logBytesMax: 17GiB\n"), std::string::npos) << settings(70);
  EXPECT_NE(settings(2).find("logBytesMax: 1GiB\n"), std::string::npos);
  EXPECT_EQ(settings(256).find("logBytesMax"), std::string::npos) << "the default fits";
  EXPECT_EQ(settings(0).find("logBytesMax"), std::string::npos) << "nobody knows";
}

TEST_F(init_plan, makes_keys_and_settings_for_everybody_and_shows_no_secret) {
  const auto made = plan(request());
  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(seeds_.size(), 6u) << "one of them signs orders";
  for (const auto* path : {"credentials/argosyd", "credentials/agent-c.1", "credentials/agent-c2",
                           "credentials/user-alice", "credentials/user-root"})
    EXPECT_TRUE(access::parse_credentials(text_of(*made, path))) << path;
  for (const auto* path :
       {"argosyd.yaml", "agents/c.1.yaml", "agents/c2.yaml", "nats-server.conf", "access.list"})
    EXPECT_NE(text_of(*made, path), "") << path;
  EXPECT_NE(text_of(*made, "agents/c2.yaml").find("credentialsFile: \"/etc/argosy/credentials/"),
            std::string::npos);
  for (const auto& seed : seeds_) {
    EXPECT_EQ(made->said.find(seed), std::string::npos);
    for (const auto& file : made->files) {
      const bool secret = file.path.string().starts_with("credentials/");
      EXPECT_TRUE(secret || file.text.find(seed) == std::string::npos) << file.path;
    }
  }
  EXPECT_NE(made->said.find("WARNING: the link is not encrypted"), std::string::npos);
  EXPECT_NE(made->said.find("nats-server -c /etc/argosy/nats-server.conf"), std::string::npos);
}

TEST_F(init_plan, needs_a_port_to_listen_on) {
  auto wanted = request();
  for (const auto* listen : {"nowhere", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", "off"}) {
    wanted.listen = listen;
    const auto refused = plan(wanted);
    ASSERT_FALSE(refused) << listen;
    EXPECT_EQ(refused.error().detail,
              std::string{"--listen "} + listen + " is not HOST:PORT, such as 127.0.0.1:4222");
  }
}

TEST_F(init_plan, serves_other_machines_over_an_encrypted_link_only) {
  auto wanted = request();
  wanted.listen = "0.0.0.0:4222";
  EXPECT_EQ(plan(wanted).error().code, ec::invalid_argument);
  wanted.certificate = "/c.pem";
  EXPECT_EQ(plan(wanted).error().code, ec::invalid_argument) << "there is no key";
  wanted.certificate_key = "/k.pem";
  wanted.authority = "/ca.pem";
  wanted.url = "tls://nats.example.com:4222";
  const auto made = plan(wanted);
  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_NE(text_of(*made, "nats-server.conf").find("cert_file: \"/c.pem\""), std::string::npos);
  EXPECT_NE(text_of(*made, "argosyd.yaml").find("caFile: \"/ca.pem\""), std::string::npos);
  EXPECT_NE(text_of(*made, "argosyd.yaml").find("tls://nats.example.com:4222"), std::string::npos);
  EXPECT_EQ(made->said.find("WARNING"), std::string::npos);
}

TEST_F(init_plan, adds_and_removes_and_leaves_the_others_as_they_are) {
  const auto first = plan(request());
  ASSERT_TRUE(first);
  const auto before = access::parse_plan(text_of(*first, "access.list"));
  ASSERT_TRUE(before);
  init_request more;
  more.folder = "/etc/argosy";
  more.add_clusters = {"c3"};
  more.add_users = {"eve:viewer"};
  more.remove = {"user/alice"};
  const auto second = plan(more, text_of(*first, "access.list"));
  ASSERT_TRUE(second) << second.error().detail;
  const auto after = access::parse_plan(text_of(*second, "access.list"));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->members.size(), before->members.size() + 1);
  for (const auto& who : before->members)
    EXPECT_EQ(std::ranges::count(after->members, who), who.name == "alice" ? 0 : 1) << who.name;
  EXPECT_EQ(text_of(*second, "argosyd.yaml"), "") << "it may have been edited";
  EXPECT_NE(second->said.find("nats-server --signal reload"), std::string::npos);
  EXPECT_EQ(text_of(*second, "nats-server.conf").find("user/alice"), std::string::npos);
}

TEST_F(init_plan, that_is_asked_for_twice_changes_nothing) {
  const auto first = plan(request());
  ASSERT_TRUE(first);
  init_request again;
  again.folder = "/etc/argosy";
  again.add_clusters = {"c2"};
  again.add_users = {"root:operator"};
  const auto list = text_of(*first, "access.list");
  const auto second = plan(again, list);
  ASSERT_TRUE(second) << second.error().detail;
  EXPECT_EQ(text_of(*second, "access.list"), list);
  EXPECT_EQ(text_of(*second, "nats-server.conf"), text_of(*first, "nats-server.conf"));
  EXPECT_EQ(text_of(*second, "credentials/user-root"), "");
}

TEST_F(init_plan, refuses_what_would_overwrite_and_what_cannot_be) {
  const auto first = plan(request());
  ASSERT_TRUE(first);
  const auto list = text_of(*first, "access.list");
  EXPECT_EQ(plan(request(), list).error().code, ec::conflict);
  init_request change;
  change.folder = "/etc/argosy";
  change.add_users = {"alice:operator"};
  EXPECT_EQ(plan(change, list).error().code, ec::conflict) << "alice has another role";
  EXPECT_EQ(plan(change).error().code, ec::not_found);
  for (const auto* text : {"a:agent", "a:argosyd", "a:king", "a.b", "*:viewer", ""}) {
    change.add_users = {text};
    EXPECT_EQ(plan(change, list).error().code, ec::invalid_argument) << text;
  }
  change.add_users.clear();
  change.remove = {"argosyd"};
  EXPECT_EQ(plan(change, list).error().code, ec::invalid_argument);
}

}  // namespace

}  // namespace argosy::argosyd
