// SPDX-License-Identifier: Apache-2.0
// What becomes of the calls of one connection: it is asked who calls, the request goes to the bus,
// and answers come back. All functions run on the thread of the connection; what may take long is
// handed to the workers, and what comes from elsewhere is posted.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/border/address_block.hpp"
#include "runtime/bus/stream.hpp"
#include "runtime/rpc/given_request.hpp"
#include "runtime/rpc/guest_list.hpp"
#include "runtime/rpc/server.hpp"
#include "runtime/rpc/session/session_core.hpp"
#include "runtime/rpc/worker_pool.hpp"

namespace argosy::rpc {

class calls;

/// What all connections of a server share. It outlives them.
struct call_room {
  const server_config& config;
  std::shared_ptr<worker_pool> workers;
  guest_list& guests;
  std::uint16_t port = 0;
};

/// Sets `out` to the message, unpacked if it is packed. The status is that of unpack(), or
/// RESOURCE_EXHAUSTED if there is no room for what is unpacked, which counts as waiting as long as
/// `from` is there.
[[nodiscard]] status read_request(request& from, std::size_t size_max, std::string& out);

/// Whose connection it is.
struct call_origin {
  connection_id id = 0;
  std::string peer;  ///< As gRPC names it.
  border::address_block block;
};

/// Has a function run on the thread of the connection, if the connection is still there then. It
/// may be called on any thread, and outlive everything.
using post_function = std::function<void(std::function<void(calls&)>)>;

class calls final : public session_events {
 public:
  /// `later` takes tasks for the workers, on the thread of the connection.
  calls(const call_room& room, call_origin origin, post_function post,
        std::vector<worker_pool::task>& later);
  ~calls() override;

  /// The session, through which the caller is answered, must outlive this.
  void attach(session_core& session) { session_ = &session; }

  void opened(call_id id, call_head head) override;
  void message(call_id id, request what) override;
  void no_message(call_id id) override;
  void written(call_id id, std::uint32_t messages) override;
  void gone(call_id id) override;
  bool may_reset(boot_time now) override;

  /// Ends streams at once; calls that wait for their answer only if `all` says so.
  void end(bool all);
  [[nodiscard]] bool empty() const noexcept { return open_.empty(); }
  /// The caller has more connections than he may have.
  [[nodiscard]] bool too_many() const noexcept { return too_many_; }

 private:
  enum class kind : std::uint8_t { unary, stream, reflection, health, health_watch };
  struct open_call {
    kind what = kind::unary;
    const method* api = nullptr;  ///< Null for what is not of the API.
    bool takes_packed = false;
    std::chrono::milliseconds timeout{};
    bus::headers who{};
    std::shared_ptr<bus::stream> stream{};
    std::shared_ptr<given_request> asked{};  ///< Null: nothing is asked that could be given up.
    std::uint32_t owed = 0;  ///< How many items were written before there was a stream.
  };

  /// Has the workers do something, unless the connection has gone until then.
  void later(std::function<void()> what);
  /// Has them do it in any case.
  void clean_up(std::function<void()> what);
  void leave(open_call& left);
  void admit(call_id id, std::string authorization, bus::headers chosen);
  void known(call_id id, admission who);
  void ask(call_id id, open_call& of, request what);
  void open_stream(call_id id, const open_call& of, request what);
  void reflect(call_id id, request what);
  void tell_health(call_id id, kind what, const request& asked);
  void answered(call_id id, result<bus::frame> answer, std::optional<std::string> packed);
  void item(call_id id, std::string_view bytes);
  void keep(call_id id, const std::shared_ptr<bus::stream>& opened);
  void finish(call_id id, const status& how);
  void let_go(std::shared_ptr<bus::stream> stream);
  void write(call_id id, std::string_view bytes);
  void read(call_id id, const open_call& of);
  [[nodiscard]] std::size_t request_bytes_max(const open_call& of) const;

  const call_room& room_;
  const call_origin origin_;
  const post_function post_;
  std::vector<worker_pool::task>& later_;
  session_core* session_ = nullptr;
  std::string turn_;  ///< Whose turn the tasks of this connection take.
  const std::shared_ptr<const bool> there_ = std::make_shared<const bool>(true);
  token_bucket resets_;
  bool known_ = false;
  bool too_many_ = false;
  /// Requests and questions who calls that are not answered, also of calls that have gone.
  std::size_t under_way_ = 0;
  std::unordered_map<call_id, open_call> open_;
};

}  // namespace argosy::rpc
