// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/nats/nats_bus.hpp"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/bus/nats/session.hpp"
#include "runtime/bus/transport.hpp"

namespace argosy::bus {

namespace {

using msg_ptr = std::unique_ptr<natsMsg, decltype(&natsMsg_Destroy)>;

/// How long serve() waits to hear whether the server permits it.
constexpr std::int64_t serve_wait_ms = 2'000;

delivery to_delivery(natsMsg* message) {
  delivery read{{}, natsMsg_IsNoResponders(message)};
  auto& out = read.content;
  out.subject = natsMsg_GetSubject(message);
  if (const char* reply = natsMsg_GetReply(message)) out.reply = reply;
  out.data.assign(natsMsg_GetData(message),
                  static_cast<std::size_t>(natsMsg_GetDataLength(message)));
  const char** names = nullptr;
  int count = 0;
  if (const auto code = natsMsgHeader_Keys(message, &names, &count); code != NATS_OK) {
    read.malformed = code != NATS_NOT_FOUND && !read.no_responders;
    return read;
  }
  for (int i = 0; i < count; ++i) {
    const char* value = nullptr;
    if (natsMsgHeader_Get(message, names[i], &value) == NATS_OK && value != nullptr)
      out.headers.set(names[i], std::string_view{value});
  }
  std::free(static_cast<void*>(names));
  return read;
}

/// The subject in a text like: Permissions Violation for Publish to "a.b".
std::string refused_subject(const std::string& text, std::string_view verb) {
  const auto start = text.find(verb);
  if (start == std::string::npos) return {};
  const auto open = text.find('"', start);
  const auto close = text.find('"', open + 1);
  if (open == std::string::npos || close == std::string::npos) return {};
  return text.substr(open + 1, close - open - 1);
}

/// A subscription of the library. It is destroyed only after the library says that its thread has
/// delivered the last message, or 3.4.1 may touch freed memory.
struct live_subscription {
  std::uint64_t id = 0;  ///< The same in the one that replaces it on another connection.
  std::string pattern;
  natsSubscription* handle = nullptr;  ///< Null while there is no connection to make it on.
  std::function<void(delivery)> deliver;
  std::atomic<bool> active{true};
  std::atomic<bool> complete{false};
};

void on_message(natsConnection*, natsSubscription*, natsMsg* message, void* closure) {
  const msg_ptr owned{message, &natsMsg_Destroy};
  auto* const to = static_cast<live_subscription*>(closure);
  if (to->active) to->deliver(to_delivery(message));
}

/// All subscriptions of a session, live ones and those that wait for their end.
class subscription_list {
 public:
  /// Returns the id of the new one.
  result<std::uint64_t> add(const nats_session& session, const nats_settings& settings,
                            std::string_view pattern, std::function<void(delivery)> deliver) {
    const std::lock_guard lock{mutex_};
    sweep();
    const auto id = ++last_id_;
    if (auto made = make(session, settings, id, std::string{pattern}, std::move(deliver)); !made)
      return fail(std::move(made.error()));
    return id;
  }

  /// Ends a subscription. It does nothing when the connection was closed meanwhile.
  void end(std::uint64_t id) {
    const std::lock_guard lock{mutex_};
    for (const auto& known : all_)
      if (known->id == id) give_up(*known);
    sweep();
  }

  /// Makes all live subscriptions anew on another connection of the session.
  void renew(const nats_session& session, const nats_settings& settings) {
    const std::lock_guard lock{mutex_};
    const auto count = all_.size();
    for (std::size_t i = 0; i < count; ++i) {
      auto& old = *all_[i];
      if (!old.active) continue;
      give_up(old);
      // It can fail only if this connection is over as well, and then there will be another one.
      static_cast<void>(make(session, settings, old.id, old.pattern, old.deliver));
    }
    sweep();
  }

  /// Called after the connection was closed, which ends the threads of all subscriptions. A
  /// subscription whose thread does not end in time is leaked rather than freed under a running
  /// thread.
  void clear() {
    for (std::int64_t waited_ms = 0; waited_ms < serve_wait_ms; ++waited_ms) {
      {
        const std::lock_guard lock{mutex_};
        for (const auto& known : all_) known->active = false;
        sweep();
        if (all_.empty()) return;
      }
      nats_Sleep(1);
    }
    const std::lock_guard lock{mutex_};
    for (auto& known : all_) static_cast<void>(known.release());
    all_.clear();
  }

 private:
  /// While there is no connection the subscription waits for renew().
  result<void> make(const nats_session& session, const nats_settings& settings, std::uint64_t id,
                    std::string pattern, std::function<void(delivery)> deliver) {
    auto made = std::make_unique<live_subscription>();
    made->id = id;
    made->pattern = std::move(pattern);
    made->deliver = std::move(deliver);
    const auto code = natsConnection_Subscribe(&made->handle, session.get(), made->pattern.c_str(),
                                               &on_message, made.get());
    if (code != NATS_OK) {
      made->handle = nullptr;
      made->complete = true;
      if (code != NATS_CONNECTION_CLOSED)
        return fail(session.explain(code, "cannot serve '" + made->pattern + "'"));
    } else {
      natsSubscription_SetPendingLimits(made->handle, settings.pending_frames,
                                        settings.pending_bytes);
      natsSubscription_SetOnCompleteCB(
          made->handle,
          [](void* closure) { static_cast<live_subscription*>(closure)->complete = true; },
          made.get());
    }
    all_.push_back(std::move(made));
    return {};
  }

  static void give_up(live_subscription& which) {
    which.active = false;
    if (which.handle != nullptr) natsSubscription_Unsubscribe(which.handle);
  }

  /// Destroys the subscriptions that were ended and are complete.
  void sweep() {
    std::erase_if(all_, [](const auto& known) {
      if (known->active || !known->complete) return false;
      natsSubscription_Destroy(known->handle);
      return true;
    });
  }

  std::mutex mutex_;
  std::uint64_t last_id_ = 0;
  std::vector<std::unique_ptr<live_subscription>> all_;
};

class nats_subscription final : public subscription::impl {
 public:
  nats_subscription(std::shared_ptr<nats_session> session, std::shared_ptr<subscription_list> list,
                    std::uint64_t id)
      : session_(std::move(session)), list_(std::move(list)), id_(id) {}
  ~nats_subscription() override { list_->end(id_); }

 private:
  std::shared_ptr<nats_session> session_;
  std::shared_ptr<subscription_list> list_;
  std::uint64_t id_;
};

class nats_transport final : public transport {
 public:
  /// `own` tells the inboxes of this connection from those of all others.
  nats_transport(std::unique_ptr<nats_session> session, nats_settings settings, std::string own)
      : session_(std::move(session)), settings_(std::move(settings)), own_(std::move(own)) {}
  ~nats_transport() override { nats_transport::close(); }

  void start(transport_events events) override {
    session_->set_events({.on_status = std::move(events.on_status),
                          .on_renewed = [this] { list_->renew(*session_, settings_); },
                          .on_error =
                              [denied = std::move(events.on_denied), tell = settings_.on_error](
                                  natsStatus code, const std::string& text) {
                                if (tell) tell(text);
                                const auto subject = refused_subject(text, "Publish to ");
                                if (code == NATS_NOT_PERMITTED && !subject.empty()) denied(subject);
                              }});
  }

  result<void> publish(const frame& content) override {
    const char* const reply = content.reply.empty() ? nullptr : content.reply.c_str();
    natsMsg* raw = nullptr;
    auto code = natsMsg_Create(&raw, content.subject.c_str(), reply, content.data.data(),
                               static_cast<int>(content.data.size()));
    const msg_ptr message{raw, &natsMsg_Destroy};
    for (const auto& [name, value] : content.headers)
      if (code == NATS_OK) code = natsMsgHeader_Set(raw, name.c_str(), value.c_str());
    if (code == NATS_OK) code = natsConnection_PublishMsg(session_->get(), raw);
    if (code == NATS_OK) return {};
    return fail(session_->explain(code, "cannot send '" + content.subject + "'"));
  }

  result<std::unique_ptr<subscription::impl>> subscribe(
      std::string_view pattern, std::function<void(delivery)> deliver) override {
    if (session_->status() == link_status::closed)
      return fail(session_->explain(NATS_CONNECTION_CLOSED, "cannot serve"));
    auto live = list_->add(*session_, settings_, pattern, std::move(deliver));
    if (!live) return fail(std::move(live.error()));
    auto made = std::make_unique<nats_subscription>(session_, list_, *live);
    // A refusal comes as an event, before the answer to this flush. Without a link there is no
    // answer, and the library subscribes when it has a link again.
    natsConnection_FlushTimeout(session_->get(), serve_wait_ms);
    const char* text = nullptr;
    if (natsConnection_GetLastError(session_->get(), &text) == NATS_NOT_PERMITTED &&
        text != nullptr && refused_subject(text, "Subscription to ") == pattern)
      return fail(ec::denied,
                  "not permitted to serve '" + std::string{pattern} + "' at " + server());
    return std::unique_ptr<subscription::impl>{std::move(made)};
  }

  std::string inbox() const override { return settings_.inbox_prefix + "." + own_; }
  std::string inbox_for(std::string_view subject) const override {
    const auto& asked = settings_.asked_prefix;
    if (asked.empty() || !subject.starts_with(asked)) return inbox();
    subject.remove_prefix(asked.size());
    return settings_.answer_prefix + std::string{subject.substr(0, subject.find('.'))} + "." + own_;
  }
  std::vector<std::string> inboxes() const override {
    std::vector<std::string> out{inbox() + ".*"};
    if (!settings_.asked_prefix.empty())
      out.push_back(settings_.answer_prefix + "*." + own_ + ".*");
    return out;
  }
  bool may_reply(std::string_view subject, std::string_view reply) const override {
    return !settings_.may_reply || settings_.may_reply(subject, reply);
  }
  std::size_t max_payload() const override {
    return static_cast<std::size_t>(natsConnection_GetMaxPayload(session_->get()));
  }
  std::string server() const override { return session_->server(); }
  std::string server_id() const override { return session_->server_id(); }
  link_status status() const override { return closed_ ? link_status::closed : session_->status(); }
  result<void> flush(std::chrono::milliseconds timeout) override {
    if (status() != link_status::connected)
      return fail(ec::unreachable, "there is no connection to " + server());
    const auto code = natsConnection_FlushTimeout(session_->get(), timeout.count());
    if (code == NATS_OK) return {};
    return fail(session_->explain(code, "cannot flush"));
  }
  void report(const std::string& text) override {
    if (settings_.on_error) settings_.on_error(text);
  }
  void close() override {
    if (closed_.exchange(true)) return;
    session_->close();
    list_->clear();
  }

 private:
  const std::shared_ptr<nats_session> session_;
  const nats_settings settings_;
  const std::string own_;
  const std::shared_ptr<subscription_list> list_ = std::make_shared<subscription_list>();
  std::atomic<bool> closed_{false};
};

}  // namespace

result<std::shared_ptr<connection>> connect_nats(const nats_settings& settings) {
  auto session = nats_session::open(settings);
  if (!session) return fail(std::move(session.error()));
  natsInbox* unique = nullptr;
  if (const auto code = natsInbox_Create(&unique); code != NATS_OK)
    return fail((*session)->explain(code, "cannot make a reply subject"));
  const std::string_view random{unique};
  std::string own{random.substr(random.rfind('.') + 1)};
  natsInbox_Destroy(unique);
  return make_connection(
      std::make_unique<nats_transport>(std::move(*session), settings, std::move(own)),
      std::make_shared<timer_queue>(false));
}

}  // namespace argosy::bus
