// SPDX-License-Identifier: Apache-2.0
#include "actors/call.hpp"

#include <algorithm>
#include <memory>

#include "messages/codec/api/resume_token.hpp"
#include "runtime/base/check.hpp"

namespace argosy::actors {

namespace {

constexpr std::chrono::milliseconds wait_max{std::chrono::hours{1}};

}  // namespace

native::asker call::asker(std::chrono::milliseconds unsaid) const {
  auto wait = unsaid;
  if (const auto said = frame_->headers.get_number(bus::header::timeout))
    wait = std::chrono::milliseconds{std::min<std::uint64_t>(*said, wait_max.count())};
  return {share_, began_ + wait, frame_->given_up};
}

void call::reply(std::string data, const bus::headers& with) const {
  ended("ok");
  auto answer = std::make_shared<native::frame_answer>();
  answer->request = frame_;
  answer->failure.code = ec::none;
  answer->headers = with;
  answer->data = std::move(data);
  self_->send(bus_, atom::respond_v, native::answer_ptr{std::move(answer)});
  if (listener_)
    listener_->answered(*this, {ec::none, bus::get_text(with, bus::header::partial).value_or("")});
}

std::string call::marked(const std::string& cursor) const {
  ARGOSY_CHECK(history_ || cursor.empty());
  return cursor.empty() ? cursor : codec::marked_cursor(cursor, method_, history_->now());
}

std::string call::mark() const {
  return history_ ? codec::to_text(history_->now()) : std::string{};
}

void call::reply(const google::protobuf::MessageLite& message, const bus::headers& with) const {
  reply(message.SerializeAsString(), with);
}

void call::fail_with(const caf::error& err) const {
  auto why = from_caf(err);
  if (why.code == ec::timeout && !operation_.is_nil())
    why.detail +=
        "; if it changes very many jobs, it goes on as operation " + to_string(operation_);
  fail(why);
}

void call::fail(const error& err) const {
  ended(to_string(err.code));
  auto answer = std::make_shared<native::frame_answer>();
  answer->request = frame_;
  answer->failure = err;
  self_->send(bus_, atom::respond_v, native::answer_ptr{std::move(answer)});
  if (listener_) listener_->answered(*this, err);
}

}  // namespace argosy::actors
