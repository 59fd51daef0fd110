// SPDX-License-Identifier: Apache-2.0
#include "actors/api/services.hpp"

namespace argosy::actors {

void call::reply(const google::protobuf::MessageLite& message, const bus::headers& with) const {
  auto answer = std::make_shared<native::frame_answer>();
  answer->request = frame_;
  answer->failure.code = ec::none;
  answer->headers = with;
  message.SerializeToString(&answer->data);
  self_->send(bus_, atom::respond_v, native::answer_ptr{std::move(answer)});
}

void call::fail(error err) const {
  auto answer = std::make_shared<native::frame_answer>();
  answer->request = frame_;
  answer->failure = std::move(err);
  self_->send(bus_, atom::respond_v, native::answer_ptr{std::move(answer)});
}

services::services(gateway_self self_, gateway_config config_)
    : self(self_),
      config(std::move(config_)),
      random(config.seed),
      decoder(config.limits, codec::process_shapes(), ids),
      started_ns(to_nanos(config.clock->wall())) {}

}  // namespace argosy::actors
