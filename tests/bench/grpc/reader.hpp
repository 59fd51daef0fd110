// SPDX-License-Identifier: Apache-2.0
// A stream of answers over gRPC that is read on threads of the library.
#pragma once

#include <grpcpp/generic/generic_stub.h>

#include <string>

#include "tests/bench/grpc/client.hpp"
#include "tests/support/rpc/bytes.hpp"

namespace argosy::bench {

/// Opens a stream when it is made, and reads it when read_on() is called. It must stay until
/// ended() was called; its functions are called one after the other.
class reader : public ::grpc::ClientBidiReactor<::grpc::ByteBuffer, ::grpc::ByteBuffer> {
 public:
  reader(const channel_ptr& on, const std::string& path, const std::string& request)
      : stub_(on), request_(testing::to_buffer(request)) {
    stub_.PrepareBidiStreamingCall(&context_, path, {}, this);
    StartWriteLast(&request_, {});
  }

  void start() { StartCall(); }
  void read_on() { StartRead(&item_); }
  void let_go() { context_.TryCancel(); }

 protected:
  virtual void took(const ::grpc::ByteBuffer& item) = 0;
  virtual void ended(const ::grpc::Status& how) = 0;

 private:
  void OnReadDone(bool ok) final {
    if (!ok) return;
    took(item_);
    StartRead(&item_);
  }
  void OnDone(const ::grpc::Status& how) final { ended(how); }

  ::grpc::GenericStub stub_;
  ::grpc::ClientContext context_;
  ::grpc::ByteBuffer request_;
  ::grpc::ByteBuffer item_;
};

}  // namespace argosy::bench
