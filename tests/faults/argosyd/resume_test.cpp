// SPDX-License-Identifier: Apache-2.0
// Goal: whoever goes on later goes on where he was, over a restart and with another leader; once a
// backup was put back and its log is lost he is told to read again from the beginning, and
// argosyctl does so by itself. Method: real argosyd on a real nats-server, and tokens of each kind.
#include <functional>

#include "bins/argosyctl/client/bus_client.hpp"
#include "messages/proto/api/event.pb.h"
#include "messages/proto/argosy/audit.pb.h"
#include "messages/proto/argosy/explain.pb.h"
#include "messages/proto/argosy/settings.pb.h"
#include "messages/proto/argosy/v1.pb.h"
#include "tests/faults/argosyd/own_server_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
namespace v1 = argosy::v1;

/// How a server takes a token that it gave before.
struct token {
  std::string kind;
  std::function<result<void>(ctl::client&)> use;
};

class resume : public own_server_fixture {
 protected:
  resume() { journal = "  keyFile: " + (world.folder() / "shared.key").string() + "\n"; }

  std::unique_ptr<ctl::client> connect() const {
    auto connection = bus::connect_nats({.url = server.url()});
    EXPECT_TRUE(connection);
    ctl::bus_client_options options;
    options.timeout = 10s;
    return std::make_unique<ctl::bus_client>(std::move(*connection), options);
  }
  /// The token of a list of which one page was read.
  template <class Request, class Response>
  token list_token(const std::string& method, Request request = {}) const {
    request.set_limit(1);
    result<Response> page;
    // A call is recorded a quarter of a second after its answer.
    EXPECT_TRUE(eventually([&] {
      page = ctl::call<Response>(*connect(), method, request);
      return page && !page->cursor().empty();
    })) << method;
    if (page) request.set_cursor(page->cursor());
    return {method, [method, request](ctl::client& at) -> result<void> {
              auto next = ctl::call<Response>(at, method, request);
              return next ? result<void>{} : fail(next.error());
            }};
  }
  token event_token(const std::string& kind, const std::string& id) const {
    return {kind, [id](ctl::client& at) -> result<void> {
              api::JobSetRequest request;
              request.set_queue("q");
              request.set_id("s");
              request.set_from_message_id(id);
              auto stream = at.open("Event.GetJobSetEvents", request.SerializeAsString());
              if (!stream) return fail(stream.error());
              std::string data;
              for (;;) {
                const auto got = (*stream)->next(data, 10s);
                if (!got) return fail(got.error());
                if (*got != ctl::stream_reader::event::item) return {};
              }
            }};
  }
  std::string last_event() const {
    const auto at = connect();
    api::JobSetRequest request;
    request.set_queue("q");
    request.set_id("s");
    auto stream = at->open("Event.GetJobSetEvents", request.SerializeAsString());
    EXPECT_TRUE(stream);
    std::string data;
    api::EventStreamMessage event;
    for (;;) {
      const auto got = (*stream)->next(data, 10s);
      if (!got || *got != ctl::stream_reader::event::item) return event.id();
      EXPECT_TRUE(event.ParseFromString(data));
    }
  }
  token output_token() const {
    const auto at = connect();
    v1::ListJobsRequest all;
    all.set_limit(1);
    const auto jobs = ctl::call<v1::ListJobsResponse>(*at, "Query.ListJobs", all);
    EXPECT_TRUE(jobs);
    v1::ReadLogRequest request;
    request.set_job_id(jobs->jobs(0).job_id());
    const auto read = ctl::call<v1::ReadLogResponse>(*at, "Logs.Read", request);
    EXPECT_TRUE(read) << read.error().detail;
    request.set_offset(read->next_offset());
    request.set_mark(read->mark());
    return {"Logs.Read", [request](ctl::client& with) -> result<void> {
              auto next = ctl::call<v1::ReadLogResponse>(with, "Logs.Read", request);
              return next ? result<void>{} : fail(next.error());
            }};
  }
  /// The number of the last change of the settings, with the history in which it has that.
  token change_token() const {
    const auto now =
        ctl::call<v1::GetSettingsResponse>(*connect(), "Settings.Get", v1::GetSettingsRequest{});
    EXPECT_TRUE(now) << now.error().detail;
    v1::UpdateSettingsRequest request;
    auto& key = *request.add_set();
    key.set_name("scheduling.maxNewDecisions");
    key.set_value("7");
    request.set_dry_run(true);
    request.set_expected_change(now->change());
    request.set_mark(now->mark());
    return {"Settings.Update", [request](ctl::client& with) -> result<void> {
              auto done = ctl::call<v1::ChangeSettingsResponse>(with, "Settings.Update", request);
              return done ? result<void>{} : fail(done.error());
            }};
  }
  /// The history in which a round has its number. There are no rounds here, so that it is asked
  /// without one.
  token round_token() const {
    const auto at = connect();
    v1::ListJobsRequest all;
    all.set_limit(1);
    const auto jobs = ctl::call<v1::ListJobsResponse>(*at, "Query.ListJobs", all);
    EXPECT_TRUE(jobs);
    v1::ExplainJobRequest request;
    request.set_job_id(jobs->jobs(0).job_id());
    const auto now = ctl::call<v1::JobExplanation>(*at, "Explain.ExplainJob", request);
    EXPECT_TRUE(now) << now.error().detail;
    request.set_mark(now->mark());
    return {"Explain.ExplainJob", [request](ctl::client& with) -> result<void> {
              auto next = ctl::call<v1::JobExplanation>(with, "Explain.ExplainJob", request);
              return next ? result<void>{} : fail(next.error());
            }};
  }
  /// What the server says to a number of a round that somebody types.
  static error typed_round(ctl::client& at) {
    v1::ExplainJobRequest request;
    request.set_job_id("01arz3ndektsv4rrffq69g5fav");
    request.set_round(1);
    auto got = ctl::call<v1::JobExplanation>(at, "Explain.ExplainJob", request);
    return got ? error{} : got.error();
  }
  std::vector<token> all_tokens() const {
    v1::FindJobsRequest by_state;
    by_state.set_order_by("state");
    v1::ListAuditRequest calls;
    const auto version =
        ctl::call<v1::GetVersionResponse>(*connect(), "Query.GetVersion", v1::GetVersionRequest{});
    EXPECT_TRUE(version);
    return {list_token<v1::ListJobsRequest, v1::ListJobsResponse>("Query.ListJobs"),
            list_token<v1::FindJobsRequest, v1::FindJobsResponse>("Query.FindJobs"),
            list_token<v1::FindJobsRequest, v1::FindJobsResponse>("Query.FindJobs", by_state),
            list_token<v1::ListJobSetsRequest, v1::ListJobSetsResponse>("Query.ListJobSets"),
            list_token<v1::ListQueuesRequest, v1::ListQueuesResponse>("Query.ListQueues"),
            list_token<v1::ListAuditRequest, v1::ListAuditResponse>("Audit.ListAudit", calls),
            event_token("event", last_event()),
            event_token("GetVersion.event_id", version->event_id()),
            output_token(),
            change_token(),
            round_token()};
  }
  void expect_taken(const std::vector<token>& all) const {
    const auto at = connect();
    for (const auto& each : all) {
      const auto used = each.use(*at);
      EXPECT_TRUE(used) << each.kind << ": " << used.error().detail;
    }
  }

  const fs::path copy = world.folder() / "copy";
};

TEST_F(resume, goes_on_in_the_same_history_and_begins_again_in_another) {
  auto served = serve();
  ASSERT_EQ(ctl({"queue", "create", "q"}).code, 0);
  ASSERT_EQ(ctl({"queue", "create", "r"}).code, 0);
  submit(2);
  ASSERT_EQ(ctl({"submit", world.write("t.yaml", deployment::jobs({{"true"}}, "t"))}).code, 0);
  const auto before = all_tokens();
  ASSERT_EQ(run({"backup", copy.string()}).code, 0);
  submit(2);
  const auto behind = all_tokens();
  end(served);
  served = serve();
  expect_taken(behind);
  constexpr auto sentence = "read again from the beginning";
  EXPECT_EQ(typed_round(*connect()).detail.find(sentence), std::string::npos);

  auto words = argosyd({"--ready-file", (world.folder() / "other.ready").string()});
  for (auto& word : words)
    if (word == world.data_dir().string()) word = (world.folder() / "other").string();
  auto other = world.start_program(words, "other");
  ASSERT_TRUE(eventually(
      [&] {
        return content_of(world.folder() / "other.log").find("another argosyd leads") !=
               std::string::npos;
      },
      20s))
      << content_of(world.folder() / "other.log");
  end(served);
  ASSERT_TRUE(eventually([&] { return fs::exists(world.folder() / "other.ready"); }, 30s))
      << content_of(world.folder() / "other.log");
  expect_taken(behind);
  auto watch = world.start_ctl({"watch", "--queue", "q", "--jobset", "s", "--server", server.url()},
                               "watch");
  ASSERT_TRUE(eventually(
      [&] { return lines_of(content_of(world.folder() / "watch.out")).size() >= 4; }, 20s));
  other.signal(SIGKILL);
  EXPECT_NE(other.wait(10s), 0);

  fs::remove_all(world.data_dir());
  delete_stream("ARGOSY_LOG_0001");
  const auto restored = run({"recover", "--from", copy.string()});
  ASSERT_EQ(restored.code, 3) << "the next start would refuse: " << restored.err;
  const auto accepted = run({"recover", "--accept-loss"});
  ASSERT_EQ(accepted.code, 0) << accepted.err;
  served = serve();
  submit(4);
  ASSERT_GT(jobs(), 6u) << "positions of before are there again";
  const auto at = connect();
  for (const auto& each : behind) {
    const auto refused = each.use(*at);
    ASSERT_FALSE(refused) << each.kind;
    EXPECT_EQ(refused.error().code, ec::conflict) << each.kind;
    EXPECT_NE(refused.error().detail.find(sentence), std::string::npos)
        << each.kind << ": " << refused.error().detail;
  }
  EXPECT_NE(typed_round(*at).detail.find(sentence), std::string::npos);
  expect_taken(before);
  EXPECT_TRUE(eventually(
      [&] {
        return content_of(world.folder() / "watch.err").find("again from the beginning") !=
               std::string::npos;
      },
      30s))
      << content_of(world.folder() / "watch.err");
  EXPECT_TRUE(watch.running());
  watch.signal(SIGKILL);
  static_cast<void>(watch.wait(10s));
  end(served);
}

}  // namespace

}  // namespace argosy::testing
