// SPDX-License-Identifier: Apache-2.0
// Goal: whoever is on call reads what the actors do and changes levels of the log, if he may, and a
// change is in the audit trail. Method: a control plane in virtual time that is called over the
// bus, and by a user over the bus of the transports of its process.
#include <gmock/gmock.h>

#include "messages/proto/argosy/audit.pb.h"
#include "messages/proto/argosy/diag.pb.h"
#include "runtime/bus/caller_headers.hpp"
#include "runtime/logging/logger.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct diag : control_plane_test {
  diag() {
    start([this](actors::root_config& with) {
      with.audit = true;
      with.inner_connection = inner.connect();
      with.metrics_text = [] { return std::string{"argosy_test 1\n"}; };
    });
    as = access::make_principal({"ann", {}, {}, {}, access::scheme::oidc}, {});
  }
  ~diag() override {
    transport->close();
    EXPECT_TRUE(logging::setup({}));
  }

  v1::ReadActorsResponse actors(const std::string& type, std::uint32_t limit = 0) {
    v1::ReadActorsRequest request;
    request.set_type(type);
    request.set_limit(limit);
    return ask<v1::ReadActorsResponse>("Diag.ReadActors", request);
  }
  result<std::string> set_level(const std::string& component, const std::string& level,
                                std::chrono::nanoseconds time = 0s) {
    v1::SetLogLevelRequest request;
    request.set_component(component);
    request.set_level(level);
    request.set_duration_ns(time.count());
    return call("Diag.SetLogLevel", request);
  }
  v1::ComponentLevel level_of(const std::string& component) {
    const auto all =
        ask<v1::ReadLogLevelsResponse>("Diag.ReadLogLevels", v1::ReadLogLevelsRequest{});
    for (const auto& one : all.levels())
      if (one.component() == component) return one;
    return {};
  }
  /// Calls as `as` does over gRPC.
  ec call_inner(const std::string& method, const google::protobuf::MessageLite& request) {
    return outcome_by(*transport, method, request, bus::caller_headers(as));
  }

  bus::memory_broker inner;
  std::shared_ptr<bus::connection> transport = inner.connect();
  access::principal as;
  const logging::logger own{"diag-test"};
};

namespace {

TEST_F(diag, reads_what_the_actors_do) {
  create_queue("a");
  create_queue("b");
  const auto queues = actors("queue");
  ASSERT_EQ(queues.actors_size(), 2);
  EXPECT_EQ(queues.all(), 2U);
  EXPECT_EQ(queues.actors(0).type(), "argosy.queue");
  EXPECT_GT(queues.actors(0).handled(), 0U);
  EXPECT_EQ(queues.actors(0).busy_ns(), 0);
  const auto first = actors("queue", 1);
  EXPECT_EQ(first.actors_size(), 1);
  EXPECT_EQ(first.all(), 2U);
  EXPECT_EQ(actors("none").all(), 0U);
  const auto all = actors("");
  ASSERT_GT(all.actors_size(), 5);
  EXPECT_EQ(all.actors(0).type(), "argosy.gateway") << "it is at this very message";
  EXPECT_EQ(all.actors(0).message(), "flush") << "a request waits for its turn";
  EXPECT_GT(all.actors(0).busy_ns(), 0);
}

TEST_F(diag, reads_the_metrics_and_the_last_lines_of_the_log) {
  own.warning("a line for whoever asks");
  EXPECT_EQ(ask<v1::ReadMetricsResponse>("Diag.ReadMetrics", v1::ReadMetricsRequest{}).text(),
            "argosy_test 1\n");
  const auto lines = ask<v1::ReadLinesResponse>("Diag.ReadLines", v1::ReadLinesRequest{});
  ASSERT_GT(lines.lines_size(), 0);
  EXPECT_THAT(lines.lines(lines.lines_size() - 1), HasSubstr("a line for whoever asks"));
}

TEST_F(diag, reads_the_last_spans) {
  create_queue("a");
  submit("a", {.count = 1});
  pass(1s);
  const auto read = ask<v1::ReadSpansResponse>("Diag.ReadSpans", v1::ReadSpansRequest{});
  EXPECT_GT(read.spans_size(), 0);
}

TEST_F(diag, changes_levels_which_the_audit_trail_says) {
  ASSERT_TRUE(set_level("diag-test", "debug", 10min));
  EXPECT_TRUE(own.enabled(logging::level::debug));
  EXPECT_EQ(level_of("diag-test").level(), "debug");
  EXPECT_TRUE(level_of("diag-test").changed());
  EXPECT_GT(level_of("diag-test").left_ns(), std::chrono::nanoseconds{9min}.count());
  pass(300ms);
  const auto audited = ask<v1::ListAuditResponse>("Audit.ListAudit", v1::ListAuditRequest{});
  ASSERT_EQ(audited.entries_size(), 1) << "reading is in no trail";
  EXPECT_EQ(audited.entries(0).method(), "Diag.SetLogLevel");
  EXPECT_EQ(audited.entries(0).summary(), "level debug of diag-test for 600 s");
}

TEST_F(diag, refuses_levels_that_make_no_sense) {
  EXPECT_THAT(set_level("diag-test", "loud").error().detail,
              HasSubstr("'loud' is not a log level"));
  EXPECT_EQ(set_level("diag-test", "").error().code, ec::invalid_argument);
  EXPECT_EQ(set_level("diag-test", "debug", -1ns).error().code, ec::invalid_argument);
  EXPECT_EQ(set_level("diag-test", "debug", 20'000h).error().code, ec::invalid_argument);
  const auto unknown = set_level("diag-tset", "debug");
  EXPECT_EQ(unknown.error().code, ec::not_found);
  EXPECT_THAT(unknown.error().detail, HasSubstr("diag-test"));
  EXPECT_FALSE(own.enabled(logging::level::debug));
}

TEST_F(diag, asks_for_the_permissions_of_operators) {
  v1::SetLogLevelRequest request;
  request.set_level("debug");
  EXPECT_EQ(call_inner("Diag.ReadActors", v1::ReadActorsRequest{}), ec::none);
  EXPECT_EQ(call_inner("Diag.ReadMetrics", v1::ReadMetricsRequest{}), ec::none);
  EXPECT_EQ(call_inner("Diag.ReadLines", v1::ReadLinesRequest{}), ec::denied);
  EXPECT_EQ(call_inner("Diag.ReadSpans", v1::ReadSpansRequest{}), ec::denied);
  EXPECT_EQ(call_inner("Diag.ReadLogLevels", v1::ReadLogLevelsRequest{}), ec::denied);
  EXPECT_EQ(call_inner("Diag.SetLogLevel", request), ec::denied);
  EXPECT_FALSE(own.enabled(logging::level::debug));
  as.permissions.add(access::permission::read_audit);
  EXPECT_EQ(call_inner("Diag.ReadLines", v1::ReadLinesRequest{}), ec::none);
  EXPECT_EQ(call_inner("Diag.SetLogLevel", request), ec::denied);
  as.permissions.add(access::permission::change_settings);
  EXPECT_EQ(call_inner("Diag.SetLogLevel", request), ec::none);
  EXPECT_TRUE(own.enabled(logging::level::debug));
}

}  // namespace

}  // namespace argosy::tests
