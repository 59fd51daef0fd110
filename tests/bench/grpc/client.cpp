// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/grpc/client.hpp"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <iostream>
#include <thread>
#include <utility>

#include "messages/proto/api/event.pb.h"
#include "messages/proto/api/submit.pb.h"
#include "tests/support/rpc/bytes.hpp"

namespace argosy::bench {

std::vector<channel_ptr> connect(const std::string& address, std::size_t count, ahead taken) {
  ::grpc::ChannelArguments own;
  own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  if (taken == ahead::little) {
    own.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    own.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 64 << 10);
  }
  std::vector<channel_ptr> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(::grpc::CreateCustomChannel(address, ::grpc::InsecureChannelCredentials(), own));
  return out;
}

std::string submission(const std::string& queue, const std::string& job_set, std::size_t count) {
  api::JobSubmitRequest request;
  request.set_queue(queue);
  request.set_job_set_id(job_set);
  for (std::size_t i = 0; i < count; ++i) {
    auto& item = *request.add_job_request_items();
    item.set_namespace_("default");
    auto& pod = *item.mutable_pod_spec();
    pod.set_restartpolicy("Never");
    auto& container = *pod.add_containers();
    container.set_name("main");
    container.set_image("busybox:latest");
    container.add_command("/bin/true");
    container.add_args(std::to_string(i));
    auto& resources = *container.mutable_resources();
    for (auto* amounts : {resources.mutable_requests(), resources.mutable_limits()}) {
      (*amounts)["cpu"].set_string("4096");
      (*amounts)["memory"].set_string("64Mi");
    }
  }
  return request.SerializeAsString();
}

std::string watch_request(const std::string& queue, const std::string& job_set, bool follow) {
  api::JobSetRequest request;
  request.set_queue(queue);
  request.set_id(job_set);
  request.set_watch(follow);
  return request.SerializeAsString();
}

namespace {

/// Owns itself until the answer is there.
struct open_call {
  open_call(const channel_ptr& on, const std::string& bytes)
      : stub(on), request(testing::to_buffer(bytes)) {}

  ::grpc::GenericStub stub;
  ::grpc::ClientContext context;
  ::grpc::ByteBuffer request;
  ::grpc::ByteBuffer answer;
};

}  // namespace

void call(const channel_ptr& on, const std::string& path, const std::string& request,
          std::function<void(const ::grpc::Status&)> done) {
  auto made = std::make_shared<open_call>(on, request);
  auto& held = *made;
  held.stub.UnaryCall(
      &held.context, path, {}, &held.request, &held.answer,
      [made = std::move(made), done = std::move(done)](const ::grpc::Status& how) { done(how); });
}

std::string spread(std::vector<double> millis) {
  if (millis.empty()) return "none";
  std::sort(millis.begin(), millis.end());
  const auto at = [&](double part) {
    return millis[std::min(millis.size() - 1,
                           static_cast<std::size_t>(static_cast<double>(millis.size()) * part))];
  };
  char out[120];
  std::snprintf(out, sizeof out, "p50 %.1f, p99 %.1f, most %.1f ms", at(0.5), at(0.99),
                millis.back());
  return out;
}

struct end_of_input::state {
  std::atomic<bool> reached{false};
};

end_of_input::end_of_input() : state_(std::make_shared<state>()) {
  std::thread{[state = state_] {
    std::string line;
    while (std::getline(std::cin, line)) {
    }
    state->reached = true;
  }}.detach();
}

bool end_of_input::reached() const {
  return state_->reached;
}

}  // namespace argosy::bench
