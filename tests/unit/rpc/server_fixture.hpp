// SPDX-License-Identifier: Apache-2.0
// A gRPC server on a free port before an API that a test writes on the bus in memory.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>

#include "runtime/bus/in_memory.hpp"
#include "runtime/rpc/server.hpp"
#include "tests/unit/rpc/client.hpp"

namespace argosy::rpc {

inline constexpr const char* call_path = "/api.Submit/SubmitJobs";
inline constexpr const char* watch_path = "/api.Event/Watch";

/// A value that another thread sets.
template <class T>
class arrival {
 public:
  void set(T value) {
    const std::scoped_lock lock{guard_};
    value_ = std::move(value);
    there_.notify_all();
  }
  void forget() {
    const std::scoped_lock lock{guard_};
    value_.reset();
  }
  std::optional<T> wait() {
    std::unique_lock lock{guard_};
    there_.wait_for(lock, std::chrono::seconds{20}, [&] { return value_.has_value(); });
    return value_;
  }

 private:
  std::mutex guard_;
  std::condition_variable there_;
  std::optional<T> value_;
};

/// Bytes that cannot be packed.
inline std::string noise(std::size_t size) {
  std::mt19937 random{7};
  std::string out(size, '\0');
  for (auto& byte : out) byte = static_cast<char>(random());
  return out;
}

class rpc_server : public ::testing::Test {
 protected:
  rpc_server() {
    config.listen = "127.0.0.1:0";
    config.api = broker.connect();
    config.methods = {{call_path, {"Submit.SubmitJobs", "argosy.api.Submit.SubmitJobs", false}},
                      {watch_path, {"Event.Watch", "argosy.api.Event.Watch", true}}};
    config.admit = [](const caller&, const std::function<void(admission)>& then) {
      then({admission::kind::admitted, "", {{std::string{bus::header::user}, "ann"}}});
    };
  }
  ~rpc_server() override {
    served.reset();
    channel.reset();
    running.reset();
    config.api->close();
    api->close();
  }

  void start() {
    auto started = server::start(config);
    ASSERT_TRUE(started) << started.error().detail;
    running = std::move(*started);
    channel = ::grpc::CreateChannel(running->address(), ::grpc::InsecureChannelCredentials());
  }
  void serve(const char* subject, bus::frame_handler handler) {
    served = api->serve(subject, std::move(handler)).value();
  }
  /// An API that answers each request with its own bytes.
  void echo() {
    serve("argosy.api.Submit.SubmitJobs", [this](const bus::frame& request) {
      ++requests;
      static_cast<void>(api->respond(request, request.data));
    });
  }
  /// An API that accepts streams, and hands the writer to the test.
  void accept_streams() {
    serve("argosy.api.Event.Watch", [this](const bus::frame& request) {
      bus::stream_writer_events events;
      events.on_cancel = [this](const error& why) { cancelled.set(why); };
      opened.set(api->accept_stream(request, std::move(events)).value());
    });
  }
  ::grpc::Status status_of(const std::string& path, const std::string& request = "x") {
    testing::rpc_call call{channel, path, request};
    static_cast<void>(call.rest());
    return call.status();
  }

  bus::memory_broker broker{{.manual_time = false}};
  std::shared_ptr<bus::connection> api = broker.connect();
  server_config config;
  std::unique_ptr<server> running;
  std::shared_ptr<::grpc::Channel> channel;
  bus::subscription served;
  std::atomic<int> requests{0};
  arrival<std::shared_ptr<bus::stream_writer>> opened;
  arrival<error> cancelled;
};

}  // namespace argosy::rpc
