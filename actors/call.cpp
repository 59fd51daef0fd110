// SPDX-License-Identifier: Apache-2.0
#include "actors/call.hpp"

#include <memory>

namespace argosy::actors {

void call::reply(std::string data, const bus::headers& with) const {
  ended("ok");
  auto answer = std::make_shared<native::frame_answer>();
  answer->request = frame_;
  answer->failure.code = ec::none;
  answer->headers = with;
  answer->data = std::move(data);
  self_->send(bus_, atom::respond_v, native::answer_ptr{std::move(answer)});
}

void call::reply(const google::protobuf::MessageLite& message, const bus::headers& with) const {
  reply(message.SerializeAsString(), with);
}

void call::fail(error err) const {
  ended(to_string(err.code));
  auto answer = std::make_shared<native::frame_answer>();
  answer->request = frame_;
  answer->failure = std::move(err);
  self_->send(bus_, atom::respond_v, native::answer_ptr{std::move(answer)});
}

}  // namespace argosy::actors
