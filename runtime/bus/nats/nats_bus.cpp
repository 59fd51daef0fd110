// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/nats/nats_bus.hpp"
#include "runtime/bus/nats/reply_places.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/bus/core.hpp"
#include "runtime/bus/nats/refusal_book.hpp"
#include "runtime/bus/nats/session.hpp"
#include "runtime/bus/nats/subscription_list.hpp"
#include "runtime/bus/transport.hpp"

namespace argosy::bus {

namespace {

using msg_ptr = std::unique_ptr<natsMsg, decltype(&natsMsg_Destroy)>;

/// The subject in a text like: Permissions Violation for Publish to "a.b".
std::string refused_subject(const std::string& text, std::string_view verb) {
  const auto start = text.find(verb);
  if (start == std::string::npos) return {};
  const auto open = text.find('"', start);
  const auto close = text.find('"', open + 1);
  if (open == std::string::npos || close == std::string::npos) return {};
  return text.substr(open + 1, close - open - 1);
}

/// What a connection of before had may be refused to the one that replaces it, where no call can
/// return it.
std::string with_remedy(const std::string& text) {
  if (refused_subject(text, "Subscription to ").empty()) return text;
  return text +
         ": this program hears nothing there; its key has no right to it, or the rights of an "
         "older version, which `argosyd init DIR --rewrite` mends";
}

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
                              [this, denied = std::move(events.on_denied)](
                                  natsStatus code, const std::string& text) {
                                const bool refused = code == NATS_NOT_PERMITTED;
                                const auto pattern = refused_subject(text, "Subscription to ");
                                // It is tried again, and refused again, every few seconds.
                                const bool told =
                                    refused && !pattern.empty() && !note(pattern, true);
                                if (settings_.on_error && !told)
                                  settings_.on_error(with_remedy(text));
                                const auto subject = refused_subject(text, "Publish to ");
                                if (!refused || subject.empty()) return;
                                note(subject, false);
                                denied(subject);
                              }});
  }

  result<void> publish(frame content) override {
    if (content.headers.get(header::stream) == stream_kind::item) {
      list_->way.give_way();
      return send(content);
    }
    const right_of_way::pass first{list_->way};
    return send(content);
  }

  result<std::unique_ptr<subscription::impl>> subscribe(
      std::string_view pattern, std::function<void(delivery)> deliver) override {
    if (session_->status() == link_status::closed)
      return fail(session_->explain(NATS_CONNECTION_CLOSED, "cannot serve"));
    auto live = [&] {
      const right_of_way::pass first{list_->way};
      return list_->add(*session_, settings_, pattern, std::move(deliver));
    }();
    if (!live) return fail(std::move(live.error()));
    auto made = std::make_unique<nats_subscription>(session_, list_, *live);
    const right_of_way::pass first{list_->way};
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
    if (places_.are_two()) out.push_back(places_.unserved(out.front()));
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
  std::vector<refusal> refusals() override {
    const auto again = [this] {
      const std::lock_guard lock{mutex_};
      return refused_.due(std::chrono::steady_clock::now());
    }();
    std::vector<std::string> unwanted;
    for (const auto& pattern : again)
      if (!list_->renew(*session_, settings_, pattern)) unwanted.push_back(pattern);
    const std::lock_guard lock{mutex_};
    for (const auto& pattern : unwanted) refused_.forget(pattern);
    return refused_.all();
  }
  link_status status() const override { return closed_ ? link_status::closed : session_->status(); }
  result<void> flush(std::chrono::milliseconds timeout) override {
    if (status() != link_status::connected)
      return fail(ec::unreachable, "there is no connection to " + server());
    const right_of_way::pass first{list_->way};
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
  /// Returns whether the refusal was not known.
  bool note(std::string_view subject, bool hears) {
    const std::lock_guard lock{mutex_};
    return refused_.note(subject, hears, std::chrono::steady_clock::now());
  }

  result<void> send(const frame& content) {
    const bool parted = places_.in_group(content.reply);
    const auto place = parted ? places_.unserved(content.reply) : content.reply;
    const char* const reply = place.empty() ? nullptr : place.c_str();
    natsMsg* raw = nullptr;
    auto code = natsMsg_Create(&raw, content.subject.c_str(), reply, content.data.data(),
                               static_cast<int>(content.data.size()));
    const msg_ptr message{raw, &natsMsg_Destroy};
    for (const auto& [name, value] : content.headers)
      if (code == NATS_OK) code = natsMsgHeader_Set(raw, name.c_str(), value.c_str());
    if (code == NATS_OK && parted)
      code = natsMsgHeader_Set(raw, reply_places::answer_to, content.reply.c_str());
    if (code == NATS_OK) code = natsConnection_PublishMsg(session_->get(), raw);
    if (code == NATS_OK) return {};
    return fail(session_->explain(code, "cannot send '" + content.subject + "'"));
  }

  const std::shared_ptr<nats_session> session_;
  const nats_settings settings_;
  const std::string own_;
  const reply_places places_ = reply_places::of(settings_);
  const std::shared_ptr<subscription_list> list_ = std::make_shared<subscription_list>();
  std::atomic<bool> closed_{false};
  std::mutex mutex_;
  refusal_book refused_;  ///< Guarded by mutex_.
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
