// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/nats/subscription_list.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "runtime/access/identity.hpp"
#include "runtime/bus/nats/crowd_core.hpp"
#include "runtime/bus/nats/header_block.hpp"
#include "runtime/bus/nats/reply_places.hpp"

namespace argosy::bus {

namespace {

/// The length of a subscription's line is looked up, which takes a lock, once for so much.
constexpr crowd_core::amount each_look{32, 1u << 20};

/// The headers as they came, of which the library passes over what it cannot read. It keeps a
/// message in one piece: subject, reply subject, headers and data, each with a zero at its end.
/// That holds until the first question about headers, which splits them.
std::string_view headers_of(natsMsg* message) {
  const char* const before = natsMsg_GetReply(message) != nullptr ? natsMsg_GetReply(message)
                                                                  : natsMsg_GetSubject(message);
  const char* const begin = before + std::strlen(before) + 1;
  const char* const data = natsMsg_GetData(message);
  return data > begin ? std::string_view{begin, data - 1} : std::string_view{};
}

delivery to_delivery(natsMsg* message) {
  delivery read{};
  const auto block = headers_of(message);
  read.malformed = !block.empty() && !is_header_block(block);
  read.no_responders = !read.malformed && natsMsg_IsNoResponders(message);
  auto& out = read.content;
  out.subject = natsMsg_GetSubject(message);
  if (const char* reply = natsMsg_GetReply(message)) out.reply = reply;
  out.data.assign(natsMsg_GetData(message),
                  static_cast<std::size_t>(natsMsg_GetDataLength(message)));
  if (read.malformed) return read;
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

}  // namespace

/// A subscription of the library. It is destroyed only after the library says that its thread has
/// delivered the last message, or 3.4.1 may touch freed memory.
struct subscription_list::live_subscription {
  std::uint64_t id = 0;  ///< The same in the one that replaces it on another connection.
  std::string pattern;
  natsSubscription* handle = nullptr;  ///< Null while there is no connection to make it on.
  std::function<void(delivery)> deliver;
  std::atomic<bool> active{true};
  std::atomic<bool> complete{false};
  std::function<std::string_view(std::string_view subject)> sender_of;
  reply_places places;

  [[nodiscard]] bool takes(natsMsg* message) {
    if (!sender_of) return true;
    if (seen_.reaches(each_look)) {
      waiting_ = pending();
      seen_ = {};
    }
    const auto bytes =
        headers_of(message).size() + static_cast<std::size_t>(natsMsg_GetDataLength(message));
    ++seen_.frames;
    seen_.bytes += bytes;
    if (!waiting_.reaches(crowd_core::crowded_from)) return true;
    const auto sender = sender_of(natsMsg_GetSubject(message));
    return sender.empty() || crowd_.takes(sender, bytes, waiting_,
                                          std::chrono::steady_clock::now().time_since_epoch());
  }

 private:
  [[nodiscard]] crowd_core::amount pending() const {
    int frames = 0;
    int bytes = 0;
    if (natsSubscription_GetPending(handle, &frames, &bytes) != NATS_OK) return {};
    return {static_cast<std::size_t>(frames), static_cast<std::size_t>(bytes)};
  }

  /// These are used on the thread of the subscription alone.
  crowd_core crowd_;
  crowd_core::amount waiting_;  ///< What waited at the last look.
  crowd_core::amount seen_;     ///< What came since then.
};

subscription_list::subscription_list() = default;
subscription_list::~subscription_list() = default;

void subscription_list::on_message(natsConnection*, natsSubscription*, natsMsg* message,
                                   void* closure) {
  const std::unique_ptr<natsMsg, decltype(&natsMsg_Destroy)> owned{message, &natsMsg_Destroy};
  auto* const to = static_cast<live_subscription*>(closure);
  if (!to->active || !to->takes(message)) return;
  auto arrived = to_delivery(message);
  to->places.join(arrived.content);
  to->deliver(std::move(arrived));
}

result<std::uint64_t> subscription_list::add(const nats_session& session,
                                             const nats_settings& settings,
                                             std::string_view pattern,
                                             std::function<void(delivery)> deliver) {
  const std::lock_guard lock{mutex_};
  sweep();
  const auto id = ++last_id_;
  if (auto made = make(session, settings, id, std::string{pattern}, std::move(deliver)); !made)
    return fail(std::move(made.error()));
  return id;
}

void subscription_list::end(std::uint64_t id) {
  const right_of_way::pass first{way};
  const std::lock_guard lock{mutex_};
  for (const auto& known : all_)
    if (known->id == id) give_up(*known);
  sweep();
}

void subscription_list::renew(const nats_session& session, const nats_settings& settings) {
  renew_if(session, settings, [](std::string_view) { return true; });
}

bool subscription_list::renew(const nats_session& session, const nats_settings& settings,
                              std::string_view pattern) {
  const right_of_way::pass first{way};
  return renew_if(session, settings, [pattern](std::string_view one) { return one == pattern; });
}

bool subscription_list::renew_if(const nats_session& session, const nats_settings& settings,
                                 const std::function<bool(std::string_view)>& wanted) {
  const std::lock_guard lock{mutex_};
  bool any = false;
  const auto count = all_.size();
  for (std::size_t i = 0; i < count; ++i) {
    auto& old = *all_[i];
    if (!old.active || !wanted(old.pattern)) continue;
    any = true;
    give_up(old);
    // It can fail only if this connection is over as well, and then there will be another one.
    static_cast<void>(make(session, settings, old.id, old.pattern, old.deliver));
  }
  sweep();
  return any;
}

void subscription_list::clear() {
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

/// While there is no connection the subscription waits for renew().
result<void> subscription_list::make(const nats_session& session, const nats_settings& settings,
                                     std::uint64_t id, std::string pattern,
                                     std::function<void(delivery)> deliver) {
  auto made = std::make_unique<live_subscription>();
  made->id = id;
  made->pattern = std::move(pattern);
  made->deliver = std::move(deliver);
  made->sender_of = settings.sender_of;
  made->places = reply_places::of(settings);
  const auto* const subject = made->pattern.c_str();
  const auto code = made->places.in_group(subject)
                        ? natsConnection_QueueSubscribe(&made->handle, session.get(), subject,
                                                        std::string{access::inbox_group}.c_str(),
                                                        &on_message, made.get())
                        : natsConnection_Subscribe(&made->handle, session.get(), subject,
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

void subscription_list::give_up(live_subscription& which) {
  which.active = false;
  if (which.handle != nullptr) natsSubscription_Unsubscribe(which.handle);
}

/// Destroys the subscriptions that were ended and are complete.
void subscription_list::sweep() {
  std::erase_if(all_, [](const auto& known) {
    if (known->active || !known->complete) return false;
    natsSubscription_Destroy(known->handle);
    return true;
  });
}

}  // namespace argosy::bus
