// SPDX-License-Identifier: Apache-2.0
// The gRPC server: it hands each call to the bus, on which the API is served, and the answer back.
// It knows no message: calls are bytes under a name, and the list of methods says which are there
// and which answer with a stream. No thread waits for a call, so that a caller who is slow or has
// gone delays nobody.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/rpc/caller.hpp"
#include "runtime/rpc/method.hpp"

namespace argosy::rpc {

struct server_config {
  /// "HOST:PORT" or "[V6]:PORT"; port 0 takes any free one.
  std::string listen;
  /// The files (PEM) of the server's certificate and of its private key; both or none. Without them
  /// the connection is not encrypted.
  std::string certificate{};
  std::string key{};
  /// The bus on which the API is served.
  std::shared_ptr<bus::connection> api;
  method_map methods;
  /// What it needs must outlive the server.
  admit_function admit;
  /// Whether the server may be called by this name, with or without a port. It is called on any
  /// thread. Without it every name is right.
  std::function<bool(std::string_view)> is_named{};
  /// Answers one question of a client about services and messages, in the bytes of
  /// grpc.reflection.v1. It is called for everybody whom `admit` knows. Without it nobody is
  /// answered.
  std::function<std::string(std::string_view)> reflect{};
  /// The largest request of methods that have no limit of their own; what is larger is refused with
  /// RESOURCE_EXHAUSTED.
  std::size_t request_bytes_max = std::size_t{4} << 20;
  /// A call without a deadline, or with a later one, is answered within this time; no stream is.
  std::chrono::milliseconds answer_within{30'000};
  /// A caller who sends no request, or takes nothing of an answer, for so long is let go.
  std::chrono::milliseconds caller_within{60'000};
  /// The same when much waits for callers: who takes nothing at all for so long is let go then.
  std::chrono::milliseconds strained_within{5'000};
  /// How many calls a connection may have under way; more of them wait at the client.
  std::uint32_t streams_max = 2'500;
  /// How many items of a stream are under way before its caller has taken any. They wait in memory
  /// for each caller who is slower than what he watches, and 10,000 may be.
  std::uint32_t stream_credit = 8;
};

/// Serves from start() until it is destroyed, which ends the calls under way with UNAVAILABLE.
class server {
 public:
  /// Starts the server. Fails with ec::invalid_argument for a bad address or certificate, and with
  /// ec::already_exists if the address cannot be listened on.
  [[nodiscard]] static result<std::unique_ptr<server>> start(server_config config);

  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  /// "127.0.0.1:50051", with the port that was taken.
  [[nodiscard]] const std::string& address() const noexcept;
  [[nodiscard]] std::uint16_t port() const noexcept;
  /// "grpc://127.0.0.1:50051", or with "grpcs" if connections are encrypted.
  [[nodiscard]] std::string url() const;

 private:
  struct impl;
  explicit server(std::unique_ptr<impl> made);
  std::unique_ptr<impl> impl_;
};

}  // namespace argosy::rpc
