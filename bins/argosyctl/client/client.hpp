// SPDX-License-Identifier: Apache-2.0
// The server as the verbs see it: calls and streams of the API by the name of the method, such as
// "Query.ListJobs", with encoded messages. Tests put a scripted one in its place.
#pragma once

#include <google/protobuf/message_lite.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::ctl {

/// Whether a call may be sent again when it is unknown if it took effect. A call that the server
/// surely did not take (nobody served it, or it was refused as overload) is sent again in any case.
/// `slow` may be sent again as `yes` may, but an attempt has all the time that is left, since the
/// server may need it.
enum class repeatable : std::uint8_t { no, yes, slow };

/// Whether the server surely did not take a call that failed with this code.
[[nodiscard]] constexpr bool surely_refused(ec code) noexcept {
  return code == ec::no_responders || code == ec::unavailable || code == ec::overloaded;
}

/// Whether it is unknown if a call that failed with this code took effect.
[[nodiscard]] constexpr bool perhaps_taken(ec code) noexcept {
  return code == ec::unreachable || code == ec::timeout;
}

/// Whether the server may just be away, so that a later call can succeed.
[[nodiscard]] constexpr bool may_recover(ec code) noexcept {
  return surely_refused(code) || perhaps_taken(code);
}

/// Gives the token of an OpenID provider that a call shows. It is called on any thread.
using token_function = std::function<result<std::string>()>;

/// Names and values beside a request or its answer.
using header_list = std::vector<std::pair<std::string, std::string>>;

struct reply {
  std::string data;
  header_list headers{};

  /// The value of a header; empty when there is none of this name.
  [[nodiscard]] std::string header(std::string_view name) const {
    for (const auto& [known, value] : headers)
      if (known == name) return value;
    return {};
  }
};

/// A server stream, read by one thread.
class stream_reader {
 public:
  virtual ~stream_reader() = default;
  enum class event : std::uint8_t { item, quiet, finished };

  /// Waits at most this long for an item; `quiet` when none came. An error ends the stream.
  [[nodiscard]] virtual result<event> next(std::string& data,
                                           std::chrono::milliseconds patience) = 0;
};

class client {
 public:
  virtual ~client() = default;

  /// Waits for the answer, tries again where that is safe, and gives up after the time-out of all
  /// requests (--timeout).
  [[nodiscard]] virtual result<reply> exchange(std::string_view method, std::string request,
                                               repeatable again, const header_list& with) = 0;
  /// Does the same, but fails with ec::cancelled soon after `stop` is true, which may be asked
  /// often. What the server does is not stopped by that.
  [[nodiscard]] virtual result<reply> exchange_unless(const std::function<bool()>& stop,
                                                      std::string_view method, std::string request,
                                                      repeatable again, const header_list& with) {
    if (stop()) return fail(ec::cancelled, "interrupted");
    return exchange(method, std::move(request), again, with);
  }
  /// Goes on with a call that may be sent again after an attempt failed, which took `spent` of the
  /// time-out. Fails with ec::cancelled soon after `stop` is true.
  [[nodiscard]] virtual result<reply> repeat(const std::function<bool()>& stop,
                                             std::string_view method, std::string request,
                                             const header_list& with,
                                             std::chrono::milliseconds /*spent*/) {
    return exchange_unless(stop, method, std::move(request), repeatable::yes, with);
  }
  [[nodiscard]] result<std::string> call(std::string_view method, std::string request,
                                         repeatable again) {
    auto got = exchange(method, std::move(request), again, {});
    if (!got) return fail(std::move(got.error()));
    return std::move(got->data);
  }

  using full_answer = std::function<void(result<reply>)>;
  /// Makes one attempt without waiting, which has the time that an attempt of exchange() has.
  /// `done` is called exactly once, on any thread.
  virtual void start_exchange(std::string_view method, std::string request, repeatable again,
                              const header_list& with, full_answer done) = 0;
  using answer = std::function<void(result<std::string>)>;
  /// Does the same for a caller who does not want the headers.
  void start(std::string_view method, std::string request, answer done) {
    start_exchange(method, std::move(request), repeatable::no, {},
                   [done = std::move(done)](result<reply> got) {
                     if (got)
                       done(std::move(got->data));
                     else
                       done(fail(std::move(got.error())));
                   });
  }

  [[nodiscard]] virtual result<std::unique_ptr<stream_reader>> open(std::string_view method,
                                                                    std::string request) = 0;

  /// The number of bytes that a request may have.
  [[nodiscard]] virtual std::size_t request_size_max() const = 0;
  [[nodiscard]] virtual std::string server() const = 0;
};

/// Decodes an answer; ec::corrupt when the bytes are no such message.
[[nodiscard]] inline result<void> decode(std::string_view method, const std::string& data,
                                         google::protobuf::MessageLite& into) {
  if (into.ParseFromString(data)) return {};
  return fail(ec::corrupt, "the server's answer to " + std::string{method} +
                               " cannot be read; do the versions match? (argosyctl version)");
}

template <class Response>
[[nodiscard]] result<Response> decoded(std::string_view method, const std::string& data) {
  Response response;
  if (auto read = decode(method, data, response); !read) return fail(std::move(read.error()));
  return response;
}

/// Makes a query: `call<ListJobsResponse>(server, "Query.ListJobs", request)`.
template <class Response>
[[nodiscard]] result<Response> call(client& server, std::string_view method,
                                    const google::protobuf::MessageLite& request,
                                    repeatable again = repeatable::yes) {
  auto data = server.call(method, request.SerializeAsString(), again);
  if (!data) return fail(std::move(data.error()));
  return decoded<Response>(method, *data);
}

}  // namespace argosy::ctl
