// SPDX-License-Identifier: Apache-2.0
// Goal: the pictures in actors/ARCHITECTURE.md show every message that actors exchange on the way
// of a job, and no message that they do not exchange. Method: a control plane and an agent in
// virtual time; a gang and a single job are submitted, run, are looked at and end. The messages
// that tracing counted are compared with the solid, labelled arrows of the page's mermaid blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "messages/proto/api/event.pb.h"
#include "messages/proto/argosy/explain.pb.h"
#include "messages/proto/argosy/trace.pb.h"
#include "tests/actors/link/remote_agent_fixture.hpp"

namespace argosy::tests {

namespace {

/// Who sends which message to whom, by types of actors.
struct arrow {
  std::string from;  ///< The sender; empty: it is no actor, or one that was just starting.
  std::string to;
  std::string message;

  auto operator<=>(const arrow&) const = default;
};
using arrow_set = std::set<arrow>;

/// The tracer's name of a node whose name in the pictures differs. Both gateways have one type; a
/// node that is no actor has no name there.
std::string type_of_node(const std::string& id) {
  static const std::map<std::string, std::string> others{
      {"agent_bus", "bus"}, {"nats", ""}, {"backend", ""}};
  const auto found = others.find(id);
  return found == others.end() ? id : found->second;
}

std::vector<std::string> lines_of_pictures() {
  std::ifstream page(std::string{ARGOSY_SOURCE_DIR} + "/actors/ARCHITECTURE.md");
  std::vector<std::string> lines;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```"))
      inside = line == "```mermaid";
    else if (inside)
      lines.push_back(line);
  }
  return lines;
}

arrow_set shown_arrows() {
  static const std::regex solid{R"(\s*(\w+)\S* -->\|([^|]+)\| (\w+)\S*)"};
  static const std::regex word{R"(\w+)"};
  arrow_set arrows;
  for (const auto& line : lines_of_pictures()) {
    std::smatch parts;
    if (!std::regex_match(line, parts, solid)) continue;
    const auto label = parts[2].str();
    for (std::sregex_iterator at{label.begin(), label.end(), word}, end; at != end; ++at)
      arrows.insert({type_of_node(parts[1]), type_of_node(parts[3]), at->str()});
  }
  return arrows;
}

bool is_sent_by_the_framework(std::string_view message) {
  static const std::set<std::string_view> names{"exit", "down", "timeout", "sys"};
  return names.contains(message) || message.starts_with("reply ");
}

/// Whether a thread of the bus or of a backend sends this message. Here these threads are the
/// test's thread, so that the actor for which the thread works seems to have sent it.
bool comes_from_outside(const arrow& sent) {
  static const std::set<std::pair<std::string_view, std::string_view>> handed_in{
      {"bus", "done"}, {"feed", "ready"}, {"feed", "unwatch"}, {"executor", "changed"}};
  return sent.message == "frame" || handed_in.contains({sent.to, sent.message});
}

/// The recorded arrows without what an actor sends to itself: timers, and the JOURNAL's flush.
arrow_set recorded_arrows() {
  constexpr std::string_view prefix = "argosy.";
  const auto short_name = [&](std::string name) {
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
  };
  arrow_set arrows;
  for (const auto& edge : trace::flow()) {
    if (edge.handled == 0 || is_sent_by_the_framework(edge.message)) continue;
    arrow sent{short_name(edge.from), short_name(edge.to), edge.message};
    if (comes_from_outside(sent)) sent.from.clear();
    const bool timer = sent.from.empty() && (sent.message == "tick" || sent.message == "collect");
    if (sent.from != sent.to && !timer) arrows.insert(sent);
  }
  return arrows;
}

/// Whether an arrow is among the others. What an actor sends while it starts has no sender in the
/// records, so that only the receiver and the message can be compared.
bool covers(const arrow_set& arrows, const arrow& wanted, bool without_sender) {
  if (arrows.contains(wanted)) return true;
  if (without_sender) return arrows.contains({"", wanted.to, wanted.message});
  return wanted.from.empty() && std::any_of(arrows.begin(), arrows.end(), [&](const arrow& one) {
           return one.to == wanted.to && one.message == wanted.message;
         });
}

/// The arrows as the page would write them.
std::string written(const arrow_set& arrows) {
  std::map<std::string, std::string> labels;
  for (const auto& [from, to, message] : arrows) {
    auto& label = labels[(from.empty() ? "outside" : from) + " -->|*| " + to];
    label += (label.empty() ? "" : ", ") + message;
  }
  std::string lines;
  for (auto& [line, label] : labels)
    lines += "\n  " + std::regex_replace(line, std::regex{"\\*"}, label);
  return lines;
}

}  // namespace

struct architecture : remote_agent_test {
  architecture() {
    start([](actors::root_config& with) {
      with.retention.events = with.retention.jobs = with.retention.client_ids = 60s;
      with.audit = true;
      with.retention.audit_records_max = 1;
    });
    create_queue("a");
    spawn_agent(add_process());
    both(1s);
  }

  /// A watcher that takes one event at a time.
  void watch() {
    api::JobSetRequest request;
    request.set_queue("a");
    request.set_id("set");
    request.set_watch(true);
    stream = client->open_stream("argosy.api.Event.GetJobSetEvents", request.SerializeAsString(),
                                 {}, {.credit = 1}, {});
    both(100ms);
  }

  /// Asks something that only the agent can answer.
  void read_log(const std::string& job) {
    v1::ReadLogRequest request;
    request.set_job_id(job);
    client->request("argosy.api.Logs.Read", request.SerializeAsString(), {}, 10s,
                    [](const result<bus::frame>&) {});
    both(1s);
  }

  void cancel(const std::string& job) {
    api::JobCancelRequest request;
    request.set_job_id(job);
    ask<api::CancellationResult>("Submit.CancelJobs", request);
    both(1s);
  }

  /// Asks everything that somebody may ask about the job.
  void look_at(const std::string& job) {
    const auto trace_id = describe(job).trace_id();
    jobs("a");
    nodes();
    v1::GetTraceRequest request;
    request.set_trace_id(trace_id);
    ask<v1::GetTraceResponse>("Trace.GetTrace", request);
    v1::GetGraphRequest graph;
    ask<v1::GetGraphResponse>("Trace.GetGraph", graph);
    v1::ExplainJobRequest past;
    past.set_job_id(job);
    past.set_round(1);
    EXPECT_FALSE(call("Explain.ExplainJob", past)) << "there is no archive";
  }

  /// Makes a retry policy, looks at it and deletes it.
  void use_retry_policies() {
    api::RetryPolicy policy;
    policy.set_name("p");
    policy.set_default_action(api::RETRY_ACTION_FAIL);
    ask<google::protobuf::Empty>("RetryPolicyService.CreateRetryPolicy", policy);
    ask<api::RetryPolicyList>("RetryPolicyService.GetRetryPolicies", api::RetryPolicyListRequest{});
    api::RetryPolicyDeleteRequest request;
    request.set_name("p");
    ask<google::protobuf::Empty>("RetryPolicyService.DeleteRetryPolicy", request);
  }

  bus::stream stream;
};

TEST_F(architecture, is_drawn_as_it_is) {
  watch();
  const auto gang = submit("a", {.count = 2, .gang = "whole", .cardinality = 2});
  const auto alone = submit("a").at(0);
  const auto incomplete = submit("a", {.gang = "half", .cardinality = 2}).at(0);
  both(2s);
  ASSERT_EQ(count("a", api::RUNNING), 3);
  look_at(gang.at(0));
  look_at(incomplete);
  use_retry_policies();
  read_log(gang.at(0));
  cancel(alone);
  both(10s);
  ASSERT_EQ(count("a", api::SUCCEEDED), 2);
  ASSERT_EQ(count("a", api::CANCELLED), 1);
  stream.cancel();
  both(70s);
  EXPECT_EQ(jobs("a").size(), 1U) << "ended jobs expire";

  const auto shown = shown_arrows();
  const auto recorded = recorded_arrows();
  arrow_set missing;
  arrow_set surplus;
  for (const auto& one : recorded)
    if (!covers(shown, one, false)) missing.insert(one);
  for (const auto& one : shown)
    if (!covers(recorded, one, true)) surplus.insert(one);
  EXPECT_EQ(written(missing), "") << "is sent, and actors/ARCHITECTURE.md has no arrow for it";
  EXPECT_EQ(written(surplus), "") << "is an arrow of actors/ARCHITECTURE.md, and nobody sends it";
}

}  // namespace argosy::tests
