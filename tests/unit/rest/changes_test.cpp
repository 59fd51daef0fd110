// SPDX-License-Identifier: Apache-2.0
// Goal: whoever follows the position of the log is told of each move, comes back without hearing
// twice of what he knows, holds no thread, and ends with the server; and answers are shared among
// those who say what they know. Method: the HTTP endpoint on a free port with a few threads, and
// the library's client.
#include <gmock/gmock.h>
#include <httplib.h>
#include <netinet/tcp.h>

#include <atomic>
#include <future>

#include "runtime/bus/in_memory.hpp"
#include "runtime/health/health_server.hpp"
#include "runtime/health/kept_connection.hpp"
#include "runtime/health/pages.hpp"
#include "runtime/rest/pages.hpp"

namespace argosy::rest {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;

const rpc::method find_method{"Query.FindJobs", "argosy.api.Query.FindJobs", false, {}};

class changes : public ::testing::Test {
 protected:
  changes() {
    with.api = broker.connect();
    with.position = [this]() -> std::optional<std::uint64_t> {
      if (const auto now = position.load(); now > 0) return now;
      return std::nullopt;
    };
    with.started = "5";
    with.change_pace = {.period = 20ms, .beat = 50ms, .lasts = 60s};
    with.description = [] { return "{}"; };
    with.admit = [this](const rpc::caller& who, const auto& then) {
      rpc::admission out{admits, "nobody", {}};
      out.who.set(bus::header::user, who.authorization);
      out.who.set(bus::header::permissions, "3");
      then(out);
    };
    with.read = [this](const request& from) {
      plan out{plan::kind::call, &find_method, shares};
      out.bytes = [&from](const request&) -> result<std::string> { return from.body; };
      out.write = [](std::string_view bytes) -> result<std::string> { return std::string{bytes}; };
      return out;
    };
    served = api->serve(find_method.subject,
                        [this](const bus::frame& asked) {
                          static_cast<void>(api->respond(
                              asked, std::to_string(++answered) + std::string(2'000, 'x')));
                        })
                 .value();
  }
  ~changes() override {
    running.reset();
    served.reset();
    with.api->close();
    api->close();
  }

  void start(std::size_t threads = 4) {
    health::server_config config;
    config.more = make_pages(with);
    config.bounds.connections_max = threads;
    auto started = health::server::start(std::move(config));
    ASSERT_TRUE(started) << started.error().detail;
    running = std::move(*started);
  }
  httplib::Client client() const {
    httplib::Client out{"127.0.0.1", running->port()};
    out.set_read_timeout(20s);
    return out;
  }
  struct reader {
    std::promise<void> begun{};
    std::future<int> status{};
    std::string text{};
  };
  /// Follows until `until` has come, or to the end.
  std::unique_ptr<reader> follow_beside(const std::string& until,
                                        const httplib::Headers& headers = {}) const {
    auto out = std::make_unique<reader>();
    out->status =
        std::async(std::launch::async, [to = out.get(), until, headers, from = client()]() mutable {
          const auto got =
              from.Get("/v1/changes", headers, [&](const char* data, std::size_t size) {
                if (to->text.empty()) to->begun.set_value();
                to->text.append(data, size);
                return until.empty() || to->text.find(until) == std::string::npos;
              });
          return got ? got->status : 0;
        });
    return out;
  }
  std::string follow(const std::string& until, const httplib::Headers& headers = {}) const {
    const auto one = follow_beside(until, headers);
    one->status.wait();
    return one->text;
  }
  std::string find(const std::string& who, const std::string& position_known) const {
    httplib::Headers headers{{"Authorization", who}};
    if (!position_known.empty()) headers.emplace("Argosy-Position", position_known);
    const auto got = client().Post("/v1/jobs/find", headers, "{}", "application/json");
    return got ? got->body.substr(0, 1) + "@" + got->get_header_value("Argosy-Position") : "";
  }

  std::atomic<std::uint64_t> position = 7;  ///< 0: there is none.
  std::atomic<int> answered = 0;
  rpc::admission::kind admits = rpc::admission::kind::admitted;
  sharing shares = sharing::same_rights;
  bus::memory_broker broker{{.manual_time = false}};
  std::shared_ptr<bus::connection> api = broker.connect();
  config with;
  std::unique_ptr<health::server> running;
  bus::subscription served;
};

TEST_F(changes, begin_with_the_position_unless_the_reader_knows_it) {
  start();
  EXPECT_THAT(follow("}\n\n"),
              HasSubstr("id: 7-5\nevent: position\ndata: {\"position\":7,\"startedNs\":5}\n\n"));
  EXPECT_THAT(follow("}\n\n", {{"Last-Event-ID", "6-5"}}), HasSubstr("id: 7-5\n"));
  EXPECT_THAT(follow("}\n\n", {{"Last-Event-ID", "7-4"}}), HasSubstr("id: 7-5\n"))
      << "another process may have another history";
  const auto known = follow("\n:\n", {{"Last-Event-ID", "7-5"}});
  EXPECT_THAT(known, Not(HasSubstr("event:")));
  EXPECT_THAT(known, HasSubstr("\n:\n")) << "silence is broken";
}

TEST_F(changes, tell_each_move_to_all_who_follow_however_few_threads_there_are) {
  start();
  std::vector<std::unique_ptr<reader>> readers;
  for (int i = 0; i < 20; ++i) readers.push_back(follow_beside("id: 9"));
  for (const auto& one : readers) one->begun.get_future().wait();
  EXPECT_EQ(client().Get("/livez")->status, 200);
  position = 9;
  for (const auto& one : readers) {
    one->status.wait();
    EXPECT_THAT(one->text, HasSubstr("id: 9-5\nevent: position\n"));
  }
}

TEST_F(changes, are_told_only_to_who_is_let_in_and_by_who_leads) {
  start();
  admits = rpc::admission::kind::unknown;
  EXPECT_EQ(client().Get("/v1/changes")->status, 401);
  admits = rpc::admission::kind::admitted;
  position = 0;
  EXPECT_EQ(client().Get("/v1/changes")->status, 503);
}

TEST_F(changes, end_when_their_time_is_over) {
  with.change_pace.lasts = 30ms;
  start();
  EXPECT_EQ(follow_beside("")->status.get(), 200);
}

TEST_F(changes, end_when_this_process_does_not_lead_any_more) {
  start();
  const auto one = follow_beside("");
  one->begun.get_future().wait();
  position = 0;
  EXPECT_EQ(one->status.get(), 200);
}

TEST_F(changes, end_as_answers_end_when_the_server_stops) {
  start();
  const auto one = follow_beside("");
  one->begun.get_future().wait();
  running.reset();
  EXPECT_EQ(one->status.get(), 200);
}

TEST_F(changes, are_refused_beyond_the_limit_until_one_has_gone) {
  with.change_streams_max = 1;
  start();
  const auto status = [this] {
    int out = 0;
    const auto head = [&](const httplib::Response& got) {
      out = got.status;
      return false;
    };
    static_cast<void>(
        client().Get("/v1/changes", head, [](const char*, std::size_t) { return true; }));
    return out;
  };
  const auto one = follow_beside("id: 9");
  one->begun.get_future().wait();
  while (status() != 429) {
  }
  position = 9;
  one->status.wait();
  while (status() != 200) {
  }
}

TEST_F(changes, are_told_with_the_names_that_changed_behind_what_the_reader_knew) {
  with.changed = [](std::uint64_t since) {
    return since < 9 ? changed_names{std::vector<std::uint32_t>{1, 2}, std::nullopt}
                     : changed_names{std::vector<std::uint32_t>{}, std::vector<std::uint32_t>{3}};
  };
  start();
  const auto one = follow_beside("\"queues\"");
  one->begun.get_future().wait();
  position = 9;
  one->status.wait();
  EXPECT_THAT(one->text, HasSubstr(R"({"position":7,"startedNs":5})"))
      << "what a new reader knows is not known";
  EXPECT_THAT(one->text, HasSubstr(R"({"position":9,"startedNs":5,"queues":[1,2]})"));
  const auto other = follow_beside("\"jobSets\"");
  other->begun.get_future().wait();
  position = 12;
  other->status.wait();
  EXPECT_THAT(other->text, HasSubstr(R"({"position":12,"startedNs":5,"queues":[],"jobSets":[3]})"));
}

TEST_F(changes, have_answers_shared_by_those_of_the_same_rights_who_know_no_more) {
  start();
  EXPECT_EQ(find("ann", "7"), "1@7");
  EXPECT_EQ(find("bob", "7"), "1@7");
  EXPECT_EQ(find("bob", ""), "2@7") << "who does not say what he knows gets his own";
  position = 9;
  EXPECT_EQ(find("ann", "7"), "2@7");
  EXPECT_EQ(find("ann", "8"), "3@9") << "the answer is behind what she knows";
  EXPECT_EQ(find("bob", "word"), "4@9");
}

TEST_F(changes, have_answers_shared_by_one_caller_alone_or_by_nobody) {
  shares = sharing::same_caller;
  start();
  EXPECT_EQ(find("ann", "7"), "1@7");
  EXPECT_EQ(find("bob", "7"), "2@7");
  EXPECT_EQ(find("ann", "7"), "1@7");
  shares = sharing::none;
  EXPECT_EQ(find("ann", "7"), "3@7");
  EXPECT_EQ(find("ann", "7"), "4@7");
}

TEST_F(changes, have_shared_answers_packed_for_who_takes_that) {
  start();
  const auto ask = [&](const char* takes) {
    auto from = client();
    from.set_decompress(false);
    return from.Post("/v1/jobs/find", {{"Accept-Encoding", takes}, {"Argosy-Position", "7"}}, "{}",
                     "application/json");
  };
  const auto packed = ask("gzip");
  EXPECT_EQ(packed->get_header_value("Content-Encoding"), "gzip");
  EXPECT_LT(packed->body.size(), 200U);
  EXPECT_THAT(packed->body, StartsWith("\x1f\x8b"));
  EXPECT_THAT(ask("identity")->body, StartsWith("1xxx"));
}

/// Keeps the connection of whoever asks for it.
struct keeping_pages final : health::pages {
  void add_to(httplib::Server& server) override {
    server.Get("/kept", [this](const httplib::Request&, httplib::Response& to) {
      to.set_chunked_content_provider("text/plain", [this](std::size_t, httplib::DataSink& sink) {
        if (sink.write("x", 1))
          health::keep_connection([this](health::kept_socket one) {
            int at_once = 0;
            socklen_t size = sizeof at_once;
            static_cast<void>(::getsockopt(one.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, &size));
            sends_at_once.set_value(at_once != 0);
          });
        return false;
      });
    });
  }
  void stop() override {}

  std::promise<bool> sends_at_once;
};

TEST(connections, send_a_body_without_waiting_for_the_acknowledgement_of_its_head) {
  health::server_config config;
  const auto pages = std::make_shared<keeping_pages>();
  config.more = pages;
  const auto running = std::move(*health::server::start(std::move(config)));
  httplib::Client from{"127.0.0.1", running->port()};
  static_cast<void>(from.Get("/kept"));
  EXPECT_TRUE(pages->sends_at_once.get_future().get());
}

}  // namespace

}  // namespace argosy::rest
