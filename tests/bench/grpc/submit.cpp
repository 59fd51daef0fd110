// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

#include "messages/proto/api/submit.pb.h"
#include "tests/bench/grpc/client.hpp"
#include "tests/bench/grpc/figures.hpp"

namespace argosy::bench {

namespace {

/// What became of the requests; used on any thread.
class tally {
 public:
  void begin() {
    const std::scoped_lock lock{guard_};
    ++open_;
  }
  void end(double millis, const ::grpc::Status& how) {
    const std::scoped_lock lock{guard_};
    --open_;
    if (how.ok()) {
      millis_.push_back(millis);
    } else {
      ++failed_;
      why_ = how.error_message();
    }
    idle_.notify_all();
  }
  void wait() {
    std::unique_lock lock{guard_};
    idle_.wait(lock, [&] { return open_ == 0; });
  }

  // To be read when nothing is open any more.
  [[nodiscard]] const std::vector<double>& millis() const { return millis_; }
  [[nodiscard]] std::size_t failed() const { return failed_; }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  std::mutex guard_;
  std::condition_variable idle_;
  std::size_t open_ = 0;
  std::size_t failed_ = 0;
  std::vector<double> millis_;
  std::string why_;
};

class load {
 public:
  explicit load(const submit_options& how)
      : how_(how),
        request_(submission(how.queue, how.job_set, how.jobs)),
        channels_(connect(how.address, how.connections)) {}

  /// Sends one request, and the next one on this connection when it is answered, if `again`.
  void send(std::size_t on, bool again) {
    told_.begin();
    call(channels_[on], submit_path, request_,
         [this, on, again, begun = clock::now()](const ::grpc::Status& status) {
           if (again && !ended_) send(on, true);
           const std::chrono::duration<double, std::milli> took = clock::now() - begun;
           told_.end(took.count(), status);
         });
  }

  void run(const std::function<bool()>& go_on) {
    if (how_.rate <= 0) {
      for (std::size_t i = 0; i < channels_.size(); ++i) send(i, true);
      while (go_on()) std::this_thread::sleep_for(std::chrono::milliseconds{5});
    } else {
      const std::chrono::duration<double> step{1 / how_.rate};
      const auto begun = clock::now();
      for (std::size_t sent = 0; go_on(); ++sent) {
        std::this_thread::sleep_until(
            begun + std::chrono::duration_cast<clock::duration>(step * static_cast<double>(sent)));
        send(sent % channels_.size(), false);
      }
    }
    ended_ = true;
    told_.wait();
  }

  [[nodiscard]] const tally& told() const { return told_; }

 private:
  const submit_options how_;
  const std::string request_;
  const std::vector<channel_ptr> channels_;
  std::atomic<bool> ended_{false};
  tally told_;
};

}  // namespace

int submit(const submit_options& how) {
  load sent{how};
  const auto begun = clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(clock::now() - begun).count(); };
  if (how.seconds > 0) {
    sent.run([&] { return passed() < how.seconds; });
  } else {
    const end_of_input input;
    sent.run([&] { return !input.reached(); });
  }
  const auto took = passed();
  const auto& told = sent.told();
  const auto jobs = static_cast<double>(told.millis().size() * how.jobs);
  std::printf("%zu requests of %zu jobs from %zu connections in %.2f s: %.0f jobs/s; %s",
              told.millis().size(), how.jobs, how.connections, took, jobs / took,
              spread(told.millis()).c_str());
  if (told.failed() > 0) std::printf("; %zu failed: %s", told.failed(), told.why().c_str());
  std::printf("\n");
  return told.millis().empty() ? 1 : 0;
}

int cancel(const submit_options& how) {
  api::JobSetCancelRequest request;
  request.set_queue(how.queue);
  request.set_job_set_id(how.job_set);
  std::promise<::grpc::Status> answer;
  const auto begun = clock::now();
  call(connect(how.address, 1)[0], "/api.Submit/CancelJobSet", request.SerializeAsString(),
       [&](const ::grpc::Status& status) { answer.set_value(status); });
  const auto status = answer.get_future().get();
  std::printf("answered after %.2f s: %s\n",
              std::chrono::duration<double>(clock::now() - begun).count(),
              status.ok() ? "done" : status.error_message().c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace argosy::bench
