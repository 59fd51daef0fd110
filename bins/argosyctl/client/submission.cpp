// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/client/submission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>

#include "messages/proto/api/submit.pb.h"
#include "runtime/bus/api_headers.hpp"

namespace argosy::ctl {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t window = 8;
constexpr std::chrono::milliseconds patience{400};
constexpr std::string_view method = "Submit.SubmitJobs";

using clock = std::chrono::steady_clock;

struct late_answer {
  result<reply> got;
  clock::duration took{};
};

/// The answers that came, by the number of their request. They outlive a submission that is
/// abandoned.
struct answers {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::size_t, late_answer> by_request;
};

result<std::vector<std::string>> ids_of(const std::string& data, std::size_t jobs) {
  auto response = decoded<api::JobSubmitResponse>(method, data);
  if (!response) return fail(std::move(response.error()));
  if (static_cast<std::size_t>(response->job_response_items_size()) != jobs)
    return fail(ec::corrupt, fmt::format("the server answered for {} jobs of {}",
                                         response->job_response_items_size(), jobs));
  std::vector<std::string> ids;
  ids.reserve(jobs);
  for (auto& item : *response->mutable_job_response_items()) {
    if (!item.error().empty()) return fail(ec::invalid_argument, item.error());
    ids.push_back(std::move(*item.mutable_job_id()));
  }
  return ids;
}

class pipeline {
 public:
  pipeline(client& server, std::span<const submit_request> requests,
           const submission_events& events)
      : server_(server), requests_(requests), events_(events) {}

  std::optional<submission_error> run() {
    while (oldest_ < requests_.size()) {
      look_for_stop();
      const auto ahead = oldest_ == 0 ? 1 : window;
      const bool ending = failed_ || stopped_at_;
      while (!ending && next_ < requests_.size() && next_ < oldest_ + ahead) start(next_++);
      if (oldest_ == next_ || !finish_oldest()) break;
      ++oldest_;
    }
    if (!stopped_at_ || oldest_ == requests_.size()) return failed_;
    if (!failed_) failed_ = submission_error{{ec::cancelled, "interrupted"}, oldest_, false, true};
    failed_->first_unanswered = oldest_;
    failed_->unanswered = next_ - oldest_;
    return failed_;
  }

 private:
  void start(std::size_t number) {
    server_.start_exchange(
        method, requests_[number].bytes, repeatable::yes, headers_of(requests_[number]),
        [in = answers_, number, begun = clock::now()](auto answer) {
          const std::lock_guard lock{in->mutex};
          in->by_request.emplace(number, late_answer{std::move(answer), clock::now() - begun});
          in->changed.notify_all();
        });
  }

  void look_for_stop() {
    if (!stopped_at_ && events_.stop()) stopped_at_ = clock::now();
  }

  /// The answer to a request; nothing when the user wants to stop and it does not come soon.
  std::optional<late_answer> answer_to(std::size_t number) {
    std::unique_lock lock{answers_->mutex};
    while (!answers_->by_request.contains(number)) {
      answers_->changed.wait_for(lock, 50ms);
      look_for_stop();
      if (stopped_at_ && clock::now() - *stopped_at_ > patience) return std::nullopt;
    }
    auto answer = std::move(answers_->by_request.at(number));
    answers_->by_request.erase(number);
    return answer;
  }

  void note(error why, bool unknown = false) {
    if (!failed_) failed_ = submission_error{std::move(why), oldest_, unknown};
  }

  /// Waits for the oldest request. Returns false to give up at once.
  bool finish_oldest() {
    const auto& request = requests_[oldest_];
    auto first = answer_to(oldest_);
    if (!first) return false;
    auto answer = std::move(first->got);
    bool unknown = !answer && perhaps_taken(answer.error().code);
    if (!answer && may_recover(answer.error().code) && !failed_ && !stopped_at_) {
      answer = server_.repeat(events_.stop, method, request.bytes, headers_of(request),
                              std::chrono::duration_cast<std::chrono::milliseconds>(first->took));
      look_for_stop();
      if (stopped_at_ && !answer && answer.error().code == ec::cancelled) return false;
      unknown = !answer && (perhaps_taken(answer.error().code) ||
                            (unknown && surely_refused(answer.error().code)));
    }
    if (!answer) {
      note(answer.error(), unknown);
      return true;
    }
    if (const auto told = note_of(*answer); !told.empty() && events_.on_note) events_.on_note(told);
    auto ids = ids_of(answer->data, request.jobs);
    if (ids)
      events_.on_accepted(oldest_, std::move(*ids));
    else
      note(std::move(ids.error()));
    return true;
  }

  client& server_;
  std::span<const submit_request> requests_;
  const submission_events& events_;
  std::shared_ptr<answers> answers_ = std::make_shared<answers>();
  std::size_t oldest_ = 0;
  std::size_t next_ = 0;
  std::optional<submission_error> failed_;
  std::optional<clock::time_point> stopped_at_;
};

}  // namespace

std::string note_of(const reply& answer) {
  bus::headers headers;
  headers.set(bus::header::note, answer.header(bus::header::note));
  return bus::get_text(headers, bus::header::note).value_or("");
}

header_list headers_of(const submit_request& request) {
  header_list out{{std::string{bus::header::name_space}, "usual"}};
  if (!request.key.empty()) out.emplace_back(bus::header::key, request.key);
  return out;
}

void give_keys(std::span<submit_request> requests, std::string_view key) {
  if (key.empty()) return;
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].key = fmt::format("{}-{}", key, i);
}

std::optional<submission_error> submit_all(client& server, std::span<const submit_request> requests,
                                           const submission_events& events) {
  return pipeline{server, requests, events}.run();
}

}  // namespace argosy::ctl
