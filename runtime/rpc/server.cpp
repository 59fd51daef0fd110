// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/server.hpp"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "runtime/bus/caller_headers.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/rpc/calls.hpp"
#include "runtime/rpc/metadata.hpp"
#include "runtime/rpc/status.hpp"
#include "runtime/rpc/transport_security.hpp"

namespace argosy::rpc {

namespace {

const logging::logger logger{"grpc"};

/// How long calls under way may take to end when the server stops.
constexpr std::chrono::milliseconds stop_within{1'000};

/// Old and new clients ask under two names, with the same messages.
bool is_reflection(std::string_view path) {
  return path == "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo" ||
         path == "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
}

class api_service final : public ::grpc::CallbackGenericService {
 public:
  /// `port` is where the server listens; it is known before the first call comes.
  api_service(const server_config& config, const int& port)
      : callers_(config.caller_within), room_{config, callers_}, port_(port) {}

  ::grpc::ServerGenericBidiReactor* CreateReactor(
      ::grpc::GenericCallbackServerContext* context) override {
    const auto begun = begin(*context);
    if (!begun.known) return begun.reactor;
    room_.config.admit(
        {context->peer(), metadata(*context, "authorization"), static_cast<std::uint16_t>(port_)},
        [known = begun.known, beside = read_metadata(*context),
         peer = context->peer()](admission who) {
          bus::set_way(who.who, "grpc", peer);
          for (const auto& [name, value] : beside) who.who.set(name, value);
          known(who);
        });
    return begun.reactor;
  }

 private:
  /// The call that waits for who calls; one that is refused at once waits for nothing.
  [[nodiscard]] waiting_call begin(::grpc::GenericCallbackServerContext& context) const {
    if (room_.config.reflect && is_reflection(context.method()))
      return make_reflection(room_, context);
    const auto found = room_.config.methods.find(context.method());
    if (found == room_.config.methods.end())
      return {refuse({::grpc::StatusCode::UNIMPLEMENTED,
                      "there is no method '" + context.method() + "'"}),
              {}};
    context.set_compression_level(GRPC_COMPRESS_LEVEL_LOW);
    return found->second.streams ? make_stream(room_, context, found->second)
                                 : make_unary(room_, context, found->second);
  }

  patience callers_;
  const call_room room_;
  const int& port_;
};

/// What clients of the existing API expect of a connection: they send pings every 10 s and without
/// a call, and stay for as long as they like.
void set_keepalive(::grpc::ServerBuilder& builder) {
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 120'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 300'000);
}

}  // namespace

struct server::impl {
  explicit impl(server_config wanted) : config(std::move(wanted)), service(config, port) {}

  const server_config config;
  int port = 0;
  api_service service;
  std::string address;
  std::unique_ptr<::grpc::Server> running;
};

server::server(std::unique_ptr<impl> made) : impl_(std::move(made)) {}

result<std::unique_ptr<server>> server::start(server_config config) {
  const auto colon = config.listen.rfind(':');
  if (colon == std::string::npos || colon == 0)
    return fail(ec::invalid_argument, "'" + config.listen + "' is not HOST:PORT");
  const auto host = config.listen.substr(0, colon);
  auto credentials = credentials_of(config);
  if (!credentials) return fail(std::move(credentials.error()));
  auto made = std::make_unique<impl>(std::move(config));
  ::grpc::EnableDefaultHealthCheckService(true);
  ::grpc::ServerBuilder builder;
  builder.AddListeningPort(made->config.listen, *credentials, &made->port);
  // Two processes on one port would each get a part of the calls.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // Messages are unpacked by read_request(), which has a limit; it knows gzip alone.
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS,
                             static_cast<int>(made->config.streams_max));
  auto bytes_max = made->config.request_bytes_max;
  for (const auto& [path, each] : made->config.methods)
    bytes_max = std::max(bytes_max, each.request_bytes_max);
  builder.SetMaxReceiveMessageSize(static_cast<int>(bytes_max));
  set_keepalive(builder);
  builder.RegisterCallbackGenericService(&made->service);
  made->running = builder.BuildAndStart();
  if (!made->running || made->port == 0)
    return fail(ec::already_exists, "cannot listen on " + made->config.listen +
                                        " for gRPC: the address is taken or not of this machine");
  made->address = host + ":" + std::to_string(made->port);
  logger.info("serving gRPC", logging::kv("address", made->address),
              logging::kv("encrypted", !made->config.certificate.empty()));
  return std::unique_ptr<server>{new server{std::move(made)}};
}

server::~server() {
  impl_->running->Shutdown(std::chrono::system_clock::now() + stop_within);
  impl_->running->Wait();
}

const std::string& server::address() const noexcept {
  return impl_->address;
}

std::string server::url() const {
  return (impl_->config.certificate.empty() ? "grpc://" : "grpcs://") + impl_->address;
}

std::uint16_t server::port() const noexcept {
  return static_cast<std::uint16_t>(impl_->port);
}

}  // namespace argosy::rpc
