// SPDX-License-Identifier: Apache-2.0
// Goal: the configuration of nats-server says what the plan says and opens nothing beside it.
// Method: plans in, text out; what the server makes of it is tested with a real one elsewhere.
#include "runtime/access/server_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "runtime/access/server_limits.hpp"

namespace argosy::access {

namespace {

constexpr const char* some_key = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

server_plan plan_of(const std::vector<member>& members) {
  server_plan out;
  out.store_dir = "/var/lib/argosy/jetstream";
  out.url = "nats://127.0.0.1:4222";
  for (const auto& who : members) EXPECT_TRUE(add(out, who));
  return out;
}

const std::vector<member> everybody{
    {role::control_plane, "", some_key},  {role::agent, "c.1", some_key},
    {role::viewer, "eve", some_key},      {role::tenant, "ten", some_key},
    {role::submitter, "alice", some_key}, {role::operator_, "root", some_key}};

TEST(server_plan, is_read_as_it_is_written) {
  auto plan = plan_of(everybody);
  plan.certificate = "/etc/ssl/a certificate.pem";
  plan.certificate_key = "/etc/ssl/key.pem";
  plan.authority = "/etc/ssl/ca.pem";
  plan.pid_file = "/run/nats server.pid";
  const auto read = parse_plan(print_plan(plan));
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_EQ(*read, plan);
}

TEST(server_plan, keeps_what_people_wrote_beside_it) {
  auto text = print_plan(plan_of(everybody));
  const auto before = [&](const std::string& line, const std::string& comment) {
    text.insert(text.find(line), comment);
  };
  before("store_dir", "# On the fast disk.\n\n");
  before("member user/alice", "# Alice, of the lab.\n# Until March.\n");
  before("member user/eve", "# Eve, who only looks.\n");
  text += "# The end.\n";
  auto read = parse_plan(text);
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_EQ(print_plan(*read), text);
  ASSERT_TRUE(add(*read, {role::viewer, "zoe", some_key}));
  ASSERT_TRUE(remove(*read, {party::user, "eve"}));
  const auto changed = print_plan(*read);
  EXPECT_NE(changed.find("# Alice, of the lab.\n# Until March.\nmember user/alice"),
            std::string::npos);
  EXPECT_TRUE(changed.ends_with("# The end.\n"));
  EXPECT_NE(changed.find("# Eve, who only looks.\n"), std::string::npos) << "nothing is lost";
  EXPECT_EQ(print_plan(*parse_plan(changed)), changed);
}

TEST(server_plan, names_the_line_that_it_cannot_read) {
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"listen 1\nnonsense x\n", "line 2: 'nonsense'"},
           {"max_payload much\n", "line 1: max_payload"},
           {"member user/a operator UX\n", "no public key"},
           {std::string{"member user/a agent "} + some_key, "cannot have the role"},
           {std::string{"member agent/a viewer "} + some_key, "cannot have the role"},
           {std::string{"member user/> viewer "} + some_key, "line 1: a user's name"},
           {std::string{"member user/a viewer "} + some_key + " more", "line 1: 'more'"},
           {"member\n", "line 1: 'member' has no value"},
           {"listen\n", "line 1: 'listen' has no value"},
           {"listen \n", "line 1: 'listen' has no value"},
           {"listen 1\n\nlisten 2\n", "line 3: 'listen' stands there twice"},
           {"listen 1\r\n", "line 1: it has a control character"},
           {std::string("listen \0\n", 9), "line 1: it has a control character"},
           {"\xef\xbb\xbflisten 1\n", "line 1: '"},
           {"", "there is no line 'listen ...', so that a part of the file is missing"},
           {"# Who\n", "there is no line 'listen ...'"},
           {"listen 1\nurl 2\nstore_dir 3\nmax_payload 8",
            "there is no line 'member argosyd ...'"}}) {
    const auto got = parse_plan(text);
    ASSERT_FALSE(got) << text;
    EXPECT_NE(got.error().detail.find(words), std::string::npos) << got.error().detail;
  }
  const auto whole = print_plan(plan_of(everybody));
  for (std::size_t end = 0; end < whole.find("member argosyd") + 20; ++end)
    EXPECT_FALSE(parse_plan(whole.substr(0, end))) << whole.substr(0, end);
}

TEST(server_plan, has_no_two_members_with_the_same_subjects) {
  auto plan = plan_of(everybody);
  EXPECT_EQ(add(plan, {role::viewer, "alice", some_key}).error().code, ec::conflict);
  EXPECT_EQ(add(plan, {role::agent, "c.1", some_key}).error().code, ec::conflict);
  EXPECT_EQ(add(plan, {role::control_plane, "", some_key}).error().code, ec::conflict);
  EXPECT_TRUE(add(plan, {role::agent, "c", some_key}));
  EXPECT_EQ(remove(plan, {party::user, "nobody"}).error().code, ec::not_found);
  EXPECT_TRUE(remove(plan, {party::user, "alice"}));
  EXPECT_EQ(accounts_conf(plan).find("alice"), std::string::npos);
}

TEST(server_conf, has_accounts_and_no_bare_authorization_and_opens_no_other_port) {
  const auto plan = plan_of(everybody);
  EXPECT_TRUE(includes_accounts(server_conf(plan)));
  const auto text = server_conf(plan) + accounts_conf(plan);
  EXPECT_NE(text.find("accounts {"), std::string::npos);
  for (const auto* word : {"authorization", "no_auth_user", "websocket", "mqtt", "leafnodes",
                           "cluster {", "http", "tls"})
    EXPECT_EQ(text.find(word), std::string::npos) << word;
  EXPECT_NE(text.find("listen: \"127.0.0.1:4222\""), std::string::npos);
  EXPECT_NE(text.find("max_payload: 8388608"), std::string::npos);
}

TEST(server_conf, encrypts_when_the_plan_has_a_certificate) {
  auto plan = plan_of(everybody);
  plan.certificate = "/c\"x";
  plan.certificate_key = "/k";
  EXPECT_NE(server_conf(plan).find("tls { cert_file: \"/c\\\"x\", key_file: \"/k\" }"),
            std::string::npos);
}

TEST(server_conf, has_bounds_and_names_the_file_by_which_it_is_told_to_reload) {
  auto plan = plan_of(everybody);
  EXPECT_EQ(server_conf(plan).find("pid_file"), std::string::npos) << "none was planned";
  plan.pid_file = "/run/x.pid";
  const auto text = server_conf(plan);
  for (const auto* word : {"max_connections: ", "max_subscriptions: ", "max_payload: ",
                           "max_pending: ", "pid_file: \"/run/x.pid\""})
    EXPECT_NE(text.find(word), std::string::npos) << word;
}

TEST(server_conf, of_one_of_three_machines_joins_the_others_and_writes_before_it_confirms) {
  auto plan = plan_of(everybody);
  plan.machines = "a,b.example,10.0.0.3";
  plan.listen = "0.0.0.0:4222";
  plan.certificate = "/c";
  plan.certificate_key = "/k";
  plan.authority = "/ca";
  plan.store_dir = "/s";
  const auto text = server_conf(plan, "b.example");
  for (const auto* words :
       {"server_name: \"b.example\"", "listen: \"0.0.0.0:4222\"", "listen: \"0.0.0.0:6222\"",
        "\"nats-route://a:6222\"", "\"nats-route://10.0.0.3:6222\"", "sync_interval: always",
        "store_dir: \"/s/b.example\"", "ca_file: \"/ca\", verify: true"})
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  EXPECT_EQ(older_limits(text), "");
  EXPECT_EQ(conf_fault(plan, text, accounts_conf(plan)), std::nullopt);
  const auto read = parse_plan(print_plan(plan));
  ASSERT_TRUE(read);
  EXPECT_EQ(machines_of(*read), (std::vector<std::string>{"a", "b.example", "10.0.0.3"}));
}

/// It grants the right to publish to whatever a message names, also one that somebody sends to
/// himself, and so every right to the key of one agent.
TEST(server_conf, lets_nobody_answer_wherever_a_message_says) {
  auto members = everybody;
  members.push_back({role::owner, "dev", some_key});
  EXPECT_EQ(accounts_conf(plan_of(members)).find("allow_responses"), std::string::npos);
}

/// The form of the configuration that older versions wrote, with a line of somebody's own.
std::string older_conf(const std::string& rights) {
  return "# The configuration of the nats-server of Argosy, written by `argosyd init`. Change it\n"
         "# with `argosyd init DIR --add-user ...`, which writes it anew.\n"
         "listen: \"127.0.0.1:4222\"\nhttp: 8222\n"
         "accounts {\n  ARGOSY {\n    users: [\n      { nkey: X\n" +
         rights + "      }\n    ]\n  }\n}\ncluster { name: c }\n";
}

TEST(older_server_conf, keeps_what_somebody_wrote_and_loses_the_rights) {
  const auto text = divided_conf(older_conf("  allow_responses: { max: -1 }\n")).value_or("");
  EXPECT_TRUE(includes_accounts(text)) << text;
  for (const auto* kept : {"listen: \"127.0.0.1:4222\"\n", "http: 8222\n", "cluster { name: c }\n",
                           "max_connections: "})
    EXPECT_NE(text.find(kept), std::string::npos) << kept << text;
  // A server that runs refuses the whole file for the sake of the last of these.
  for (const auto* gone :
       {"accounts {", "allow_responses", "--add-user", "max_subscriptions", "max_pending"})
    EXPECT_EQ(text.find(gone), std::string::npos) << gone << text;
  EXPECT_FALSE(divided_conf("listen: 1\ninclude \"members.conf\"\n"))
      << "that one is somebody's own";
}

TEST(marks, change_with_members_and_keys_and_stand_for_the_control_plane_alone) {
  auto members = everybody;
  const auto text = accounts_block(members);
  for (const auto& mark : {mark_of_rules(), mark_of_members(members)}) {
    const auto at = text.find(mark);
    ASSERT_NE(at, std::string::npos) << mark;
    EXPECT_EQ(text.find(mark, at + 1), std::string::npos) << mark;
    EXPECT_LT(text.rfind("# argosyd", at), at);
  }
  std::set<std::string> seen{mark_of_rules(), mark_of_members(members)};
  members.back().name += "x";
  EXPECT_TRUE(seen.insert(mark_of_members(members)).second);
  members.back().public_key = "U";
  EXPECT_TRUE(seen.insert(mark_of_members(members)).second);
  members.pop_back();
  EXPECT_TRUE(seen.insert(mark_of_members(members)).second);
}

TEST(faults_of_a_server_conf, are_rights_that_the_plan_does_not_give) {
  const auto plan = plan_of(everybody);
  EXPECT_EQ(conf_fault(plan, server_conf(plan), accounts_conf(plan)), std::nullopt);
  EXPECT_EQ(conf_fault(plan, server_conf(plan) + "http: 8222\n", accounts_conf(plan)), std::nullopt)
      << "it may be changed";
  const auto fault = [&](const std::string& conf, const std::string& accounts) {
    return conf_fault(plan, conf, accounts).value_or("nothing");
  };
  EXPECT_EQ(
      fault(older_conf("  allow_responses: { max: -1 }\n"), "").find("nats-server.conf has allow"),
      0u);
  EXPECT_EQ(fault(server_conf(plan), "allow_responses: true").find("accounts.conf has allow"), 0u);
  EXPECT_NE(fault(older_conf(""), "").find("older version"), std::string::npos);
  EXPECT_NE(fault(server_conf(plan), "").find("other rights"), std::string::npos);
}

TEST(permissions, of_all_but_the_control_plane_reach_neither_log_nor_jetstream) {
  for (const auto what :
       {role::agent, role::viewer, role::tenant, role::submitter, role::operator_, role::owner}) {
    const auto allowed = permissions_of(what, "x");
    auto all = allowed.publish;
    all.insert(all.end(), allowed.subscribe.begin(), allowed.subscribe.end());
    for (const auto& subject : all) {
      EXPECT_FALSE(subject.starts_with("argosy.log")) << subject;
      EXPECT_FALSE(subject.starts_with("$")) << subject;
      EXPECT_FALSE(subject.starts_with("*") || subject.starts_with(">")) << subject;
      EXPECT_NE(subject, "_INBOX.>");
      EXPECT_NE(subject, "argosy.>");
    }
  }
}

/// Without the group each connection of a user would have its own copy of all that he is sent.
TEST(permissions, let_all_but_the_control_plane_listen_to_inboxes_in_one_queue_group_alone) {
  for (const auto what :
       {role::agent, role::viewer, role::tenant, role::submitter, role::operator_, role::owner})
    for (const auto& subject : permissions_of(what, "x").subscribe)
      EXPECT_EQ(subject.starts_with("_INBOX") && !subject.ends_with(".unserved.>"),
                subject.ends_with(".> replies"))
          << subject;
}

TEST(permissions, of_the_control_plane_destroy_no_stream) {
  for (const auto& subject : permissions_of(role::control_plane, "").publish)
    for (const auto* word : {"STREAM.DELETE", "PURGE", "MSG.DELETE", "RESTORE", "SNAPSHOT", "$JS.>",
                             "$JS.API.>", "STREAM.>"})
      EXPECT_EQ(subject.find(word), std::string::npos) << subject;
}

TEST(permissions, of_users_name_the_user_in_every_subject) {
  for (const auto what : {role::viewer, role::tenant, role::submitter, role::operator_})
    for (const auto& subject : permissions_of(what, "alice").publish)
      EXPECT_TRUE(subject.starts_with("argosy.api.alice.")) << subject;
}

TEST(permissions, of_a_viewer_change_nothing_and_read_no_output) {
  const auto viewer = permissions_of(role::viewer, "v").publish;
  const auto submitter = permissions_of(role::submitter, "v").publish;
  for (const auto* method : {"Submit.SubmitJobs", "Submit.CancelJobs", "Submit.CancelJobSet",
                             "Submit.ReprioritizeJobs", "Logs.Read"}) {
    const auto subject = api_subject("v", method);
    EXPECT_EQ(std::ranges::count(viewer, subject), 0) << subject;
    EXPECT_EQ(std::ranges::count(submitter, subject), 1) << subject;
  }
  for (const auto* method : {"QueueService.CreateQueue", "QueueService.DeleteQueue",
                             "Submit.UpdateQueue", "QueueService.CordonQueue"})
    EXPECT_EQ(std::ranges::count(submitter, api_subject("v", method)), 0) << method;
}

TEST(permissions, of_a_viewer_and_a_submitter_let_them_ask_why) {
  for (const auto what : {role::viewer, role::submitter})
    for (const auto* service : {"Explain.*", "Query.*", "SchedulerReporting.*"})
      EXPECT_EQ(std::ranges::count(permissions_of(what, "v").publish, api_subject("v", service)), 1)
          << service;
}

}  // namespace

}  // namespace argosy::access
