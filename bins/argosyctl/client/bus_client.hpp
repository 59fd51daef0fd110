// SPDX-License-Identifier: Apache-2.0
// The client over a connection to the bus. Each change (Submit.*) starts a trace; its spans are
// kept and reported to the server at the end.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "bins/argosyctl/client/call_watch.hpp"
#include "bins/argosyctl/client/client.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/bus/guarded.hpp"

namespace argosy::ctl {

struct bus_client_options {
  std::chrono::milliseconds timeout{30'000};  ///< How long a call may take, all attempts together.
  std::string verb;                           ///< The verb names the spans: "submit".
  /// Called once when a call has to be repeated and that will take a while.
  std::function<void()> on_waiting;
  std::string user{};      ///< The user who asks, if the server knows users.
  token_function token{};  ///< What each call shows; empty: they show nothing.
  bool tenant = false;     ///< Whether he is a tenant, who has subjects of his own.
};

class bus_client final : public client {
 public:
  bus_client(std::shared_ptr<bus::connection> connection, bus_client_options options);
  ~bus_client() override;

  result<reply> exchange(std::string_view method, std::string request, repeatable again,
                         const header_list& with) override {
    return exchange_unless({}, method, std::move(request), again, with);
  }
  /// Without `stop` nothing ends it early.
  result<reply> exchange_unless(const std::function<bool()>& stop, std::string_view method,
                                std::string request, repeatable again,
                                const header_list& with) override {
    return exchange_within(options_.timeout, stop, method, request, again, with);
  }
  result<reply> repeat(const std::function<bool()>& stop, std::string_view method,
                       std::string request, const header_list& with,
                       std::chrono::milliseconds spent) override {
    return exchange_within(options_.timeout - spent, stop, method, request, repeatable::yes, with);
  }
  void start_exchange(std::string_view method, std::string request, repeatable again,
                      const header_list& with, full_answer done) override;
  /// It follows from the server's limit alone, so that a submission is always divided in the same
  /// way: a request that is sent again must have the same content.
  std::size_t request_size_max() const override;
  result<std::unique_ptr<stream_reader>> open(std::string_view method,
                                              std::string request) override;
  std::string server() const override { return connection_->server(); }

  /// Sends the spans of the changes. Waits 200 ms at most and ignores failures.
  void report_spans();

 private:
  class span_list;
  result<reply> exchange_within(std::chrono::milliseconds limit, const std::function<bool()>& stop,
                                std::string_view method, const std::string& request,
                                repeatable again, const header_list& with);
  /// Returns how long one attempt may take of a call for which there is as much time as `left`.
  [[nodiscard]] std::chrono::milliseconds attempt_time(repeatable again,
                                                       std::chrono::milliseconds left) const {
    const auto third = std::max(options_.timeout / 3, std::chrono::milliseconds{1'000});
    const auto most = again == repeatable::yes ? std::min(left, third) : left;
    return std::max(std::chrono::milliseconds{1}, most);
  }
  /// Adds the token to the headers of a call, if there is one to show.
  result<void> show_token(bus::headers& to) const;
  [[nodiscard]] std::string subject_of(std::string_view method) const;
  /// The source is used as long as this client lives.
  [[nodiscard]] call_watch::identity_source who_serves();
  /// Says whether this call asks for specifications whole, which operators alone may.
  [[nodiscard]] bool asks_whole(std::string_view method) const;
  /// Asks again as everybody does, now and from now on.
  void ask_less(std::string_view method, const std::string& request, const bus::headers& headers,
                bus::reply_handler take);

  std::shared_ptr<bus::connection> connection_;
  bus_client_options options_;
  std::shared_ptr<bus::guarded<bus_client*>>
      self_;  ///< Callbacks, which may outlive the client, have it.
  std::shared_ptr<span_list> spans_;
  std::unique_ptr<call_watch> calls_;   ///< It uses the others.
  std::atomic<bool> not_whole_{false};  ///< The server has refused that once.
};

}  // namespace argosy::ctl
