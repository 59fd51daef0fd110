// SPDX-License-Identifier: Apache-2.0
// Goal: each way to say who one is works over each transport, and whoever shows nothing good is let
// in by none. Method: the real argosyd with an OpenID provider and a cluster of Kubernetes in this
// process; curl for REST, a client of gRPC, and argosyctl for NATS.
#include <gmock/gmock.h>

#include "messages/proto/argosy/access.pb.h"
#include "runtime/access/tokens/base64url.hpp"
#include "tests/support/process/deployment_fixture.hpp"
#include "tests/support/tokens/http_issuer.hpp"
#include "tests/unit/rpc/client.hpp"

namespace argosy::testing {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string kubernetes_token() {
  return unsigned_token({{"alg", "RS256"}, {"kid", "any"}}, {{"sub", "pod"}}) + "c2ln";
}

class users : public deployment_fixture {
 protected:
  void SetUp() override {
    const auto hash = world.program(
        {"/bin/sh", "-c",
         "printf secret | " + std::string{ARGOSY_BIN_DIR} + "/argosyd hash-password"});
    auto text = hash.out;
    while (text.ends_with('\n')) text.pop_back();
    const auto config =
        world.write("users.yaml",
                    "access:\n"
                    "  users: [{name: bob, passwordHash: \"" +
                        text +
                        "\"}]\n"
                        "  permissionScopeMapping: {create_queue: [\"queues:write\"]}\n"
                        "  permissionGroupMapping: {cordon_queue: [admins]}\n"
                        "  oidc:\n"
                        "    issuer: \"" +
                        provider.url() +
                        "\"\n"
                        "    clientId: argosy\n"
                        "  kubernetes:\n"
                        "    clusters: [{server: \"" +
                        cluster.url() + "\"}]\n");
    start({"--config", config});
    const auto lines = lines_of(content_of(world.ready_file()));
    ASSERT_GE(lines.size(), 3U);
    channel = ::grpc::CreateChannel(lines[2].substr(lines[2].find("//") + 2),
                                    ::grpc::InsecureChannelCredentials());
  }

  std::string bearer(const nlohmann::json& more = nlohmann::json::object()) const {
    auto claims = provider.claims("ann");
    claims.update(more);
    return "Bearer " + provider.signer.token(claims);
  }
  static std::string basic(const std::string& name, const std::string& password) {
    auto text = access::encode_base64url(name + ":" + password);
    while (text.size() % 4 != 0) text.push_back('=');
    return "Basic " + text;
  }
  static std::string pod() {
    return "KubernetesAuth " +
           access::encode_base64url(
               nlohmann::json{{"token", kubernetes_token()}, {"ca", ""}}.dump());
  }

  /// The status and the body over REST.
  std::pair<std::string, std::string> rest(const std::string& path, const std::string& who,
                                           const std::string& body = {}) const {
    launch how;
    how.words = {"/usr/bin/curl",          "-sS", "--max-time", "10", "-w", "\n%{http_code}",
                 world.health_url() + path};
    if (!who.empty()) how.words.insert(how.words.end(), {"-H", "Authorization: " + who});
    if (!body.empty()) how.words.insert(how.words.end(), {"-d", body});
    const auto got = run(how, world.folder(), std::chrono::seconds{20});
    EXPECT_EQ(got.code, 0) << got.err;
    const auto end = got.out.rfind('\n');
    if (end == std::string::npos) return {};
    return {got.out.substr(end + 1), got.out.substr(0, end)};
  }
  /// Who the caller is over gRPC, as "name by scheme", or the code of the refusal.
  std::string who_over_grpc(const std::string& who) const {
    rpc_call call{channel, "/argosy.v1.Access/WhoAmI", "", [&](::grpc::ClientContext& context) {
                    if (!who.empty()) context.AddMetadata("authorization", who);
                  }};
    v1::WhoAmIResponse me;
    const auto answer = call.next();
    if (answer && me.ParseFromString(*answer)) return me.name() + " by " + me.scheme();
    return std::to_string(call.status().error_code());
  }

  http_issuer provider;
  http_reviewer cluster{kubernetes_token(), "system:serviceaccount:a:b"};
  std::shared_ptr<::grpc::Channel> channel;
};

TEST_F(users, are_known_alike_over_every_transport) {
  struct row {
    std::string who;
    std::string name;
    std::string scheme;
  };
  for (const auto& [who, name, scheme] : std::vector<row>{
           {bearer(), "ann", "oidc"},
           {basic("bob", "secret"), "bob", "basic"},
           {pod(), "system:serviceaccount:a:b", "kubernetes"},
       }) {
    const auto got = rest("/v1/access/whoami", who);
    EXPECT_EQ(got.first, "200") << got.second;
    const auto me = nlohmann::json::parse(got.second);
    EXPECT_EQ(me["name"], name);
    EXPECT_EQ(me["scheme"], scheme);
    EXPECT_EQ(who_over_grpc(who), name + " by " + scheme);
  }
  EXPECT_THAT(who_over_grpc(""), HasSubstr(" by local"));
  EXPECT_THAT(world.ctl({"whoami"}).out, HasSubstr("scheme       nats\nrole         operator\n"));
  EXPECT_EQ(provider.fetches, 1) << "keys are fetched once for all";
  EXPECT_EQ(cluster.reviews, 1) << "a token is reviewed once for all";
}

TEST_F(users, who_show_nothing_good_are_let_in_by_no_transport) {
  const token_signer forger;
  auto claims = provider.claims("ann");
  const auto pem_as_secret =
      mac_token({{"alg", "HS256"}, {"kid", "k1"}}, claims, provider.signer.pem());
  for (const auto& who :
       {"Bearer " + forger.token(claims), "Bearer " + unsigned_token({{"alg", "none"}}, claims),
        "Bearer " + pem_as_secret, bearer({{"exp", std::time(nullptr) - 3'600}}),
        bearer({{"nbf", std::time(nullptr) + 3'600}}),
        bearer({{"iss", "https://evil.example.com"}}), bearer({{"aud", "payroll"}}),
        std::string{"Bearer nonsense"}, basic("bob", "wrong"),
        std::string{"KubernetesAuth nonsense"}, std::string{"Digest x"}}) {
    const auto got = rest("/v1/access/whoami", who);
    EXPECT_EQ(got.first, "401") << who;
    EXPECT_THAT(got.second, Not(HasSubstr(who.substr(who.find(' ') + 1)))) << "no echo";
    EXPECT_EQ(who_over_grpc(who), "16") << who;
  }
  const auto recorded = [&](const std::string& what) {
    return eventually([&] {
      return world.ctl({"audit", "--limit", "0", "-o", "csv=user,proof,via,method"})
                 .out.find(what) != std::string::npos;
    });
  };
  // The first of a name and address in a minute stands for the others.
  EXPECT_TRUE(recorded("unknown,oidc,rest,log-in"));
  EXPECT_TRUE(recorded("bob,basic,rest,log-in"));
}

TEST_F(users, may_do_what_their_tokens_scopes_and_groups_allow) {
  const std::string queue = R"({"name":"anns","priorityFactor":1})";
  EXPECT_EQ(rest("/v1/queue", bearer(), queue).first, "403");
  const auto maker = bearer({{"scope", "openid queues:write"}});
  EXPECT_EQ(rest("/v1/queue", maker, queue).first, "200");
  // Who creates a queue owns it, also with another token of the same user.
  const auto answer = [&](const std::string& who, const std::string& question) {
    return rest("/v1/access/can-i?" + question, who).second;
  };
  EXPECT_THAT(answer(bearer(), "what=submit&queue=anns"),
              HasSubstr(R"({"allowed":true,"reason":"user 'ann' owns queue 'anns'")"));
  EXPECT_THAT(answer(basic("bob", "secret"), "what=submit&queue=anns"), Not(HasSubstr("true")));
  EXPECT_THAT(answer(bearer({{"groups", {"admins"}}}), "what=cordon-queue"), HasSubstr("true"));
  EXPECT_THAT(answer(pod(), "what=cordon-queue"), Not(HasSubstr("true")));
  EXPECT_EQ(world.ctl({"auth", "can-i", "submit", "anns"}).code, 0);
  EXPECT_EQ(world.ctl({"auth", "can-i", "submit", "none"}).code, 3);
}

TEST_F(users, log_in_in_a_browser_and_are_over_nats_who_their_token_says) {
  const auto nats = lines_of(content_of(world.ready_file())).at(0);
  const auto log_in = [&] {
    return world.ctl({"login", nats, "--name", "web", "--oidc-issuer", provider.url(),
                      "--oidc-client-id", "argosy"});
  };
  const auto ctl = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--context", "web"});
    return world.ctl(std::move(words));
  };
  provider.browser_says = "ann";
  const auto in = log_in();
  ASSERT_EQ(in.code, 0) << in.err;
  EXPECT_THAT(in.out, HasSubstr(" as ann; 'web' is now"));
  EXPECT_THAT(in.err, HasSubstr("WDJB-MJHT"));
  EXPECT_THAT(ctl({"whoami"}).out, HasSubstr("name         ann\nscheme       oidc\n"));
  ASSERT_EQ(world.ctl({"queue", "create", "q", "--owners", "bob"}).code, 0);
  const auto jobs = world.write("jobs.yaml", deployment::jobs({{"true"}}));
  const auto refused = ctl({"submit", jobs});
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, HasSubstr("user 'ann' may not do this: it takes the permission "
                                     "submit_any_jobs, or the verb 'submit' on queue 'q'"));
  ASSERT_EQ(world.ctl({"queue", "update", "q", "--owners", "ann"}).code, 0);
  EXPECT_EQ(ctl({"submit", jobs}).code, 0);
  EXPECT_TRUE(eventually([&] {
    return world.ctl({"audit", "-o", "cols=user,proof,via,method,outcome"})
               .out.find("ann   oidc   nats  Submit.SubmitJobs") != std::string::npos;
  }));
  // A token that ends at once is renewed for each call.
  provider.token_lasts = 0;
  ASSERT_EQ(log_in().code, 0);
  const int before = provider.renewals;
  EXPECT_THAT(ctl({"whoami"}).out, HasSubstr("name         ann\n"));
  EXPECT_GT(provider.renewals, before);
  provider.browser_says = "no";
  const auto ended = ctl({"whoami"});
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, HasSubstr("argosyctl login --name 'web'"));
  EXPECT_EQ(log_in().code, 4);
}

}  // namespace

}  // namespace argosy::testing
