// SPDX-License-Identifier: Apache-2.0
// The two gateways have this in common: a request that came over the bus, the way to answer it, and
// the tables of the methods that they serve. All of it is used on the gateway's thread only.
#pragma once

#include <google/protobuf/message_lite.h>

#include <caf/actor_clock.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "actors/caf_error.hpp"
#include "actors/interfaces/bus.hpp"
#include "actors/lineage_board.hpp"
#include "messages/codec/api/resume_fields.hpp"
#include "messages/native/reader.hpp"
#include "messages/probes/call_probe.hpp"
#include "runtime/access/action.hpp"
#include "runtime/base/ulid.hpp"
#include "runtime/border/shares.hpp"

namespace argosy::actors {

using gateway_self = gateway_actor::base*;

/// An answer that may have a further page.
template <class Message>
concept paged_message = requires(Message& message) {
  message.mutable_cursor();
};

class call;

/// Hears once how a call was answered: ec::none when that worked, with what was not done of it.
class call_listener {
 public:
  virtual ~call_listener() = default;
  virtual void answered(const call& which, const error& outcome) = 0;
};

/// One request and where its answer goes. Copies share the request; answer it once.
class call {
 public:
  /// `method` is the name under which the call is counted when it is answered. It and the probe
  /// must outlive the call.
  call(gateway_self self, bus_actor bus, native::frame_ptr frame, probes::call_probe& probe,
       std::string_view method, access::principal who = {},
       access::action what = access::action::unlisted,
       std::shared_ptr<call_listener> listener = nullptr)
      : self_(self),
        bus_(std::move(bus)),
        frame_(std::move(frame)),
        probe_(&probe),
        method_(method),
        who_(std::make_shared<const access::principal>(std::move(who))),
        what_(what),
        listener_(std::move(listener)) {
    probe.begun();
  }

  void reply(std::string data, const bus::headers& with = {}) const;
  void reply(const google::protobuf::MessageLite& message, const bus::headers& with = {}) const;
  /// Its cursor gets a mark of the history to which it belongs, see codec::marked_cursor(), and so
  /// do its numbers by its field `mark`.
  template <class Message>
  requires paged_message<std::remove_cvref_t<Message>> ||
      codec::marked_message<std::remove_cvref_t<Message>>
  void reply(Message&& message, const bus::headers& with = {}) const {
    if constexpr (paged_message<std::remove_cvref_t<Message>>)
      message.set_cursor(marked(message.cursor()));
    if constexpr (codec::marked_message<std::remove_cvref_t<Message>>) message.set_mark(mark());
    reply(static_cast<const google::protobuf::MessageLite&>(message), with);
  }
  void fail(const error& err) const;
  void fail(ec code, std::string detail) const { fail(error{code, std::move(detail)}); }
  /// Notes that the request was taken over as a stream, which ends it as a call.
  void streams() const { ended("stream"); }
  /// Answers with the error of another actor. If that has not answered in time, the caller is told
  /// where he can see how far a change of very many jobs is.
  void fail_with(const caf::error& err) const;

  [[nodiscard]] const bus::frame& frame() const noexcept { return *frame_; }
  /// Says who waits for the answer, and until when. A caller who does not say how long he waits is
  /// taken to wait for `unsaid`, since over NATS nobody would know that he has gone.
  [[nodiscard]] native::asker asker(std::chrono::milliseconds unsaid) const;
  /// A header of the request; empty if it has none.
  [[nodiscard]] std::string header(std::string_view name) const {
    return std::string{frame_->headers.get(name).value_or("")};
  }
  /// The name of the user who sent the request. Over NATS it is in the subject: a server with
  /// accounts has checked his key; one without takes his word. Who gives no name is called
  /// "anonymous".
  [[nodiscard]] std::string principal() const { return access::display_name(*who_); }
  [[nodiscard]] const std::shared_ptr<const access::principal>& who() const noexcept {
    return who_;
  }
  [[nodiscard]] std::string_view method() const noexcept { return method_; }
  /// What the request does.
  [[nodiscard]] access::action what() const noexcept { return what_; }
  /// The id of the operation that this call is if it changes very many jobs; nil for other calls.
  [[nodiscard]] const ulid& operation() const noexcept { return operation_; }
  /// Returns the same call, whose caller shares with all callers of this name, see
  /// bus::caller_key().
  [[nodiscard]] call shared_by(std::string name) const {
    auto out = *this;
    out.share_ = std::move(name);
    return out;
  }
  [[nodiscard]] const std::string& share() const noexcept { return share_; }
  /// Returns the same call, which gives tokens of this history.
  [[nodiscard]] call within(std::shared_ptr<const lineage_board> history) const {
    auto out = *this;
    out.history_ = std::move(history);
    return out;
  }
  /// Names the present history beside numbers with which the caller may go on later.
  [[nodiscard]] std::string mark() const;
  /// Returns the same call, which keeps this place until it is answered and its copies are gone.
  [[nodiscard]] call holding(border::shares::place place) const {
    auto out = *this;
    out.place_ = std::move(place);
    return out;
  }
  /// The same call under this id.
  [[nodiscard]] call as_operation(const ulid& id) const {
    auto out = *this;
    out.operation_ = id;
    return out;
  }

 private:
  void ended(std::string_view result) const {
    probe_->ended(method_, result, self_->clock().now() - began_);
  }

  [[nodiscard]] std::string marked(const std::string& cursor) const;

  gateway_self self_;
  bus_actor bus_;
  native::frame_ptr frame_;
  probes::call_probe* probe_;
  std::string_view method_;
  std::shared_ptr<const access::principal> who_;
  access::action what_;
  ulid operation_{};
  std::string share_;
  border::shares::place place_;
  std::shared_ptr<const lineage_board> history_;  ///< Null: it gives no tokens.
  std::shared_ptr<call_listener> listener_;       ///< Null: nobody listens.
  caf::actor_clock::time_point began_ = self_->clock().now();
};

/// What a gateway does with one kind of request. `Gateway` is the state of the gateway.
template <class Gateway>
using method_of = std::function<void(Gateway&, const call&)>;
/// The methods of a gateway by name.
template <class Gateway>
using method_table_of = std::map<std::string, method_of<Gateway>, std::less<>>;

/// The name as it stands in the table, or "unknown".
template <class Gateway>
std::string_view known_method(const method_table_of<Gateway>& methods, std::string_view name) {
  const auto found = methods.find(name);
  return found == methods.end() ? std::string_view{"unknown"} : std::string_view{found->first};
}

/// Hands the request to the method of that name, or answers it with ec::invalid_argument.
template <class Gateway>
void dispatch(const method_table_of<Gateway>& methods, std::string_view name, Gateway& gateway,
              const call& caller) {
  if (const auto found = methods.find(name); found != methods.end())
    found->second(gateway, caller);
  else
    caller.fail(ec::invalid_argument, "there is no method '" + std::string{name} + "'");
}

}  // namespace argosy::actors
