// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/connection.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/bus/caller_headers.hpp"
#include "runtime/bus/core.hpp"

namespace argosy::bus {

std::string_view to_string(link_status status) noexcept {
  switch (status) {
    case link_status::connected:
      return "connected";
    case link_status::disconnected:
      return "disconnected";
    case link_status::closed:
      return "closed";
  }
  return "closed";
}

result<frame> connection::request_sync(std::string_view subject, std::string_view data,
                                       const headers& with, std::chrono::milliseconds timeout) {
  struct rendezvous {
    std::mutex mutex;
    std::condition_variable arrived;
    std::optional<result<frame>> outcome;
  };
  const auto meet = std::make_shared<rendezvous>();
  request(subject, data, with, timeout, [meet](result<frame> outcome) {
    const std::lock_guard lock{meet->mutex};
    meet->outcome = std::move(outcome);
    meet->arrived.notify_all();
  });
  before_blocking();
  std::unique_lock lock{meet->mutex};
  // The request ends by itself; the limit here is for manual time, where it does not.
  const auto limit = timeout + std::chrono::seconds{1};
  if (meet->arrived.wait_for(lock, limit, [&] { return meet->outcome.has_value(); }))
    return std::move(*meet->outcome);
  return fail(ec::timeout, "no reply from '" + std::string{subject} + "' at " + server() +
                               " within " + std::to_string(timeout.count()) + " ms");
}

namespace {

/// The connection that the user holds. Objects that outlive it share the core.
class endpoint final : public connection {
 public:
  explicit endpoint(std::shared_ptr<core> shared) : core_(std::move(shared)) {}
  ~endpoint() override { core_->close(); }

  result<void> publish(std::string_view subject, std::string_view data,
                       const headers& with) override {
    return core_->publish(frame{std::string{subject}, {}, with, std::string{data}});
  }
  std::string request(std::string_view subject, std::string_view data, const headers& with,
                      std::chrono::milliseconds timeout, reply_handler done) override {
    return core_->request(frame{std::string{subject}, {}, with, std::string{data}}, timeout,
                          std::move(done));
  }
  void give_up(const std::string& request) override {
    core_->give_up(request, {ec::cancelled, "the request was given up"});
  }
  result<subscription> serve(std::string_view pattern, frame_handler handler) override {
    return core_->serve(pattern, std::move(handler));
  }
  result<void> respond(const frame& request, std::string_view data, const headers& with) override {
    if (request.reply.empty())
      return fail(ec::invalid_argument,
                  "the frame for " + core_->place(request.subject) + " expects no reply");
    if (core_->answers().is_limited()) core_->count_answer(caller_key(request, false), data.size());
    return core_->publish(frame{request.reply, {}, with, std::string{data}});
  }
  result<void> respond_error(const frame& request, const error& err) override {
    headers with;
    set_error(with, err);
    return respond(request, {}, with);
  }
  void limit_answers(const border::answer_rate& rate) override { core_->answers().limit(rate); }
  std::chrono::nanoseconds answers_wait(const std::string& caller) const override {
    return core_->answers_wait(caller);
  }
  stream open_stream(std::string_view subject, std::string_view data, const headers& with,
                     const stream_options& options, stream_events events) override {
    return core_->open_stream(frame{std::string{subject}, {}, with, std::string{data}}, options,
                              std::move(events));
  }
  result<std::shared_ptr<stream_writer>> accept_stream(const frame& request,
                                                       stream_writer_events events) override {
    return core_->accept_stream(request, std::move(events));
  }
  std::size_t max_payload() const override { return core_->below().max_payload(); }
  std::string server() const override { return core_->below().server(); }
  std::string server_id() const override { return core_->below().server_id(); }
  std::vector<refusal> refusals() override { return core_->below().refusals(); }
  link_status status() const override { return core_->below().status(); }
  void on_status(status_handler handler) override { core_->on_status(std::move(handler)); }
  result<void> flush(std::chrono::milliseconds timeout) override {
    return core_->below().flush(timeout);
  }
  void close() override { core_->close(); }
  void before_blocking() override { core_->below().before_blocking(); }

 private:
  std::shared_ptr<core> core_;
};

}  // namespace

result<std::shared_ptr<connection>> make_connection(std::unique_ptr<transport> below,
                                                    std::shared_ptr<timer_queue> timers) {
  auto shared = std::make_shared<core>(std::move(below), std::move(timers));
  if (auto ok = shared->start(); !ok) {
    shared->close();
    return fail(std::move(ok.error()));
  }
  return std::shared_ptr<connection>{std::make_shared<endpoint>(std::move(shared))};
}

}  // namespace argosy::bus
