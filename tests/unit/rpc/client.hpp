// SPDX-License-Identifier: Apache-2.0
// A client over gRPC that knows no messages, for tests of the server.
#pragma once

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/rpc/bytes.hpp"

namespace argosy::testing {

/// One call; answers are read when next() asks for them.
class rpc_call {
 public:
  using setting = std::function<void(::grpc::ClientContext&)>;

  rpc_call(const std::shared_ptr<::grpc::Channel>& channel, const std::string& path,
           const std::string& request, const setting& set = {})
      : stub_(channel) {
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds{20});
    if (set) set(context_);
    call_ = stub_.PrepareCall(&context_, path, &queue_);
    call_->StartCall(this);
    const auto buffer = testing::to_buffer(request);
    if (!done()) return;
    call_->WriteLast(buffer, {}, this);
    static_cast<void>(done());
  }
  ~rpc_call() {
    context_.TryCancel();
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }
  rpc_call(const rpc_call&) = delete;
  rpc_call& operator=(const rpc_call&) = delete;

  /// The next answer; nothing when there is none any more.
  std::optional<std::string> next() {
    ::grpc::ByteBuffer answer;
    call_->Read(&answer, this);
    return done() ? std::optional{testing::to_text(answer)} : std::nullopt;
  }
  std::vector<std::string> rest() {
    std::vector<std::string> out;
    while (auto item = next()) out.push_back(std::move(*item));
    return out;
  }
  ::grpc::Status status() {
    ::grpc::Status out;
    call_->Finish(&out, this);
    static_cast<void>(done());
    return out;
  }
  ::grpc::ClientContext& context() { return context_; }

 private:
  bool done() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }

  ::grpc::GenericStub stub_;
  ::grpc::ClientContext context_;
  ::grpc::CompletionQueue queue_;
  std::unique_ptr<::grpc::GenericClientAsyncReaderWriter> call_;
};

}  // namespace argosy::testing
