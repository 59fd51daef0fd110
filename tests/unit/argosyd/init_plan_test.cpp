// SPDX-License-Identifier: Apache-2.0
// Goal: `argosyd init` makes what it says, shows no secret, and changes nothing that it was not
// asked to. Method: the plan alone, with keys that the test draws.
#include "bins/argosyd/init/init_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "runtime/access/credentials.hpp"
#include "runtime/access/key_password.hpp"

namespace argosy::argosyd {

namespace {

class init_plan : public ::testing::Test {
 protected:
  result<init_outcome> plan(const init_request& request,
                            const std::optional<std::string>& present = std::nullopt) {
    if (present) there_["access.list"] = *present;
    return plan_init(
        request,
        [this](const std::filesystem::path& file) -> result<std::string> {
          const auto found = there_.find(file.string());
          if (found == there_.end()) return fail(ec::not_found, "");
          return found->second;
        },
        [this] {
          auto key = access::make_nkey();
          if (key) seeds_.push_back(key->seed);
          return key;
        });
  }
  /// Lets what was made lie in the folder.
  void put(const init_outcome& made) {
    for (const auto& file : made.files) there_[file.path.string()] = file.text;
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
  std::map<std::string, std::string> there_;  ///< The files of the folder.
};

TEST_F(init_plan, of_three_machines_has_a_server_and_an_argosyd_for_each) {
  auto wanted = request();
  wanted.machines = "a,b,c";
  wanted.certificate = "/tls/c.pem";
  wanted.certificate_key = "/tls/k.pem";
  wanted.authority = "/tls/ca.pem";
  const auto made = plan(wanted);
  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(text_of(*made, "credentials/log.key").size(), 32u);
  EXPECT_EQ(text_of(*made, "argosyd.yaml"), "");
  for (const std::string each : {"a", "b", "c"}) {
    EXPECT_NE(text_of(*made, "nats-server." + each + ".conf").find("server_name: \"" + each + "\""),
              std::string::npos);
    const auto settings = text_of(*made, "argosyd." + each + ".yaml");
    EXPECT_NE(settings.find("url: \"tls://" + each + ":4222,tls://"), std::string::npos)
        << "its own server is the first\n"
        << settings;
    for (const auto* line : {"\n  replicas: 3\n", "\n  commit: standby\n",
                             "\n  keyFile: \"/etc/argosy/credentials/log.key\"\n"})
      EXPECT_NE(settings.find(line), std::string::npos) << settings;
  }
  EXPECT_NE(text_of(*made, "agents/c2.yaml").find("tls://a:4222,tls://b:4222,tls://c:4222"),
            std::string::npos);
  EXPECT_NE(made->said.find("Copy the folder to the same place on each"), std::string::npos);
  put(*made);
  init_request more;
  more.folder = "/etc/argosy";
  more.add_users = {"zoe"};
  const auto changed = plan(more, text_of(*made, "access.list"));
  ASSERT_TRUE(changed) << changed.error().detail;
  EXPECT_EQ(text_of(*changed, "credentials/log.key"), "") << "the log has one key for ever";
  EXPECT_NE(changed->said.find("copy the folder to each of the machines a,b,c"), std::string::npos);
}

TEST_F(init_plan, refuses_machines_that_would_not_survive_the_loss_of_one) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"a", "three different"},         {"a,b", "three different"},
      {"a,b,b", "three different"},     {"a,b,c,d", "three different"},
      {"a,b,", "three different"},      {"a,b,c d", "is no name"},
      {"a,b,../c", "is no name"},       {"a,b,-c", "is no name"},
      {"127.0.0.1,a,b", "either all"},  {"localhost,127.0.0.2,127.0.0.3", "either all"},
      {"a,b,c", "have to be encrypted"}};
  for (const auto& [machines, why] : wrong) {
    auto wanted = request();
    wanted.machines = machines;
    const auto made = plan(wanted);
    ASSERT_FALSE(made) << machines;
    EXPECT_NE(made.error().detail.find(why), std::string::npos) << made.error().detail;
  }
  auto wanted = request();
  wanted.machines = "127.0.0.1,127.0.0.2,127.0.0.3";
  EXPECT_TRUE(plan(wanted)) << "to try it on one machine";
  there_.clear();
  wanted.listen = "127.0.0.1:64000";
  EXPECT_FALSE(plan(wanted)) << "there is no port for the routes";
  wanted.listen = "127.0.0.1:0";
  EXPECT_FALSE(plan(wanted)) << "others could not be told of it";
}

TEST_F(init_plan, gives_a_new_key_and_leaves_settings_and_keys_of_orders_as_they_are) {
  const auto first = plan(request());
  ASSERT_TRUE(first);
  put(*first);
  init_request wanted;
  wanted.folder = "/etc/argosy";
  wanted.rotate = {"argosyd", "agent/c2", "user/root"};
  const auto made = plan(wanted);
  ASSERT_TRUE(made) << made.error().detail;
  const auto members = access::parse_plan(text_of(*made, "access.list"))->members;
  for (const auto* path :
       {"credentials/argosyd", "credentials/agent-c2", "credentials/user-root"}) {
    const auto before = access::parse_credentials(there_[path]).value();
    const auto after = access::parse_credentials(text_of(*made, path)).value();
    EXPECT_NE(after.seed, before.seed) << path;
    EXPECT_EQ(after.order_seed, before.order_seed) << path;
    EXPECT_EQ(after.order_keys, before.order_keys) << path;
    EXPECT_EQ(std::ranges::count(members, access::public_key_of(after.seed).value(),
                                 &access::member::public_key),
              1)
        << path;
  }
  std::vector<std::string> written;
  for (const auto& file : made->files) written.push_back(file.path.string());
  EXPECT_EQ(written,
            (std::vector<std::string>{"credentials/argosyd", "credentials/agent-c2",
                                      "credentials/user-root", "accounts.conf", "access.list"}));
  there_.erase("credentials/argosyd");
  EXPECT_EQ(plan(wanted).error().code, ec::not_found) << "it alone signs orders";
  wanted.rotate = {"agent/c9"};
  EXPECT_EQ(plan(wanted).error().code, ec::not_found);
}

TEST_F(init_plan, makes_the_file_of_a_new_key_whose_old_one_is_on_its_machine_alone) {
  const auto first = plan(request());
  ASSERT_TRUE(first);
  put(*first);
  const auto before = access::parse_credentials(there_["credentials/agent-c2"]).value();
  there_.erase("credentials/agent-c2");
  init_request wanted;
  wanted.folder = "/etc/argosy";
  wanted.rotate = {"agent/c2"};
  const auto made = plan(wanted);
  ASSERT_TRUE(made) << made.error().detail;
  const auto after = access::parse_credentials(text_of(*made, "credentials/agent-c2"));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->order_keys, before.order_keys);
}

TEST_F(init_plan, gives_users_a_context_for_grpc_where_it_is_served) {
  const auto without = plan(request());
  ASSERT_TRUE(without);
  EXPECT_EQ(text_of(*without, "contexts/root/config.yaml"), "");
  EXPECT_EQ(text_of(*without, "argosyd.yaml").find("grpc"), std::string::npos);
  auto wanted = request();
  wanted.listen = "10.0.0.1:4222";
  wanted.url = "tls://nats.example.com:4222,tls://other:4222";
  wanted.grpc = "10.0.0.1:50051";
  EXPECT_NE(plan(wanted).error().detail.find("--tls-cert"), std::string::npos);
  wanted.certificate = "/etc/nats.pem";
  wanted.certificate_key = "/etc/nats.key";
  wanted.authority = "/etc/ca.pem";
  const auto made = plan(wanted);
  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_NE(
      text_of(*made, "argosyd.yaml")
          .find("grpc:\n  listen: \"10.0.0.1:50051\"\n  certificateFile: \"/etc/nats.pem\"\n"
                "  keyFile: \"/etc/nats.key\"\nhealth:\n  hostNames: [\"nats.example.com\"]\n"),
      std::string::npos);
  const auto password_of = [](const init_outcome& from, const std::string& name) {
    const auto seed = access::parse_credentials(text_of(from, "credentials/user-" + name))->seed;
    return access::key_password(seed).value();
  };
  EXPECT_NE(text_of(*made, "contexts/alice/config.yaml")
                .find("    server: \"tls://nats.example.com:4222,tls://other:4222\"\n"
                      "    credentials: credentials\n"
                      "    grpc: \"grpcs://alice:" +
                      password_of(*made, "alice") +
                      "@nats.example.com:50051\"\n    caFile: \"/etc/ca.pem\"\n"),
            std::string::npos)
      << text_of(*made, "contexts/alice/config.yaml");
  EXPECT_EQ(made->said.find(password_of(*made, "alice")), std::string::npos) << "it is a secret";
  put(*made);
  init_request later;
  later.folder = "/etc/argosy";
  later.add_users = {"eve"};
  later.rotate = {"user/alice"};
  const auto changed = plan(later);
  ASSERT_TRUE(changed) << changed.error().detail;
  for (const auto* name : {"eve", "alice"})
    EXPECT_NE(text_of(*changed, "contexts/" + std::string{name} + "/config.yaml")
                  .find(password_of(*changed, name)),
              std::string::npos);
  EXPECT_EQ(text_of(*changed, "contexts/alice/credentials"),
            text_of(*changed, "credentials/user-alice"));
  later.grpc = "10.0.0.1:50052";
  EXPECT_NE(plan(later).error().detail.find("--grpc is for a new deployment"), std::string::npos);
}

TEST_F(init_plan, overwrites_no_settings_when_a_cluster_goes_and_comes_again) {
  const auto first = plan(request());
  ASSERT_TRUE(first);
  put(*first);
  there_["agents/c2.yaml"] += "dataDir: /mnt/fast\n";
  there_["nats-server.conf"] += "http: 8222\n";
  init_request wanted;
  wanted.folder = "/etc/argosy";
  wanted.remove = {"agent/c2"};
  wanted.add_clusters = {"c2"};
  const auto made = plan(wanted);
  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(text_of(*made, "agents/c2.yaml"), "");
  EXPECT_EQ(text_of(*made, "nats-server.conf"), "");
  EXPECT_NE(made->said.find("agents/c2.yaml is there already and stays as it is"),
            std::string::npos);
}

TEST_F(init_plan, replaces_limits_of_an_older_version_once_the_rights_are_there) {
  const auto first = plan(request());
  ASSERT_TRUE(first);
  put(*first);
  const auto today = there_["nats-server.conf"];
  auto& conf = there_["nats-server.conf"];
  conf.replace(conf.find("subscriptions: 200"), 18, "subscriptions: 1000");
  conf.erase(conf.find("max_pending"), conf.find("jetstream {") - conf.find("max_pending"));
  init_request wanted;
  wanted.folder = "/etc/argosy";
  wanted.add_users = {"new"};
  const auto other = plan(wanted);
  ASSERT_TRUE(other);
  EXPECT_EQ(text_of(*other, "nats-server.conf"), "")
      << "a server that runs would refuse its rights";
  EXPECT_NE(other->said.find("max_subscriptions: 1000, no max_pending"), std::string::npos);
  EXPECT_NE(other->said.find("argosyd init DIR --rewrite"), std::string::npos) << other->said;
  EXPECT_NE(other->said.find("nats-server --signal reload="), std::string::npos);
  wanted.add_users.clear();
  wanted.rewrite = true;
  there_["accounts.conf"] += "# of before\n";
  const auto rights = plan(wanted);
  ASSERT_TRUE(rights);
  EXPECT_EQ(text_of(*rights, "nats-server.conf"), "") << "the rights come first";
  EXPECT_NE(rights->said.find("Say this again"), std::string::npos) << rights->said;
  put(*rights);
  const auto made = plan(wanted);
  ASSERT_TRUE(made);
  EXPECT_EQ(text_of(*made, "nats-server.conf"), today);
  EXPECT_NE(made->said.find("start the nats-server anew"), std::string::npos) << made->said;
  EXPECT_EQ(made->said.find("--signal reload="), std::string::npos) << "it would be refused";
}

TEST_F(init_plan, takes_the_rights_out_of_the_configuration_of_an_older_version) {
  const auto first = plan(request());
  ASSERT_TRUE(first);
  put(*first);
  const auto now = there_["accounts.conf"];
  there_.erase("accounts.conf");
  there_["nats-server.conf"] =
      "listen: \"127.0.0.1:4222\"\naccounts {\n  A { allow_responses: true }\n}\n";
  init_request wanted;
  wanted.folder = "/etc/argosy";
  wanted.rewrite = true;
  const auto made = plan(wanted);
  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(text_of(*made, "accounts.conf"), now);
  const auto conf = text_of(*made, "nats-server.conf");
  EXPECT_EQ(conf.find("allow_responses"), std::string::npos);
  EXPECT_NE(conf.find("include \"accounts.conf\""), std::string::npos);
  EXPECT_NE(made->said.find("nats-server --signal reload="), std::string::npos);
  there_["nats-server.conf"] = "include \"mine.conf\"\n";
  const auto other = plan(wanted);
  ASSERT_TRUE(other);
  EXPECT_EQ(text_of(*other, "nats-server.conf"), "");
  EXPECT_NE(other->said.find("WARNING"), std::string::npos);
}

TEST_F(init_plan, keeps_data_where_data_belongs) {
  EXPECT_EQ(state_of("/etc/argosy", "/users/a/.config", "/users/a/.local/state"),
            "/var/lib/argosy");
  EXPECT_EQ(state_of("/users/a/.config/b", "/users/a/.config", "/users/a/.local/state"),
            "/users/a/.local/state/b");
  EXPECT_EQ(state_of("/srv/argosy", "/users/a/.config", "/users/a/.local/state"), "");
  const auto conf = [&](const init_request& wanted) {
    const auto made = plan(wanted);
    return made ? text_of(*made, "nats-server.conf") + text_of(*made, "argosyd.yaml")
                : made.error().detail;
  };
  auto wanted = request();
  wanted.state = "/var/lib/argosy";
  EXPECT_NE(conf(wanted).find("store_dir: \"/var/lib/argosy/jetstream\""), std::string::npos);
  EXPECT_EQ(conf(wanted).find("dataDir"), std::string::npos) << "it is the default";
  wanted.state = "/var/lib/other";
  EXPECT_NE(conf(wanted).find("dataDir: \"/var/lib/other/data\""), std::string::npos);
  wanted.store = "/mnt/log";
  EXPECT_NE(conf(wanted).find("store_dir: \"/mnt/log\""), std::string::npos);
  EXPECT_NE(conf(wanted).find("pid_file: \"/mnt/log/nats-server.pid\""), std::string::npos);
  wanted.state = "";
  wanted.store = "";
  EXPECT_NE(conf(wanted).find("store_dir: \"/etc/argosy/jetstream\""), std::string::npos);
}

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
  for (const auto* path : {"argosyd.yaml", "agents/c.1.yaml", "agents/c2.yaml", "nats-server.conf",
                           "accounts.conf", "access.list"})
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
  more.add_users = {"eve:viewer", "bob"};
  more.remove = {"user/alice"};
  const auto second = plan(more, text_of(*first, "access.list"));
  ASSERT_TRUE(second) << second.error().detail;
  const auto after = access::parse_plan(text_of(*second, "access.list"));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->members.size(), before->members.size() + 2);
  for (const auto& who : before->members)
    EXPECT_EQ(std::ranges::count(after->members, who), who.name == "alice" ? 0 : 1) << who.name;
  EXPECT_EQ(text_of(*second, "argosyd.yaml"), "") << "it may have been edited";
  EXPECT_NE(second->said.find("nats-server --signal reload=/etc/argosy/nats-server.pid\n"),
            std::string::npos)
      << second->said;
  EXPECT_EQ(text_of(*second, "accounts.conf").find("user/alice"), std::string::npos);
  for (const auto* line : {"credentials/user-eve (viewer)\n", "credentials/user-bob (submitter)\n"})
    EXPECT_NE(second->said.find(line), std::string::npos) << second->said;
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
  EXPECT_EQ(text_of(*second, "accounts.conf"), text_of(*first, "accounts.conf"));
  EXPECT_EQ(text_of(*second, "credentials/user-root"), "");
}

TEST_F(init_plan, names_the_file_that_is_damaged_and_writes_anew_what_is_empty) {
  const auto first = plan(request());
  ASSERT_TRUE(first);
  put(*first);
  init_request change;
  change.folder = "/etc/argosy";
  change.add_users = {"zoe:viewer"};
  const auto list = there_["access.list"];
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"", ": there is no line 'listen ...'"},
           {"listen\n" + list, ": line 1: 'listen' has no value"},
           {list + "member user/eve viewer\n", ": line "}}) {
    const auto got = plan(change, text);
    ASSERT_FALSE(got) << text;
    EXPECT_TRUE(got.error().detail.starts_with("/etc/argosy/access.list" + words))
        << got.error().detail;
    EXPECT_NE(got.error().detail.find("put a copy of it back"), std::string::npos);
  }
  there_["nats-server.conf"] = there_["argosyd.yaml"] = "";
  const auto made = plan(change, list);
  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_EQ(text_of(*made, "nats-server.conf"), text_of(*first, "nats-server.conf"));
  there_["credentials/user-root"] = "";
  change.rotate = {"user/root"};
  const auto got = plan(change, list);
  ASSERT_FALSE(got);
  EXPECT_TRUE(got.error().detail.starts_with("/etc/argosy/credentials/user-root: this is no "))
      << got.error().detail;
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
  there_.clear();
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
