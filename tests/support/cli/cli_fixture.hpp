// SPDX-License-Identifier: Apache-2.0
// Runs the whole command line against a scripted server and notes what it prints and how it exits.
// Every fixture has a home folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/verbs/cli.hpp"
#include "messages/proto/api/event.pb.h"
#include "messages/proto/api/job.pb.h"
#include "messages/proto/argosy/v1.pb.h"
#include "tests/support/temp_folder.hpp"

namespace argosy::ctl {

/// Answers calls by the method's name and remembers them.
class scripted_server final : public client {
 public:
  using handler = std::function<result<std::string>(const std::string& request)>;
  struct request {
    std::string method;
    std::string data;
    header_list headers{};

    /// The headers of the call, each as "name: value".
    [[nodiscard]] std::string header_text() const {
      std::string text;
      for (const auto& [name, value] : headers) text += name + ": " + value + "\n";
      return text;
    }
  };

  /// Answers the calls of a method. `reply` takes the decoded request.
  template <class Request, class Response>
  void on(const std::string& method, std::function<result<Response>(const Request&)> reply) {
    handlers_[method] = [reply](const std::string& data) -> result<std::string> {
      Request decoded_request;
      if (!decoded_request.ParseFromString(data))
        return fail(ec::invalid_argument, "not that message");
      auto response = reply(decoded_request);
      if (!response) return fail(response.error());
      return response->SerializeAsString();
    };
  }
  template <class Response>
  void always(const std::string& method, Response response) {
    handlers_[method] = [data = response.SerializeAsString()](const std::string&) {
      return result<std::string>{data};
    };
  }
  void refuse(const std::string& method, error err) {
    handlers_[method] = [err](const std::string&) -> result<std::string> { return fail(err); };
  }

  /// The events of all job sets. A stream that follows yields nothing new and stays open.
  std::vector<api::EventStreamMessage> events;
  /// Events that are delivered one after the other to a client that follows, or that comes again
  /// for new ones.
  std::deque<api::EventStreamMessage> later;
  int reads = 0;  ///< How many streams that end have been opened so far.
  /// Moves the first of `later` to `events` and delivers it.
  void deliver();
  std::function<void(const event_text&)> delivered;
  /// This many of the next streams break after their first event.
  int breaks = 0;
  /// After this many requests without waiting no more are answered; negative: all are.
  int answers_left = -1;
  std::vector<request> requests;
  /// The headers of the answers to a method.
  std::map<std::string, header_list> reply_headers;
  /// Called with the name of every call before it is answered.
  std::function<void(std::string_view method)> before;

  [[nodiscard]] std::size_t calls(const std::string& method) const {
    std::size_t n = 0;
    for (const auto& r : requests) n += r.method == method ? 1 : 0;
    return n;
  }
  template <class Request>
  [[nodiscard]] Request nth(const std::string& method, std::size_t index = 0) const {
    Request out;
    for (const auto& r : requests)
      if (r.method == method && index-- == 0 && !out.ParseFromString(r.data)) ADD_FAILURE();
    return out;
  }

  result<reply> exchange(std::string_view method, std::string data, repeatable,
                         const header_list& with) override {
    requests.push_back({std::string{method}, data, with});
    if (before) before(method);
    const auto found = handlers_.find(std::string{method});
    if (found == handlers_.end())
      return fail(ec::no_responders, "nobody serves " + std::string{method});
    auto data_back = found->second(data);
    if (!data_back) return fail(std::move(data_back.error()));
    return reply{std::move(*data_back), reply_headers[std::string{method}]};
  }
  void start_exchange(std::string_view method, std::string data, repeatable again,
                      const header_list& with, full_answer done) override {
    if (answers_left == 0) return;
    --answers_left;
    done(exchange(method, std::move(data), again, with));
  }
  result<std::unique_ptr<stream_reader>> open(std::string_view method, std::string data) override;
  std::size_t request_size_max() const override { return size_max; }
  std::string server() const override { return "a scripted server"; }

  std::size_t size_max = 8u << 20;

 private:
  std::map<std::string, handler> handlers_;
};

struct outcome {
  exit_code code;
  std::string out;
  std::string err;
};

class cli_fixture : public ::testing::Test {
 protected:
  cli_fixture();

  outcome run(std::vector<std::string> words, const std::string& input = {});

  /// Answers Query.ListJobs from `jobs`, and Jobs.GetJobDetails with what follows from them. Every
  /// queue exists but those whose names begin with "no".
  void serve_jobs();
  /// Answers Query.ListJobSets from `jobs`.
  void serve_job_sets();
  argosy::v1::JobSummary& add_job(const std::string& id, api::JobState state,
                                  const std::string& queue = "a", const std::string& set = "s");
  void add_event(const std::string& id, api::JobState state, bool later = false,
                 const std::string& reason = {});

  std::shared_ptr<scripted_server> server = std::make_shared<scripted_server>();
  std::map<std::string, std::string> variables;
  testing::temp_folder temp;
  std::filesystem::path home = temp.path();
  terminal where;
  std::vector<argosy::v1::JobSummary> jobs;
  int ids_max = 500;  ///< How many ids the server takes in one request.
  result<void> connection{};
  /// How many attempts to connect fail before the server is there.
  int fails_before_connecting = 0;
  connect_request connected{};
  int connects = 0;
  std::atomic<bool> interrupted{false};
  std::function<bool()> reader_gone = [] { return false; };
  /// Answers what is asked of an OpenID provider.
  access::fetch_function fetch = [](const access::http_request&) -> result<access::http_answer> {
    return fail(ec::unreachable, "no provider");
  };
  /// Called before time passes at once, when argosyctl waits.
  std::function<void()> waits = [] {};
  std::int64_t now_ns = 1'700'000'000'000'000'000;
};

/// An id: 26 characters that differ in the last ones.
[[nodiscard]] std::string job_id(int number);

}  // namespace argosy::ctl
