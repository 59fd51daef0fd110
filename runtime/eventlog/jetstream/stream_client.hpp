// SPDX-License-Identifier: Apache-2.0
// A stream_client makes single exchanges with JetStream about one stream, and knows what their
// failures mean. It is internal to the log and thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/bus/nats/session.hpp"
#include "runtime/eventlog/generation_keeper.hpp"
#include "runtime/eventlog/jetstream/jetstream_log.hpp"
#include "runtime/eventlog/jetstream/js_failure.hpp"
#include "runtime/eventlog/jetstream/stream_limits.hpp"

namespace argosy::eventlog {

/// The server's answer to a record that was published.
struct published {
  model::log_position position{};
  bool duplicate = false;  ///< A record with its message id was there before; its bytes may differ.
};

using info_ptr = std::unique_ptr<jsStreamInfo, decltype(&jsStreamInfo_Destroy)>;

class stream_client {
 public:
  [[nodiscard]] static result<std::unique_ptr<stream_client>> open(
      const jetstream_settings& settings);
  ~stream_client();

  /// Turns to the stream of this generation. No other call may be under way.
  void choose(model::log_generation generation);
  [[nodiscard]] model::log_generation generation() const { return chosen_; }
  /// The generations of which there are streams, ascending.
  [[nodiscard]] result<std::vector<model::log_generation>> generations();
  /// The facts about all generations, ascending.
  [[nodiscard]] result<std::vector<generation_facts>> look_at_all();
  /// Sets limits under which the server erases all records of this generation.
  result<void> give_up(model::log_generation generation);
  /// Has the servers of a cluster choose another leader for the stream of this generation.
  result<void> choose_leader(model::log_generation generation);
  /// Creates the stream if it is absent, and checks its settings otherwise.
  result<void> ensure_stream();
  /// Gives the stream the limits of the settings, see limits_to_set(), and other generations no
  /// more room than they need.
  result<void> apply_limits();
  /// The facts about the stream without last_msg_id. Fails with ec::not_found when there is no such
  /// stream.
  [[nodiscard]] result<log_info> info();
  [[nodiscard]] result<record> get(model::log_position position);
  /// Publishes once, without retries.
  [[nodiscard]] tl::expected<published, js_failure> publish(
      model::log_position expected_last_position, const std::string& msg_id, std::string_view data,
      const bus::headers& with);
  /// Makes a consumer that begins at this record.
  [[nodiscard]] result<natsSubscription*> subscribe(model::log_position from_position);

  [[nodiscard]] error explain(const js_failure& failed, const std::string& what) const;
  [[nodiscard]] std::size_t max_record_bytes() const;
  [[nodiscard]] bool connected() const;
  [[nodiscard]] bool closed() const { return closed_; }
  [[nodiscard]] std::string place() const;
  void close();

 private:
  explicit stream_client(const jetstream_settings& settings) : settings_(settings) { choose({1}); }

  /// Has all calls go over the present connection of the session.
  result<void> use_connection();
  static std::string numbered(const std::string& prefix, model::log_generation generation);
  [[nodiscard]] std::optional<model::log_generation> generation_of(std::string_view stream) const;
  /// Lowers the limits of the generations that are not chosen, and returns what they are together.
  result<std::uint64_t> take_room();
  /// Lowers the limit of a stream that is not written any more, and returns the one that holds.
  std::uint64_t shrink(jsStreamConfig config, std::uint64_t bytes);
  js_failure create(std::uint64_t bytes_max);
  [[nodiscard]] result<void> check_settings(const jsStreamConfig& config) const;
  result<info_ptr> look();
  server_room room_of_server();
  js_failure failure_of(natsStatus status, jsErrCode code) const;

  const jetstream_settings settings_;
  model::log_generation chosen_{1};
  std::string stream_;
  std::string subject_;
  std::unique_ptr<bus::nats_session> session_;
  std::atomic<jsCtx*> js_{nullptr};
  std::vector<jsCtx*> replaced_;  ///< Those of connections that are over.
  std::atomic<bool> closed_{false};
  /// The limit of the stream in bytes, as it was last seen; 0 if there is none.
  std::atomic<std::uint64_t> bytes_max_{0};
};

/// Returns the limits that a stream has.
[[nodiscard]] stream_limits limits_of(const jsStreamConfig& config);

/// Returns the record in a message that js_GetMsg() or Fetch gave, without position and time.
[[nodiscard]] record to_record(natsMsg* message);

}  // namespace argosy::eventlog
