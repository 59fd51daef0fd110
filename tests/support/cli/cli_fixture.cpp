// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cli/cli_fixture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bins/argosyctl/output/event_text.hpp"
#include "messages/codec/api/event_id.hpp"

namespace argosy::ctl {

namespace {

class scripted_stream final : public stream_reader {
 public:
  scripted_stream(scripted_server& server, api::JobSetRequest request)
      : server_(server), request_(std::move(request)) {
    // The later events come between two reads of a stream that ends.
    if (!request_.watch() && server_.reads++ > 0 && !server_.later.empty()) {
      server_.deliver();
    }
    const auto& from = request_.from_message_id();
    bool past = from.empty();
    for (std::size_t i = 0; i < server_.events.size(); ++i) {
      const auto& known = server_.events[i];
      past = past || from == codec::event_id_behind({{i}, 0});
      const auto text = describe_event(known.message());
      if (past && text.queue == request_.queue() && text.job_set == request_.id())
        waiting_.push_back(known);
      past = past || known.id() == from;
    }
    if (server_.breaks > 0) {
      --server_.breaks;
      breaks_ = true;
    }
  }

  result<event> next(std::string& data, std::chrono::milliseconds) override {
    if (breaks_ && delivered_ > 0) return fail(ec::unreachable, "the connection broke");
    if (waiting_.empty() && !request_.watch()) return event::finished;
    if (waiting_.empty() && !server_.later.empty()) {
      waiting_.push_back(server_.later.front());
      server_.deliver();
    }
    if (waiting_.empty()) return event::quiet;
    data = waiting_.front().SerializeAsString();
    waiting_.pop_front();
    ++delivered_;
    return event::item;
  }

 private:
  scripted_server& server_;
  api::JobSetRequest request_;
  std::deque<api::EventStreamMessage> waiting_;
  int delivered_ = 0;
  bool breaks_ = false;
};

template <class Event>
void fill(Event& event, const argosy::v1::JobSummary& job) {
  event.set_job_id(job.job_id());
  event.set_queue(job.queue());
  event.set_job_set_id(job.job_set());
  event.mutable_created()->set_seconds(1'700'000'000);
}

}  // namespace

result<std::unique_ptr<stream_reader>> scripted_server::open(std::string_view method,
                                                             std::string data) {
  requests.push_back({std::string{method}, data});
  api::JobSetRequest wanted;
  EXPECT_TRUE(wanted.ParseFromString(data));
  const bool known = std::any_of(events.begin(), events.end(), [&](const auto& event) {
    return describe_event(event.message()).job_set == wanted.id();
  });
  if (wanted.errorifmissing() && !known)
    return fail(ec::not_found, fmt::format("job set '{}' does not exist", wanted.id()));
  std::unique_ptr<stream_reader> reader = std::make_unique<scripted_stream>(*this, wanted);
  return reader;
}

void scripted_server::deliver() {
  events.push_back(later.front());
  later.pop_front();
  if (delivered) delivered(describe_event(events.back().message()));
}

std::string job_id(int number) {
  return fmt::format("01kaz3v9qp8m2n4r6t8w{:06}", number);
}

cli_fixture::cli_fixture() {
  variables["HOME"] = home.string();
  variables["ARGOSY_SERVER"] = "nats://127.0.0.1:1";
  server->delivered = [this](const event_text& event) {
    for (auto& job : jobs) {
      if (job.job_id() != event.job_id || !event.state) continue;
      job.set_state(*event.state);
      if (*event.state == api::JobState::RUNNING) job.set_started_ns(now_ns);
    }
  };
}

outcome cli_fixture::run(std::vector<std::string> words, const std::string& input) {
  std::ostringstream out;
  std::ostringstream err;
  std::istringstream in{input};
  console to{out, err, where};
  environment env{[&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional{found->second};
  }};
  env.names = [&] {
    std::vector<std::string> names;
    for (const auto& [name, value] : variables) names.push_back(name);
    return names;
  };
  const auto connect = [&](const connect_request& to_where) -> result<std::shared_ptr<client>> {
    ++connects;
    connected = to_where;
    if (fails_before_connecting > 0 && --fails_before_connecting == 0) {
      const auto error = connection.error();
      connection = {};
      return fail(error);
    }
    if (!connection) return fail(connection.error());
    return std::static_pointer_cast<client>(server);
  };
  session s{to, env, in, connect, [&] { return now_ns; }, &interrupted};
  s.reader_gone = reader_gone;
  s.fetch = fetch;
  s.pause = [&](std::chrono::milliseconds time) {
    waits();
    now_ns += std::chrono::nanoseconds{time}.count();
  };
  s.refresh_period = std::chrono::milliseconds{1};
  const auto code = run_cli(std::move(words), s);
  return {code, out.str(), err.str()};
}

argosy::v1::JobSummary& cli_fixture::add_job(const std::string& id, api::JobState state,
                                             const std::string& queue, const std::string& set) {
  auto& job = jobs.emplace_back();
  job.set_job_id(id);
  job.set_queue(queue);
  job.set_job_set(set);
  job.set_state(state);
  job.set_submitted_ns(now_ns - 65'000'000'000);
  return job;
}

void cli_fixture::add_event(const std::string& id, api::JobState state, bool later,
                            const std::string& reason) {
  const auto job = std::find_if(jobs.begin(), jobs.end(),
                                [&](const auto& known) { return known.job_id() == id; });
  ASSERT_NE(job, jobs.end());
  api::EventStreamMessage event;
  event.set_id(fmt::format("e{}", server->events.size() + server->later.size() + 1));
  auto& message = *event.mutable_message();
  switch (state) {
    case api::JobState::LEASED:
      fill(*message.mutable_leased(), *job);
      break;
    case api::JobState::PENDING:
      fill(*message.mutable_pending(), *job);
      break;
    case api::JobState::RUNNING:
      fill(*message.mutable_running(), *job);
      break;
    case api::JobState::SUCCEEDED:
      fill(*message.mutable_succeeded(), *job);
      break;
    case api::JobState::CANCELLED:
      fill(*message.mutable_cancelled(), *job);
      break;
    case api::JobState::PREEMPTED:
      fill(*message.mutable_preempted(), *job);
      break;
    case api::JobState::REJECTED:
      fill(*message.mutable_failed(), *job);
      message.mutable_failed()->set_cause(api::Cause::Rejected);
      break;
    case api::JobState::FAILED:
      fill(*message.mutable_failed(), *job);
      message.mutable_failed()->set_reason(reason);
      break;
    default:
      fill(*message.mutable_queued(), *job);
      break;
  }
  if (later)
    server->later.push_back(event);
  else
    server->events.push_back(event);
}

void cli_fixture::serve_jobs() {
  using argosy::v1::ListJobsRequest;
  using argosy::v1::ListJobsResponse;
  server->on<ListJobsRequest, ListJobsResponse>(
      "Query.ListJobs", [this](const ListJobsRequest& request) -> result<ListJobsResponse> {
        ListJobsResponse out;
        if (request.id_prefixes_size() > ids_max)
          return fail(ec::invalid_argument, fmt::format("a request names at most {} ids", ids_max));
        for (const auto& job : jobs) {
          const auto& prefixes = request.id_prefixes();
          const bool named = prefixes.empty() ||
                             std::any_of(prefixes.begin(), prefixes.end(), [&](const auto& prefix) {
                               return job.job_id().starts_with(prefix);
                             });
          const auto& states = request.states();
          const bool in_state = states.empty() || std::find(states.begin(), states.end(),
                                                            job.state()) != states.end();
          if (!named || !in_state) continue;
          if (!request.queue().empty() && job.queue() != request.queue()) continue;
          if (!request.job_set().empty() && job.job_set() != request.job_set()) continue;
          if (request.active_only() && is_over(job.state())) continue;
          if (!request.cursor().empty() && job.job_id() <= request.cursor()) continue;
          if (request.limit() != 0 && out.jobs_size() == static_cast<int>(request.limit())) break;
          if (out.jobs_size() == 150) {
            out.set_cursor(out.jobs(149).job_id());
            break;
          }
          *out.add_jobs() = job;
        }
        return out;
      });
  server->on<argosy::v1::GetVersionRequest, argosy::v1::GetVersionResponse>(
      "Query.GetVersion", [this](const auto&) -> result<argosy::v1::GetVersionResponse> {
        argosy::v1::GetVersionResponse out;
        out.set_position(server->events.size());
        out.set_event_id(codec::event_id_behind({{server->events.size()}, 0}));
        return out;
      });
  server->on<api::QueueGetRequest, api::Queue>(
      "QueueService.GetQueue", [](const api::QueueGetRequest& request) -> result<api::Queue> {
        if (request.name().starts_with("no")) return fail(ec::not_found, "no such queue");
        api::Queue queue;
        queue.set_name(request.name());
        return queue;
      });
  server->on<api::JobDetailsRequest, api::JobDetailsResponse>(
      "Jobs.GetJobDetails",
      [this](const api::JobDetailsRequest& request) -> result<api::JobDetailsResponse> {
        api::JobDetailsResponse out;
        for (const auto& id : request.job_ids())
          for (const auto& job : jobs)
            if (job.job_id() == id) {
              auto& details = (*out.mutable_job_details())[id];
              details.set_job_id(id);
              details.set_queue(job.queue());
              details.set_jobset(job.job_set());
              details.set_state(job.state());
            }
        return out;
      });
}

void cli_fixture::serve_job_sets() {
  using argosy::v1::ListJobSetsRequest;
  using argosy::v1::ListJobSetsResponse;
  server->on<ListJobSetsRequest, ListJobSetsResponse>(
      "Query.ListJobSets",
      [this](const ListJobSetsRequest& request) -> result<ListJobSetsResponse> {
        std::map<std::pair<std::string, std::string>, argosy::v1::JobSetSummary> sets;
        for (const auto& job : jobs) {
          if (!request.queue().empty() && job.queue() != request.queue()) continue;
          auto& set = sets[{job.queue(), job.job_set()}];
          set.set_queue(job.queue());
          set.set_job_set(job.job_set());
          set.set_submitted_ns(job.submitted_ns());
          ++(*set.mutable_jobs_by_state())[api::JobState_Name(job.state())];
        }
        ListJobSetsResponse out;
        for (const auto& [name, set] : sets) *out.add_job_sets() = set;
        return out;
      });
}

}  // namespace argosy::ctl
