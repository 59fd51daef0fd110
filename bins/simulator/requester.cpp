// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/requester.hpp"

#include <memory>
#include <utility>

#include "messages/codec/wire.hpp"

namespace argosy::sim {

namespace {

using namespace std::chrono_literals;

constexpr auto request_limit = 10s;
constexpr auto retry_pause = 1s;

/// Whether the same request can have another answer later.
bool is_passing(ec code) {
  return code == ec::timeout || code == ec::unreachable || code == ec::unavailable ||
         code == ec::no_responders || code == ec::cancelled || code == ec::overloaded ||
         code == ec::fenced;
}

}  // namespace

void requester::ask(const std::string& method, const google::protobuf::MessageLite& request,
                    reply_taker done, refusal_taker refused) {
  ++open_;
  // Maps would stand in it in an order that differs from process to process.
  send(std::make_shared<const open_request>(
      open_request{method, codec::encode_sorted(request), std::move(done), std::move(refused)}));
}

void requester::send(const std::shared_ptr<const open_request>& what) {
  around_.asked();
  end_.connection().request("argosy.api." + what->method, what->data, {}, request_limit,
                            [this, what](result<bus::frame> reply) {
                              if (!reply) return fail(*what, reply.error());
                              --open_;
                              around_.trace.add(around_.time.now(), name_,
                                                what->method + " is done");
                              what->done(reply->data);
                            });
}

void requester::fail(const open_request& what, const error& why) {
  around_.trace.add(around_.time.now(), name_, what.method + ": " + why.detail);
  // A store that cannot be read for a while is no error of the program.
  if (is_passing(why.code) || around_.excuses(why.code)) {
    ++repeated_;
    around_.time.after(retry_pause,
                       [this, again = std::make_shared<const open_request>(what)] { send(again); });
    return;
  }
  --open_;
  if (why.code == ec::internal || why.code == ec::corrupt)
    around_.found(what.method + " was answered with " + to_string(why));
  refused_ += why.code != ec::already_exists;
  if (what.refused) what.refused(why);
}

}  // namespace argosy::sim
