// SPDX-License-Identifier: Apache-2.0
// Goal: settings that are allowed and dangerous, or that do nothing, are told with their place and
// what to do; those that can never work are refused; those that are sound are silent. Method: one
// text for each kind, and for each the same kind as it should be.
#include "runtime/settings/checks/warnings.hpp"

#include <gmock/gmock.h>

#include "runtime/settings/checks/address.hpp"

namespace argosy::settings {

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> argosyd(const std::string& text) {
  const auto all = load_argosyd({.file = {{"f.yaml", text}}, .environment = {}, .flags = {}});
  EXPECT_TRUE(all) << all.error().detail;
  return all ? warnings_of(*all) : std::vector<std::string>{};
}
std::vector<std::string> agent(const std::string& text) {
  const auto all = load_agent({.file = {{"f.yaml", text}}, .environment = {}, .flags = {}});
  EXPECT_TRUE(all) << all.error().detail;
  return all ? warnings_of(*all) : std::vector<std::string>{};
}
std::string why_refused(const std::string& text) {
  const auto all = load_argosyd({.file = {{"f.yaml", text}}, .environment = {}, .flags = {}});
  return all ? "" : all.error().detail;
}

TEST(warnings, are_none_for_the_defaults) {
  EXPECT_THAT(argosyd(""), IsEmpty());
  EXPECT_THAT(agent(""), IsEmpty());
}

TEST(warnings, tell_where_passwords_travel_in_clear_text) {
  EXPECT_THAT(argosyd("rest: {enabled: true}\nhealth: {listen: '0.0.0.0:9480'}\n"),
              ElementsAre(AllOf(StartsWith("f.yaml:2:18: health.listen"), HasSubstr("passwords"))));
  EXPECT_THAT(argosyd("health: {listen: '0.0.0.0:9480'}\n"), IsEmpty()) << "metrics alone";
  EXPECT_THAT(argosyd("rest: {enabled: true}\n"), IsEmpty()) << "this machine alone";
  for (const auto* reachable :
       {"'0.0.0.0:1'", "'[::]:1'", "'10.1.2.3:1'", "'host.example.com:1'", "'127.example.com:1'"})
    EXPECT_THAT(argosyd(std::string{"grpc: {listen: "} + reachable + "}\n"),
                ElementsAre(HasSubstr("grpc.certificateFile")))
        << reachable;
  for (const auto* own : {"'127.0.0.1:1'", "'[::1]:1'", "'localhost:1'", "'127.0.0.9:1'"})
    EXPECT_THAT(argosyd(std::string{"grpc: {listen: "} + own + "}\n"), IsEmpty()) << own;
  EXPECT_THAT(argosyd("grpc: {listen: '0.0.0.0:1', certificateFile: /c, keyFile: /k}\n"),
              IsEmpty());
}

TEST(warnings, tell_that_a_job_may_run_twice) {
  EXPECT_THAT(agent("kubernetes: {lapse: true}\n"),
              ElementsAre(AllOf(StartsWith("f.yaml:1:21: kubernetes.lapse"),
                                HasSubstr("a job may run twice if this agent, its API server"))));
  EXPECT_THAT(agent("kubernetes: {lapse: false}\n"), IsEmpty());
}

TEST(warnings, tell_what_strangers_may_do) {
  EXPECT_THAT(argosyd("grpc: {listen: '0.0.0.0:1', certificateFile: /c, keyFile: /k, "
                      "anonymousRole: operator}\n"),
              ElementsAre(AllOf(HasSubstr("f.yaml:1"), HasSubstr("may do everything"))));
  EXPECT_THAT(argosyd("grpc: {anonymousRole: viewer}\nrest: {enabled: true}\n"
                      "health: {listen: '0.0.0.0:1'}\n"),
              ElementsAre(HasSubstr("passwords"), HasSubstr("may read everything without")));
  EXPECT_THAT(argosyd("grpc: {listen: '127.0.0.1:1', anonymousRole: operator}\n"),
              ElementsAre(AllOf(HasSubstr("f.yaml:1"), HasSubstr("on this machine, its jobs too"),
                                HasSubstr("may do everything"))));
  EXPECT_THAT(argosyd("grpc: {listen: off, anonymousRole: operator}\nrest: {enabled: true}\n"
                      "health: {listen: '127.0.0.1:1'}\n"),
              ElementsAre(HasSubstr("behind a proxy")));
  EXPECT_THAT(argosyd("grpc: {listen: '127.0.0.1:1', anonymousRole: none}\n"), IsEmpty());
}

TEST(warnings, tell_of_permissions_that_everybody_has) {
  EXPECT_THAT(argosyd("access: {users: [{name: x, groups: [a]}], permissions: [{name: "
                      "submit_any_jobs, groups: [a, everyone]}]}\n"),
              ElementsAre(AllOf(StartsWith("f.yaml:1:"), HasSubstr("submit_any_jobs"))));
  EXPECT_THAT(argosyd("access: {permissionGroupMapping: {change_settings: [everyone]}}\n"),
              ElementsAre(HasSubstr("change_settings to the group everyone")));
  EXPECT_THAT(
      argosyd(
          "access: {users: [{name: x, groups: [admins]}], permissions: [{name: "
          "submit_any_jobs, groups: [admins]}, {name: watch_all_events, groups: [everyone]}]}\n"),
      IsEmpty());
}

TEST(warnings, tell_of_what_is_given_to_nobody) {
  const std::string users = "access: {users: [{name: ann, groups: [admins]}], ";
  EXPECT_THAT(argosyd(users + "permissions: [{name: submit_any_jobs, groups: [admin]}]}\n"),
              ElementsAre(AllOf(StartsWith("f.yaml:1:"), HasSubstr("the group 'admin'"),
                                HasSubstr("did you mean 'admins'?"))));
  EXPECT_THAT(argosyd(users + "permissionGroupMapping: {submit_any_jobs: [staff]}}\n"),
              ElementsAre(HasSubstr("in which no user of access.users is")));
  EXPECT_THAT(argosyd(users + "permissionScopeMapping: {submit_any_jobs: [jobs]}}\n"),
              ElementsAre(HasSubstr("none without access.oidc")));
  EXPECT_THAT(argosyd(users + "permissions: [{name: submit_any_jobs, groups: [admins]}]}\n"),
              IsEmpty());
  const std::string tokens = "access: {oidc: {issuer: 'https://i', clientId: c}, ";
  EXPECT_THAT(argosyd(tokens + "permissions: [{name: submit_any_jobs, groups: [staff], scopes: "
                               "[jobs]}]}\n"),
              IsEmpty())
      << "tokens may name any group";
  for (const auto* never : {"anonymous", "'system:unauthenticated'"})
    EXPECT_THAT(
        argosyd(tokens + "permissions: [{name: submit_any_jobs, groups: [" + never + "]}]}\n"),
        ElementsAre(HasSubstr("grpc.anonymousRole")))
        << never;
}

TEST(warnings, tell_of_executors_that_nobody_is) {
  const auto served_by = [](const std::string& user, const std::string& more) {
    return argosyd("armadaExecutors: {clusters: [{name: a, promise: confirmed-only, users: [" +
                   user + "]}]}\n" + more);
  };
  EXPECT_THAT(served_by("executor", ""),
              ElementsAre(AllOf(HasSubstr("f.yaml:1:"), HasSubstr("'executor' serve 'a'"))));
  EXPECT_THAT(served_by("anonymous", ""), ElementsAre(HasSubstr("grpc.anonymousRole none")));
  EXPECT_THAT(served_by("executor", "access: {users: [{name: executor}]}\n"), IsEmpty());
  EXPECT_THAT(served_by("executor", "access: {oidc: {issuer: 'https://i', clientId: c}}\n"),
              IsEmpty());
}

TEST(warnings, tell_of_components_that_the_log_does_not_have) {
  logging_settings logging;
  logging.components = {{"jornal", "debug"}, {"bus", "info"}};
  EXPECT_THAT(unknown_components(logging, {"journal", "bus"}),
              ElementsAre(AllOf(HasSubstr("'jornal'"), HasSubstr("did you mean 'journal'?"))));
}

TEST(warnings, are_refusals_for_names_of_nodes_that_argosyd_refuses) {
  const auto refused = [](const std::string& name) {
    const auto text = "process: {nodeName: '" + name + "'}\n";
    const auto all = load_agent({.file = {{"f.yaml", text}}, .environment = {}, .flags = {}});
    return all ? std::string{} : all.error().detail;
  };
  EXPECT_THAT(refused("a/b c"), HasSubstr("process.nodeName"));
  EXPECT_THAT(refused(std::string(254, 'a')), HasSubstr("253"));
  EXPECT_EQ(refused("node-1.example.com"), "");
}

TEST(warnings, tell_of_origins_that_others_can_change) {
  EXPECT_THAT(argosyd("rest: {allowedOrigins: ['http://evil.example.com']}\n"),
              ElementsAre(AllOf(StartsWith("f.yaml:1:"), HasSubstr("https"))));
  EXPECT_THAT(
      argosyd("rest: {allowedOrigins: ['https://a.example.com', 'http://localhost:3000', "
              "'https://a:8443', 'https://a:80', 'https://[::1]:8443', 'https://[::1]']}\n"),
      IsEmpty());
  for (const auto* never : {"'*'", "null", "'https://a.example.com/'", "a.example.com",
                            "'https://a:443'", "'http://a:80'", "'https://a:'", "'https://a:x'",
                            "'https://a:08443'", "'https://a:70000'", "'https://[::1]:443'",
                            "'https://A'", "'https://*.example.com'", "'ftp://a'", "'https://u@a'"})
    EXPECT_THAT(why_refused(std::string{"rest: {allowedOrigins: ["} + never + "]}\n"),
                HasSubstr("allowedOrigins"))
        << never;
}

TEST(warnings, tell_of_pools_that_nobody_names) {
  EXPECT_THAT(argosyd("scheduling: {pools: [{name: a, awayPools: [nowhere]}, {name: gpu}]}\n"),
              ElementsAre(AllOf(HasSubstr("awayPools of 'a'"), HasSubstr("'nowhere'"))));
  EXPECT_THAT(argosyd("scheduling: {pools: [{name: a, awayPools: [gpus]}, {name: gpu}]}\n"),
              ElementsAre(HasSubstr("did you mean 'gpu'?")));
  EXPECT_THAT(argosyd("scheduling: {pools: [{name: a, awayPools: [gpu, default]}, {name: gpu}]}\n"),
              IsEmpty());
}

TEST(warnings, tell_of_links_to_nats_that_are_not_encrypted) {
  for (const auto& look : {argosyd, agent}) {
    EXPECT_THAT(look("nats: {url: 'nats://n.example.com:4222'}\n"),
                ElementsAre(AllOf(StartsWith("f.yaml:1:13: nats.url"), HasSubstr("tls://"))));
    EXPECT_THAT(look("nats: {url: 'tls://n.example.com:4222'}\n"), IsEmpty());
    EXPECT_THAT(look("nats: {url: 'nats://127.0.0.1:4222,nats://[::1]:4222'}\n"), IsEmpty());
    EXPECT_THAT(look("nats: {url: 'nats://n.example.com', caFile: /ca.pem}\n"), IsEmpty());
  }
}

TEST(warnings, tell_of_paths_that_depend_on_where_one_stands) {
  EXPECT_THAT(argosyd("dataDir: data\njournal: {keyFile: k}\nlogging: {file: log}\n"
                      "nats: {credentialsFile: ~/c}\n"),
              ElementsAre(HasSubstr("nats.credentialsFile"), HasSubstr("f.yaml:1:10: dataDir"),
                          HasSubstr("journal.keyFile"), HasSubstr("logging.file")));
  EXPECT_THAT(agent("dataDir: data\nkubernetes: {kubeconfig: '/a:b'}\n"),
              ElementsAre(HasSubstr("kubernetes.kubeconfig is 'b'"), HasSubstr("dataDir")));
}

TEST(bursts, that_are_less_than_the_largest_gang_are_told) {
  EXPECT_THAT(argosyd("scheduling: {maximumSchedulingRate: 5, maximumSchedulingBurst: 5}\n"),
              ElementsAre(AllOf(HasSubstr("scheduling.maximumSchedulingBurst is 5"),
                                HasSubstr("api.gangCardinalityMax lets gangs of 6000 in"))));
  EXPECT_THAT(argosyd("api: {gangCardinalityMax: 5}\nscheduling: {maximumSchedulingRate: 5, "
                      "maximumSchedulingBurst: 5}\n"),
              ::testing::IsEmpty());
}

TEST(addresses, that_can_never_work_are_refused) {
  for (const auto* url :
       {"http://h:1", "https://h:1", "ws://h:1", "nats://", "nats://:4222", "nats://h:port",
        "nats://h:1/x", "nats://a,http://b", "nats://300.1.1.1:1", "nats://a b:1"}) {
    EXPECT_THAT(why_refused("nats: {url: '" + std::string{url} + "'}\n"), HasSubstr("nats.url"))
        << url;
  }
  for (const auto* url :
       {"", "nats://h", "h:4222", "nats://token@h:4222", "tls://u:p@h:1, nats://[::1]:2",
        "nats://127.0.0.1:4222/", "nats://nats.default.svc.cluster.local.:4222"})
    EXPECT_EQ(why_refused("nats: {url: '" + std::string{url} + "'}\n"), "") << url;
  for (const auto* key : {"grpc", "health"})
    for (const auto* listen :
         {"1.2.3:80", "300.0.0.1:80", "a..b:80", "a b:80", "http://h:80", "-a:80"})
      EXPECT_THAT(why_refused(std::string{key} + ": {listen: '" + listen + "'}\n"),
                  HasSubstr("listen"))
          << listen;
}

TEST(addresses, are_told_without_what_stands_before_the_host) {
  EXPECT_EQ(host_of("nats://s3cr3t/rest@127.0.0.1:4222"), "127.0.0.1");
  EXPECT_EQ(host_of("https://u:p/a?b@h:1/x"), "h");
  EXPECT_THAT(argosyd("nats: {url: 'nats://s3cr3t/rest@h:4222'}\n"),
              ElementsAre(AllOf(HasSubstr("the server h "), ::testing::Not(HasSubstr("s3cr3t")))));
}

TEST(addresses, show_no_secret_when_they_are_refused) {
  EXPECT_THAT(why_refused("nats: {url: 'http://secret@h:1'}\n"),
              ::testing::Not(HasSubstr("secret")));
  EXPECT_THAT(why_refused("nats: {url: 'nats://secret@h:x'}\n"),
              ::testing::Not(HasSubstr("secret")));
}

}  // namespace

}  // namespace argosy::settings
