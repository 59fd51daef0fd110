// SPDX-License-Identifier: Apache-2.0
// One request of HTTP with its answer, by a handle of libcurl. It belongs to the thread of the loop
// that runs it.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/kube/api.hpp"
#include "runtime/kube/credentials/credentials.hpp"
#include "runtime/kube/credentials/server_url.hpp"

namespace argosy::kube {

/// What holds for all requests to a server.
struct https_peer {
  server_url url;
  std::string tls_name;
  std::string proxy;
  bool verified = true;
  std::string agent;  ///< The header User-Agent.
  std::chrono::milliseconds connect_within{};
};

/// What an exchange is to do.
struct exchange_plan {
  request what{};
  /// The whole exchange has to end within this time; for one that streams, this is the time until
  /// the head of the answer.
  std::chrono::milliseconds within{};
  std::size_t answer_bytes_max = 0;
  /// Takes the pieces of the body of an answer with status 200 instead of collecting them; false
  /// ends the exchange. Empty for an exchange that collects.
  std::function<bool(std::string_view)> stream{};
  /// Is told of the head of such an answer.
  std::function<void()> opened{};
  /// A stream is cut when nothing came for so long.
  std::chrono::milliseconds silence_max{};
};

struct exchange_end {
  int status = 0;  ///< 0 if no head of an answer came.
  std::string body{};
  std::optional<std::chrono::milliseconds> retry_after{};
  std::optional<wall_time> date{};  ///< When the server gave the answer, by its clock.
  /// Why there is no answer, or why it did not end as it should.
  std::optional<error> why{};
  /// Whether the server took longer than it was given.
  bool too_slow = false;
  /// Whether `why` would be the same again.
  bool final = false;
  std::chrono::milliseconds lasted{0};  ///< The time since the head of the answer.
};

class exchange {
 public:
  /// `clock` must outlive it.
  exchange(const https_peer& peer, std::shared_ptr<const identity> as, exchange_plan plan,
           const clock_source& clock);
  ~exchange();
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;

  /// The handle to run; null if libcurl has no memory for one.
  [[nodiscard]] CURL* handle() const noexcept { return curl_; }

  /// When a stream becomes too silent, as of now.
  [[nodiscard]] std::optional<boot_time> silent_at() const noexcept;

  [[nodiscard]] boot_time began() const noexcept { return began_; }
  /// When the server said something last; boot_time::min() if it said nothing.
  [[nodiscard]] boot_time heard() const noexcept { return opened_ ? heard_ : boot_time::min(); }

  /// What came of it, after libcurl ended it with this code.
  [[nodiscard]] exchange_end finish(CURLcode code);
  /// What came of it when it was cut for its silence.
  [[nodiscard]] exchange_end finish_silent();

 private:
  static std::size_t on_head(const char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(const char* data, std::size_t size, std::size_t count, void* self);
  [[nodiscard]] bool take(std::string_view piece);
  void take_head_line(std::string_view line);
  void set_headers(const https_peer& peer);
  void set_connection(const https_peer& peer);
  void set_tls(const https_peer& peer);
  void set_request();
  [[nodiscard]] error why(CURLcode code) const;
  [[nodiscard]] exchange_end ended() const;

  CURL* curl_ = nullptr;
  curl_slist* headers_ = nullptr;
  curl_slist* connect_to_ = nullptr;
  std::string server_;
  std::shared_ptr<const identity> as_;
  exchange_plan plan_;
  const clock_source& clock_;
  std::string message_;  ///< What libcurl writes about an error.

  int status_ = 0;
  std::string body_;
  std::optional<std::chrono::milliseconds> retry_after_;
  std::optional<wall_time> date_;
  bool too_long_ = false;
  bool stopped_ = false;
  boot_time began_;
  std::optional<boot_time> opened_;
  boot_time heard_;
};

}  // namespace argosy::kube
