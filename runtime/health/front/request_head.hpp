// SPDX-License-Identifier: Apache-2.0
// Reads the head of a request as strictly as HTTP/1.1 allows, before anything else sees it. What
// two servers could read differently is refused, since whoever stands in front may have read it in
// the other way, and the rest of one request would become the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace argosy::health {

struct head_bounds {
  std::size_t bytes_max = 32 << 10;  ///< All lines together may have so many.
  std::size_t line_max = 8'000;      ///< Each line may; the library takes no longer ones.
  std::size_t headers_max = 100;
};

struct request_head {
  enum class framing : std::uint8_t { none, sized, chunked };

  std::size_t bytes = 0;  ///< How long the head is, with the empty line at its end.
  /// The head as whoever serves the request reads it: without the headers that are looked at here
  /// alone.
  std::string text{};
  std::string method{};
  std::string target{};
  std::string host{};  ///< Empty if there is none, which HTTP/1.0 allows.
  framing body = framing::none;
  std::uint64_t length = 0;  ///< The body has so many bytes, if that is told.
  bool closes = false;       ///< The client wants the connection to end after the answer.
  bool waits = false;        ///< The client sends the body when he is told to go on.
};

/// Why a request is not served, as an HTTP status and a sentence.
struct head_refusal {
  int status = 400;
  std::string why{};
};

class head_reader {
 public:
  /// Nothing: the head is not whole yet.
  using outcome = std::variant<std::monostate, request_head, head_refusal>;

  explicit head_reader(head_bounds bounds) : bounds_(bounds) {}

  /// Looks at all that has arrived of a request, which begins as it did the last time. Each byte is
  /// looked at once until the head is whole.
  [[nodiscard]] outcome look(std::string_view arrived);
  /// Another request begins.
  void begin() { seen_ = line_ = lines_ = 0; }

 private:
  head_bounds bounds_;
  std::size_t seen_ = 0;   ///< So many bytes were looked at.
  std::size_t line_ = 0;   ///< Where the last line begins.
  std::size_t lines_ = 0;  ///< So many lines were ended.
};

}  // namespace argosy::health
