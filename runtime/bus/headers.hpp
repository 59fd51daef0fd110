// SPDX-License-Identifier: Apache-2.0
// This file declares the headers of a frame, a short list of names and values, and the names that
// the product uses.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::bus {

/// Header names. Names compare without regard to case.
namespace header {
inline constexpr std::string_view traceparent = "traceparent";  ///< W3C trace context.
inline constexpr std::string_view epoch = "argosy-epoch";    ///< The epoch of the leader, decimal.
inline constexpr std::string_view status = "argosy-status";  ///< Error code name, see ec.
inline constexpr std::string_view detail = "argosy-error";   ///< Error detail, escaped.
inline constexpr std::string_view stream = "argosy-stream";  ///< Kind of a stream frame.
/// Chosen by the side that opens the stream.
inline constexpr std::string_view stream_id = "argosy-stream-id";
/// The number of items granted since the stream began.
inline constexpr std::string_view credit = "argosy-credit";
inline constexpr std::string_view sequence = "argosy-seq";         ///< Item number, from 1.
inline constexpr std::string_view keepalive = "argosy-keepalive";  ///< Milliseconds.
/// For how long whoever asks waits for the answer, in milliseconds.
inline constexpr std::string_view timeout = "argosy-timeout";
/// The number of a request, chosen by whoever asks, by which he can give it up.
inline constexpr std::string_view request = "argosy-request";
/// Who sent a request that came over a transport of this process, which has checked it.
inline constexpr std::string_view user = "argosy-user";
inline constexpr std::string_view groups = "argosy-groups";  ///< His groups, one a line, escaped.
/// The bits of his permissions that hold for every queue, decimal.
inline constexpr std::string_view permissions = "argosy-permissions";
inline constexpr std::string_view scheme = "argosy-scheme";  ///< How he showed who he is.
inline constexpr std::string_view scopes = "argosy-scopes";  ///< Those of his token, as groups.
inline constexpr std::string_view via = "argosy-via";        ///< The transport: "grpc" or "rest".
inline constexpr std::string_view peer = "argosy-peer";      ///< The other end's address, escaped.
// Headers of the API, see messages/proto/README.md.
inline constexpr std::string_view mode = "argosy-mode";      ///< How a request is meant.
inline constexpr std::string_view expect = "argosy-expect";  ///< The version that is replaced.
/// The version of what an answer shows.
inline constexpr std::string_view version = "argosy-version";
/// The name of a request, which a repetition has as well.
inline constexpr std::string_view key = "argosy-idempotency-key";
inline constexpr std::string_view owners = "argosy-owners";    ///< How owners are shown.
inline constexpr std::string_view from = "argosy-from";        ///< Where a stream begins.
inline constexpr std::string_view partial = "argosy-partial";  ///< What was not done, escaped.
inline constexpr std::string_view jobs = "argosy-jobs";        ///< A number of jobs, decimal.
inline constexpr std::string_view note = "argosy-note";  ///< What the caller should know, escaped.
/// The id of the operation that a change of very many jobs is.
inline constexpr std::string_view operation = "argosy-operation";
}  // namespace header

/// Names are visible ASCII without ':'; values have no control character. publish() refuses others.
class headers {
 public:
  using item = std::pair<std::string, std::string>;

  headers() = default;
  headers(std::initializer_list<item> items) : items_(items) {}

  /// Replaces the value of an existing name.
  void set(std::string_view name, std::string_view value);
  void set(std::string_view name, std::uint64_t value);
  [[nodiscard]] std::optional<std::string_view> get(std::string_view name) const;
  /// The value as a decimal number; nothing if absent or not a number.
  [[nodiscard]] std::optional<std::uint64_t> get_number(std::string_view name) const;
  void erase(std::string_view name);

  [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
  [[nodiscard]] auto begin() const noexcept { return items_.begin(); }
  [[nodiscard]] auto end() const noexcept { return items_.end(); }

  friend bool operator==(const headers&, const headers&) = default;

 private:
  std::vector<item> items_;
};

/// Fails with ec::invalid_argument, naming the first header that cannot stand in a frame.
[[nodiscard]] result<void> validate(const headers& value);

/// Fails with ec::invalid_argument if the header is there and no number, which counts milliseconds.
[[nodiscard]] result<void> check_milliseconds(const headers& value, std::string_view name);

/// The bytes that the headers take in a frame, which count towards the largest payload.
[[nodiscard]] std::size_t encoded_size(const headers& value) noexcept;

/// Sets a header to a text of any content, escaped and cut at 16 KiB; get_text() reads it.
void set_text(headers& target, std::string_view name, std::string_view text);
/// Reads the text that set_text() wrote; nothing if there is no such header.
[[nodiscard]] std::optional<std::string> get_text(const headers& source, std::string_view name);

/// Writes an error into the headers, as set_text() does.
void set_error(headers& target, const error& err);

/// The error that set_error() wrote; nothing if the headers carry none.
[[nodiscard]] std::optional<error> get_error(const headers& source);

}  // namespace argosy::bus
