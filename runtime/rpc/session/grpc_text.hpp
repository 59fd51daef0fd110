// SPDX-License-Identifier: Apache-2.0
// The small texts of gRPC over HTTP/2: times, messages of a status, values of metadata, and the
// five bytes before each message.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace argosy::rpc {

/// How long a value may be that is told beside an answer. Clients take 8 KiB of metadata in all.
inline constexpr std::size_t metadata_value_max = 2'000;

/// Reads the header `grpc-timeout`, such as "10S" or "250m"; nothing if it is none. Longer times
/// than a year are a year.
[[nodiscard]] std::optional<std::chrono::milliseconds> read_timeout(std::string_view text);

/// The message of a status as a header can hold it: every byte that is not printable ASCII, and
/// '%', stands as "%C3".
[[nodiscard]] std::string escape_message(std::string_view message);

/// A value as metadata can hold it: what is not printable ASCII is escaped as the headers of the
/// bus escape, "%C3", and what is longer than metadata_value_max is cut off.
[[nodiscard]] std::string as_metadata(std::string_view value);

/// What stands before each message: whether it is packed, and its size.
struct message_head {
  static constexpr std::size_t size = 5;

  std::uint8_t flag = 0;  ///< 1: packed; others are not defined.
  std::uint32_t bytes = 0;
};

/// Reads the head from at least message_head::size bytes.
[[nodiscard]] message_head read_message_head(std::string_view from) noexcept;
/// The message with its head before it.
[[nodiscard]] std::string with_head(std::string_view message, bool packed);

}  // namespace argosy::rpc
