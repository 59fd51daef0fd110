// SPDX-License-Identifier: Apache-2.0
// Goal: each role may say and hear what its list has, and nothing else. Method: the list as a table
// of all roles and subjects, tried on a real nats-server that runs from what `argosyd init` wrote.
// The server answers at once, so that each refusal is known when the next flush returns.
#include <array>
#include <map>

#include "tests/integration/access/access_fixture.hpp"

namespace argosy::testing {

namespace {

enum class verb : std::uint8_t { publish, subscribe, join };

struct rule {
  verb what;
  const char* subject;
  const char* allowed;  ///< The letters of the roles that may.
};

/// The letters of the table, and whose credentials they are.
const std::map<char, std::string> parties{
    {'d', "argosyd"},   {'a', "agent-c1"}, {'v', "user-eve"}, {'s', "user-alice"},
    {'o', "user-root"}, {'w', "user-dev"}, {'t', "user-ten"}};

constexpr auto pub = verb::publish;
constexpr auto sub = verb::subscribe;
constexpr auto join = verb::join;

constexpr std::array rules{
    // The log and what stores it: nobody but the control plane, and nobody destroys it.
    rule{pub, "argosy.log.0001", "d"},
    rule{pub, "argosy.log.0002", "d"},
    rule{pub, "$JS.API.STREAM.CREATE.ARGOSY_LOG_0002", "d"},
    rule{pub, "$JS.API.STREAM.UPDATE.ARGOSY_LOG_0001", "d"},
    rule{pub, "$JS.API.STREAM.INFO.ARGOSY_LOG_0001", "d"},
    rule{pub, "$JS.API.STREAM.MSG.GET.ARGOSY_LOG_0001", "d"},
    rule{pub, "$JS.API.CONSUMER.CREATE.ARGOSY_LOG_0001", "d"},
    rule{pub, "$JS.API.CONSUMER.MSG.NEXT.ARGOSY_LOG_0001.x", "d"},
    rule{pub, "$JS.API.STREAM.DELETE.ARGOSY_LOG_0001", ""},
    rule{pub, "$JS.API.STREAM.PURGE.ARGOSY_LOG_0001", ""},
    rule{pub, "$JS.API.STREAM.MSG.DELETE.ARGOSY_LOG_0001", ""},
    rule{pub, "$JS.API.STREAM.RESTORE.ARGOSY_LOG_0001", ""},
    rule{pub, "$JS.API.STREAM.SNAPSHOT.ARGOSY_LOG_0001", ""},
    rule{pub, "$JS.API.ACCOUNT.PURGE.ARGOSY", ""},
    rule{pub, "$JS.API.SERVER.REMOVE", ""},
    rule{pub, "$JS.ACK.x", ""},
    rule{pub, "$SYS.REQ.SERVER.PING", ""},
    rule{pub, "$KV.x.y", ""},
    rule{sub, "argosy.log.>", ""},
    rule{sub, "argosy.log.0001", ""},
    rule{sub, "$JS.>", ""},
    rule{sub, "$SYS.>", ""},
    // Everything at once.
    rule{sub, ">", ""},
    rule{sub, "*", ""},
    rule{sub, "argosy.>", ""},
    rule{sub, "*.>", ""},
    rule{join, ">", ""},
    rule{join, "argosy.>", ""},
    // Agents: their own cluster, whatever the incarnation.
    rule{pub, "argosy.agent.c1.hello", "daw"},
    rule{pub, "argosy.agent.c1.7.orders", "daw"},
    rule{pub, "argosy.agent.c2.hello", "dw"},
    rule{pub, "argosy.agent.c2.reports", "dw"},
    rule{pub, "argosy.agent.c2.goodbye", "dw"},
    rule{pub, "argosy.agent.c2.orders", "dw"},
    rule{pub, "argosy.agent.c2.7.orders", "dw"},
    rule{sub, "argosy.agent.c1.orders", "daw"},
    rule{sub, "argosy.agent.c1.7.orders", "daw"},
    rule{sub, "argosy.agent.c1.logs", "daw"},
    rule{sub, "argosy.agent.c2.orders", "dw"},
    rule{sub, "argosy.agent.c2.7.orders", "dw"},
    rule{sub, "argosy.agent.*.orders", "dw"},
    rule{sub, "argosy.agent.>", "d"},
    rule{join, "argosy.agent.c2.orders", "dw"},
    // Users: under their own name, and what their role has.
    rule{pub, "argosy.api.eve.Query.ListJobs", "v"},
    rule{pub, "argosy.api.eve.Event.Watch", "v"},
    rule{pub, "argosy.api.eve.Jobs.GetJobRunDetails", "v"},
    rule{pub, "argosy.api.eve.Trace.GetTrace", "v"},
    rule{pub, "argosy.api.eve.Access.WhoAmI", "v"},
    rule{pub, "argosy.api.eve.Access.CanI", "v"},
    rule{pub, "argosy.api.eve.Access.AsSubmitter", ""},
    rule{pub, "argosy.api.eve.Access.AsOperator", ""},
    rule{pub, "argosy.api.alice.Access.WhoAmI", "s"},
    rule{pub, "argosy.api.alice.Access.AsSubmitter", "s"},
    rule{pub, "argosy.api.alice.Access.AsOperator", ""},
    rule{pub, "argosy.api.root.Access.AsOperator", "o"},
    rule{pub, "argosy.api.eve.Submit.SubmitJobs", ""},
    rule{pub, "argosy.api.eve.Submit.CancelJobs", ""},
    rule{pub, "argosy.api.eve.Submit.CreateQueue", ""},
    rule{pub, "argosy.api.eve.SchedulerReporting.GetJobReport", "v"},
    rule{pub, "argosy.api.eve.Logs.Read", ""},
    rule{pub, "argosy.api.eve.Binoculars.Logs", ""},
    rule{pub, "argosy.api.eve.Trace.ReportSpans", ""},
    rule{pub, "argosy.api.eve.Diag.ReadActors", "v"},
    rule{pub, "argosy.api.eve.Diag.ReadMetrics", "v"},
    rule{pub, "argosy.api.eve.Diag.ReadLines", ""},
    rule{pub, "argosy.api.eve.Diag.SetLogLevel", ""},
    rule{pub, "argosy.api.alice.Diag.SetLogLevel", ""},
    rule{pub, "argosy.api.root.Diag.SetLogLevel", "o"},
    rule{pub, "argosy.api.alice.Submit.SubmitJobs", "s"},
    rule{pub, "argosy.api.alice.Submit.CancelJobs", "s"},
    rule{pub, "argosy.api.alice.Submit.CancelJobSet", "s"},
    rule{pub, "argosy.api.alice.Submit.ReprioritizeJobs", "s"},
    rule{pub, "argosy.api.alice.Query.ListJobs", "s"},
    rule{pub, "argosy.api.alice.Logs.Read", "s"},
    rule{pub, "argosy.api.alice.Binoculars.Logs", "s"},
    rule{pub, "argosy.api.alice.Binoculars.Cordon", ""},
    rule{pub, "argosy.api.alice.Trace.ReportSpans", "s"},
    rule{pub, "argosy.api.alice.Submit.DeleteQueue", ""},
    rule{pub, "argosy.api.alice.QueueService.CreateQueue", ""},
    rule{pub, "argosy.api.alice.QueueService.UpdateQueue", ""},
    rule{pub, "argosy.api.alice.QueueService.CordonQueue", ""},
    rule{pub, "argosy.api.alice.QueueService.CancelOnQueue", ""},
    rule{pub, "argosy.api.root.QueueService.CancelOnQueue", "o"},
    rule{pub, "argosy.api.eve.ClusterService.ForgetCluster", ""},
    rule{pub, "argosy.api.alice.ClusterService.ForgetCluster", ""},
    rule{pub, "argosy.api.root.ClusterService.ForgetCluster", "o"},
    rule{pub, "argosy.api.eve.ClusterService.ReleaseNode", ""},
    rule{pub, "argosy.api.alice.ClusterService.ReleaseNode", ""},
    rule{pub, "argosy.api.root.ClusterService.ReleaseNode", "o"},
    rule{pub, "argosy.api.root.QueueService.DeleteQueue", "o"},
    rule{pub, "argosy.api.root.Submit.SubmitJobs", "o"},
    rule{pub, "argosy.api.dev.QueueService.DeleteQueue", "w"},
    // Tenants: under their mark, where the GATEWAY decides, and nowhere else.
    rule{pub, "argosy.api.ten.tenant.Submit.SubmitJobs", "t"},
    rule{pub, "argosy.api.ten.tenant.QueueService.CreateQueue", "t"},
    rule{pub, "argosy.api.ten.tenant.Access.WhoAmI", "t"},
    rule{pub, "argosy.api.ten.Submit.SubmitJobs", ""},
    rule{pub, "argosy.api.ten.Query.ListJobs", ""},
    rule{pub, "argosy.api.olga.tenant.Submit.SubmitJobs", ""},
    rule{pub, "argosy.api.tenant.Submit.SubmitJobs", ""},
    rule{pub, "argosy.api.alice.tenant.Submit.SubmitJobs", ""},
    rule{pub, "argosy.api.eve.tenant.Submit.SubmitJobs", ""},
    rule{sub, "argosy.api.ten.>", "d"},
    rule{sub, "_INBOX.user.ten.>", "t"},
    rule{sub, "_INBOX.user.olga.>", ""},
    rule{pub, "_INBOX.user.ten.x", "d"},
    rule{pub, "argosy.api.Submit.SubmitJobs", ""},
    rule{pub, "argosy.api.Query.ListJobs", ""},
    rule{pub, "argosy.api.QueueService.DeleteQueue", ""},
    rule{sub, "argosy.api.>", "d"},
    rule{sub, "argosy.api.alice.>", "d"},
    rule{join, "argosy.api.>", "d"},
    // Answers: everybody his own.
    rule{sub, "_INBOX.>", ""},
    rule{sub, "_INBOX.user.>", ""},
    rule{sub, "_INBOX.argosyd.>", "d"},
    rule{sub, "_INBOX.user.alice.>", "s"},
    rule{sub, "_INBOX.user.eve.x", "v"},
    rule{sub, "_INBOX.agent.c1.>", "a"},
    rule{join, "_INBOX.user.alice.>", "s"},
    rule{pub, "_INBOX.argosyd.x", "d"},
    rule{pub, "_INBOX.user.alice.x", "d"},
    rule{pub, "_INBOX.agent.c1.x", "d"},
    // On this subject a candidate asks who leads.
    rule{pub, "argosy.lead", "d"},
    rule{sub, "argosy.lead", "d"},
    rule{join, "argosy.lead", "d"},
};

class access_matrix : public access_fixture {
 protected:
  /// Whether the server let it pass.
  static bool passes(const bus::nats_session& session, const rule& tried) {
    auto* const connection = session.get();
    natsSubscription* heard = nullptr;
    natsStatus code = NATS_OK;
    if (tried.what == pub)
      code = natsConnection_PublishString(connection, tried.subject, "");
    else if (tried.what == sub)
      code = natsConnection_SubscribeSync(&heard, connection, tried.subject);
    else
      code = natsConnection_QueueSubscribeSync(&heard, connection, tried.subject, "group");
    EXPECT_EQ(code, NATS_OK) << tried.subject;
    EXPECT_EQ(natsConnection_FlushTimeout(connection, 5'000), NATS_OK);
    natsSubscription_Destroy(heard);
    // The last error of a connection stays: it is about this attempt if it has its words.
    const char* text = nullptr;
    natsConnection_GetLastError(connection, &text);
    const std::string said = text == nullptr ? "" : text;
    const auto subject = "\"" + std::string{tried.subject} + "\"";
    if (tried.what == pub) return said.find("Publish to " + subject) == std::string::npos;
    const auto group = tried.what == join ? std::string{" using queue \"group\""} : std::string{};
    return !said.ends_with("Subscription to " + subject + group);
  }
};

TEST_F(access_matrix, is_what_the_table_says) {
  for (const auto& [letter, who] : parties) {
    const auto session = open(who);
    ASSERT_TRUE(session) << who << ": " << refused_;
    for (const auto& tried : rules) {
      const bool wanted = std::string_view{tried.allowed}.find(letter) != std::string_view::npos;
      EXPECT_EQ(passes(*session, tried), wanted)
          << who << (tried.what == pub ? " publishes " : " hears ") << tried.subject;
    }
  }
}

/// A signature that is wrong once in a hundred times passes every test that connects once.
TEST_F(access_matrix, lets_everybody_in_every_time) {
  int refused = 0;
  for (int i = 0; i < 500; ++i)
    if (!open("user-alice")) ++refused;
  EXPECT_EQ(refused, 0) << refused_;
}

TEST_F(access_matrix, lets_nobody_in_without_a_key_or_with_one_that_it_does_not_know) {
  EXPECT_EQ(open(""), nullptr);
  const auto strange = access::make_nkey();
  ASSERT_TRUE(strange);
  for (const auto* login : {"", "argosyd@", "admin:admin@"})
    EXPECT_FALSE(bus::nats_session::open(
        {.url = "nats://" + std::string{login} + "127.0.0.1:" + std::to_string(port_)}))
        << login;
  bus::nats_settings settings{.url = url()};
  ASSERT_TRUE(bus::sign_as({{access::party::control_plane, ""}, strange->seed}, settings));
  EXPECT_FALSE(bus::nats_session::open(settings));
  // Somebody's public key, which is no secret, with another seed.
  const auto alice = access::read_credentials(folder() / "credentials" / "user-alice");
  ASSERT_TRUE(alice);
  settings.nkey = access::public_key_of(alice->seed).value();
  EXPECT_FALSE(bus::nats_session::open(settings));
}

}  // namespace

}  // namespace argosy::testing
