// SPDX-License-Identifier: Apache-2.0
// One connection of a caller: HTTP/2 and gRPC between bytes and calls, without socket and clock. It
// holds whoever is not known yet to little, and everybody to a bound.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/base/token_bucket.hpp"
#include "runtime/bus/headers.hpp"
#include "runtime/rpc/session/byte_pool.hpp"
#include "runtime/rpc/status.hpp"

struct nghttp2_session;

namespace argosy::rpc {

/// The number of a call on its connection.
using call_id = std::int32_t;

/// What a call begins with.
struct call_head {
  std::string path{};
  std::string authority{};  ///< By which name the server was called.
  std::string authorization{};
  bus::headers chosen{};  ///< What the caller may choose, see bus::callers_choice.
  std::optional<std::chrono::milliseconds> timeout{};
  bool takes_packed = false;  ///< Answers may be packed with gzip.
};

/// The bytes of a message, as they came.
struct request {
  std::string bytes;
  bool packed = false;                 ///< With gzip.
  std::shared_ptr<const void> held{};  ///< Its bytes count as waiting as long as this is there.
  std::shared_ptr<byte_pool> pool{};   ///< Has room for what is unpacked; null: it is not counted.
};

/// The headers of a call, as HTTP/2 counts them.
inline constexpr std::size_t header_bytes_max = std::size_t{64} << 10;

/// What a connection takes that is open, and a call beside the bytes of its messages, about.
inline constexpr std::size_t connection_bytes = std::size_t{20} << 10;
inline constexpr std::size_t call_bytes = std::size_t{2} << 10;

struct session_limits {
  /// How many calls a connection may have under way.
  std::uint32_t streams_max = 2'500;
  /// A request or an item of an answer must be through within this time.
  std::chrono::milliseconds caller_within{60'000};
  /// When much waits for callers, something has to move within this time.
  std::chrono::milliseconds strained_within{5'000};
};

/// What a session tells of its calls. Nothing of a call is told after gone().
class session_events {
 public:
  virtual ~session_events() = default;
  virtual void opened(call_id call, call_head head) = 0;
  /// The message that read() asked for.
  virtual void message(call_id call, request what) = 0;
  /// There is no further message.
  virtual void no_message(call_id call) = 0;
  /// So many messages were written.
  virtual void written(call_id call, std::uint32_t messages) = 0;
  /// The call is over before finish() was called.
  virtual void gone(call_id call) = 0;
  /// A call was reset soon after it was opened. False: that happens too often.
  virtual bool may_reset(boot_time now) = 0;
};

class session_core {
 public:
  /// `events` must outlive the session.
  session_core(const session_limits& limits, session_events& events, boot_time now);
  ~session_core();
  session_core(const session_core&) = delete;
  session_core& operator=(const session_core&) = delete;

  /// Takes bytes of the caller. False: the connection has to be closed when produce() has no more.
  [[nodiscard]] bool receive(std::string_view bytes, boot_time now);
  /// Appends what is to be sent, until `out` has about `at_most` bytes.
  void produce(std::string& out, std::size_t at_most, boot_time now);
  /// Looks for callers who have kept us waiting; to be called a few times within the shortest
  /// limit. False: as of receive().
  [[nodiscard]] bool tick(boot_time now);

  /// What follows happens at this time.
  void at(boot_time now) noexcept { now_ = now; }
  /// The caller is known: he gets all that the limits allow, and what the connection takes is taken
  /// from `held`. False: there is not so much, and he stays a stranger.
  [[nodiscard]] bool let_in(std::shared_ptr<byte_pool> held);
  /// How long a caller may take nothing at all.
  [[nodiscard]] std::chrono::milliseconds patience() const noexcept;
  /// Whether the connection has to be closed when all is sent.
  [[nodiscard]] bool over() const noexcept { return ended_; }
  [[nodiscard]] bool known() const noexcept { return pool_ != nullptr; }
  /// Whether so much waits that nothing should be received meanwhile.
  [[nodiscard]] bool wants_rest() const noexcept;
  /// Asks for the next message of the call, of at most so many bytes. With `last` there will be no
  /// other one, and what comes after it is dropped.
  void read(call_id call, std::size_t bytes_max, bool last);
  /// Metadata beside the answer, before its first message.
  void set_metadata(call_id call, std::vector<std::pair<std::string, std::string>> metadata);
  /// The call stays open for long, and others bound how many such calls there are: from now on only
  /// what waits of it is taken from the pool.
  void count_apart(call_id call);
  /// Appends a message to the answer. False: too much waits already, and the call has ended, which
  /// gone() does not tell.
  bool write(call_id call, std::string_view message, bool packed);
  /// Ends the call after what was written. Nothing is told of it any more.
  void finish(call_id call, const status& how);
  /// Tells the caller to open no further calls.
  void shut_down();

  [[nodiscard]] std::size_t calls() const noexcept { return calls_.size(); }
  /// Why the caller was sent away; empty if he was not.
  [[nodiscard]] const char* fault() const noexcept { return fault_; }

 private:
  struct call;
  struct callbacks;
  friend struct callbacks;

  [[nodiscard]] call* find(call_id id) const;
  void begin_call(call_id id);
  int add_header(call& to, std::string_view name, std::string_view value);
  void head_is_complete(call& of);
  void add_data(call& to, std::string_view bytes);
  void half_close(call& of);
  void close(call& of);
  void take_message(call& of);
  void give_back(call& of);
  void respond(call& to, bool with_body);
  void reset(call& what, std::uint32_t code);
  void drop_output(call& of);
  void wrote_first(call& of);
  /// Ends the call by itself, and tells it.
  void end(call& what, const status& how);
  /// Answers who does not speak gRPC.
  void refuse_http(call& what, const char* status);
  /// Takes from the pool, or gives back, so that it has what waits of the call now. False: there is
  /// not so much.
  [[nodiscard]] bool hold(call& what);
  /// Sends the caller away. Returns what ends the library's reading.
  int calm(const char* why);
  int count_frame(std::uint8_t type, std::uint8_t flags, std::size_t length);
  void look_at(call& what);

  const session_limits limits_;
  session_events& events_;
  std::shared_ptr<byte_pool> pool_;  ///< Null until the caller is known.
  nghttp2_session* session_ = nullptr;
  boot_time now_;
  boot_time begun_;
  boot_time heard_;       ///< When bytes came last.
  boot_time used_;        ///< When there was a call last.
  boot_time pinged_{};    ///< When a ping was sent that is not answered; zero: there is none.
  bool greeted_ = false;  ///< The caller's settings have come.
  bool ended_ = false;    ///< The connection is to be closed.
  const char* fault_ = "";
  std::size_t held_ = 0;   ///< Bytes of its calls, in and out.
  std::size_t heads_ = 0;  ///< Bytes of headers, before the caller is known.
  token_bucket pings_;
  token_bucket settings_;
  token_bucket idle_frames_;
  token_bucket refusals_;
  std::unordered_map<call_id, std::unique_ptr<call>> calls_;
  std::vector<call_id> opened_;   ///< Not told yet.
  std::vector<call_id> written_;  ///< Calls of which messages were written, not told yet.
};

}  // namespace argosy::rpc
