// SPDX-License-Identifier: Apache-2.0
// Which role may say and hear what on the nats-server of a deployment, as a table of all of them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace argosy::testing {

/// To subscribe alone, in some queue group, or in that of inboxes.
enum class verb : std::uint8_t { publish, subscribe, join, await };

struct rule {
  verb what;
  const char* subject;
  const char* allowed;  ///< The letters of the roles that may.
};

/// The letters of the table, and whose credentials they are.
inline const std::map<char, std::string> parties{
    {'d', "argosyd"},   {'a', "agent-c1"}, {'v', "user-eve"}, {'s', "user-alice"},
    {'o', "user-root"}, {'w', "user-dev"}, {'t', "user-ten"}};

inline bool may(const rule& tried, char letter) {
  return std::string_view{tried.allowed}.find(letter) != std::string_view::npos;
}

inline constexpr auto pub = verb::publish;
inline constexpr auto sub = verb::subscribe;
inline constexpr auto join = verb::join;
inline constexpr auto await = verb::await;

inline constexpr std::array rules{
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
    // Specifications whole: only where the subject says so.
    rule{pub, "argosy.api.eve.Jobs.GetJobDetails", "v"},
    rule{pub, "argosy.api.eve.whole.Jobs.GetJobDetails", ""},
    rule{pub, "argosy.api.eve.whole.Query.DescribeJob", ""},
    rule{pub, "argosy.api.alice.whole.Jobs.GetJobDetails", ""},
    rule{pub, "argosy.api.ten.whole.Jobs.GetJobDetails", ""},
    rule{pub, "argosy.api.root.whole.Jobs.GetJobDetails", "o"},
    rule{pub, "argosy.api.root.whole.Query.DescribeJob", "o"},
    rule{pub, "argosy.api.dev.whole.Jobs.GetJobDetails", "w"},
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
    rule{pub, "argosy.api.alice.ControlPlane.Get", "s"},
    rule{pub, "argosy.api.eve.ControlPlane.HandOver", ""},
    rule{pub, "argosy.api.alice.ControlPlane.HandOver", ""},
    rule{pub, "argosy.api.root.ControlPlane.HandOver", "o"},
    rule{pub, "argosy.api.alice.ControlPlane.Forget", ""},
    rule{pub, "argosy.api.root.ControlPlane.Forget", "o"},
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
    rule{await, "_INBOX.user.ten.>", "t"},
    rule{sub, "_INBOX.user.ten.>", ""},
    rule{sub, "_INBOX.user.olga.>", ""},
    rule{await, "_INBOX.user.olga.>", ""},
    rule{pub, "_INBOX.user.ten.x", "d"},
    rule{pub, "argosy.api.Submit.SubmitJobs", ""},
    rule{pub, "argosy.api.Query.ListJobs", ""},
    rule{pub, "argosy.api.QueueService.DeleteQueue", ""},
    rule{sub, "argosy.api.>", "d"},
    rule{sub, "argosy.api.alice.>", "d"},
    rule{join, "argosy.api.>", "d"},
    // Answers: everybody his own.
    rule{sub, "_INBOX.>", ""},
    rule{await, "_INBOX.>", ""},
    rule{sub, "_INBOX.user.>", ""},
    rule{await, "_INBOX.user.>", ""},
    rule{sub, "_INBOX.argosyd.>", "d"},
    rule{await, "_INBOX.user.alice.>", "s"},
    rule{sub, "_INBOX.user.alice.>", ""},
    rule{await, "_INBOX.user.eve.x", "v"},
    rule{sub, "_INBOX.user.eve.x", ""},
    rule{await, "_INBOX.agent.c1.>", "aw"},
    rule{sub, "_INBOX.agent.c1.>", ""},
    rule{join, "_INBOX.user.alice.>", ""},
    rule{sub, "_INBOX.user.alice.unserved.>", "s"},
    rule{await, "_INBOX.user.alice.unserved.x.*", "s"},
    rule{sub, "_INBOX.user.alice.*.>", ""},
    rule{sub, "_INBOX.user.bob.unserved.>", ""},
    rule{sub, "_INBOX.agent.c1.unserved.>", "aw"},
    rule{await, "_INBOX.argosyd.>", "d"},
    rule{await, "argosy.agent.c1.orders", "daw"},
    rule{pub, "_INBOX.argosyd.x", "d"},
    rule{pub, "_INBOX.user.alice.x", "d"},
    rule{pub, "_INBOX.agent.c1.x", "d"},
    // Whoever is asked by the control plane answers where it waits for him, and nowhere else.
    rule{pub, "_INBOX.argosyd.agent.c1.x.1", "daw"},
    rule{pub, "_INBOX.argosyd.agent.c2.x.1", "dw"},
    rule{sub, "_INBOX.argosyd.agent.c1.>", "d"},
    rule{await, "_INBOX.agent.c2.>", "w"},
    rule{sub, "_INBOX.agent.c2.>", ""},
    rule{pub, "_INBOX.agent.c2.x", "d"},
    rule{pub, "_INBOX.user.bob.x", "d"},
    rule{pub, "_INBOX.x", "d"},
    // What others serve: importers of services, the server itself, names of its services.
    rule{pub, "_R_.x.y", ""},
    rule{pub, "$JS.ACK.ARGOSY_LOG_0001.c.1.1.1.1.1", ""},
    rule{pub, "$JS.FC.ARGOSY_LOG_0001.c.x", ""},
    rule{pub, "$JS.API.STREAM.TEMPLATE.CREATE.x", ""},
    rule{pub, "$JS.API.STREAM.LEADER.STEPDOWN.ARGOSY_LOG_0001", "d"},
    rule{pub, "$JS.API.STREAM.PEER.REMOVE.ARGOSY_LOG_0001", ""},
    rule{pub, "$JS.API.CONSUMER.LEADER.STEPDOWN.ARGOSY_LOG_0001.x", ""},
    rule{pub, "$SYS.REQ.USER.INFO", ""},
    rule{pub, "$SYS.REQ.ACCOUNT.ARGOSY.CONNZ", ""},
    rule{pub, "$SYS.REQ.CLAIMS.UPDATE", ""},
    rule{pub, "$SYS.ACCOUNT.ARGOSY.CONNECT", ""},
    rule{pub, "$SRV.PING", ""},
    rule{pub, "$LDS.x", ""},
    rule{pub, "$GR.x", ""},
    rule{pub, "$G.x", ""},
    rule{pub, "$O.x.C.y", ""},
    rule{pub, "$MQTT.x", ""},
    rule{pub, "argosy.api.Diag.ReadLines", ""},
    rule{pub, "argosy.api.Jobs.GetJobDetails", ""},
    rule{pub, "argosy.api.Audit.ListAudit", ""},
    // On this subject a candidate asks who leads.
    rule{pub, "argosy.lead", "d"},
    rule{sub, "argosy.lead", "d"},
    rule{join, "argosy.lead", "d"},
    rule{pub, "argosy.plane.p", "d"},
    rule{sub, "argosy.plane.p", "d"},
    rule{join, "argosy.plane.p", "d"},
};

}  // namespace argosy::testing
