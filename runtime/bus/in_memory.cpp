// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/in_memory.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/base/check.hpp"
#include "runtime/bus/guarded.hpp"
#include "runtime/bus/transport.hpp"

namespace argosy::bus {

namespace {

constexpr std::string_view server_name = "the bus in memory";

struct member {
  std::shared_ptr<guarded<transport_events>> events;
  bool frozen = false;
};

struct subscriber {
  std::uint64_t owner = 0;
  std::string pattern;
  std::function<void(delivery)> deliver;
  std::atomic<bool> active{true};
};

}  // namespace

/// The thread that finds the queue idle delivers what is in it. One that is about to block hands
/// this role on (step_aside), so that others can deliver what it waits for.
struct memory_broker::state {
  explicit state(const memory_broker_options& chosen)
      : options(chosen), timers(std::make_shared<timer_queue>(chosen.manual_time)) {}

  result<void> publish(std::uint64_t from, frame content);
  void drain();
  void step_aside();
  void set_online(bool now);
  void route(const frame& content, std::vector<std::shared_ptr<subscriber>>& to) const;
  bool dropped(const frame& content);

  const memory_broker_options options;
  const std::shared_ptr<timer_queue> timers;
  std::mutex mutex;
  std::deque<std::function<void()>> queue;
  bool draining = false;
  std::thread::id drainer;
  std::uint64_t role = 0;
  std::atomic<bool> online{true};
  std::uint64_t next_member = 0;
  std::map<std::uint64_t, member> members;
  std::map<const connection*, std::uint64_t> handed_out;
  std::vector<std::shared_ptr<subscriber>> subscribers;
  std::vector<std::string> denied;
  std::vector<std::pair<std::string, int>> drops;
};

void memory_broker::state::drain() {
  std::unique_lock lock{mutex};
  if (draining) return;
  draining = true;
  drainer = std::this_thread::get_id();
  const auto mine = ++role;
  while (role == mine && !queue.empty()) {
    auto job = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
  if (role == mine) draining = false;
}

void memory_broker::state::step_aside() {
  {
    const std::lock_guard lock{mutex};
    if (!draining || drainer != std::this_thread::get_id()) return;
    ++role;
    draining = false;
  }
  drain();
}

void memory_broker::state::route(const frame& content,
                                 std::vector<std::shared_ptr<subscriber>>& to) const {
  for (const auto& known : subscribers)
    if (matches(known->pattern, content.subject)) to.push_back(known);
}

bool memory_broker::state::dropped(const frame& content) {
  const auto found = std::ranges::find_if(
      drops, [&](const auto& drop) { return matches(drop.first, content.subject); });
  if (found == drops.end()) return false;
  if (--found->second == 0) drops.erase(found);
  return true;
}

result<void> memory_broker::state::publish(std::uint64_t from, frame content) {
  {
    const std::lock_guard lock{mutex};
    const auto sender = members.find(from);
    if (!online || sender == members.end())
      return fail(ec::unreachable, "cannot send '" + content.subject + "' at " +
                                       std::string{server_name} + ": it is offline");
    const auto refused = [&](const auto& pattern) { return matches(pattern, content.subject); };
    if (std::ranges::any_of(denied, refused)) {
      queue.emplace_back([events = sender->second.events, subject = content.subject] {
        events->run([&](const transport_events& to) { to.on_denied(subject); });
      });
    } else if (!sender->second.frozen && !dropped(content)) {
      std::vector<std::shared_ptr<subscriber>> to;
      delivery out{std::move(content), false};
      route(out.content, to);
      if (to.empty() && !out.content.reply.empty()) {
        out = {frame{out.content.reply, {}, {}, {}}, true};
        route(out.content, to);
      }
      std::erase_if(to, [this](const auto& receiver) {
        const auto owner = members.find(receiver->owner);
        return owner == members.end() || owner->second.frozen;
      });
      // A frame may be large, so that the last one is not given a copy.
      for (const auto& receiver : to)
        queue.emplace_back(
            [receiver, out = &receiver == &to.back() ? std::move(out) : out]() mutable {
              if (receiver->active) receiver->deliver(std::move(out));
            });
    }
  }
  drain();
  return {};
}

void memory_broker::state::set_online(bool now) {
  {
    const std::lock_guard lock{mutex};
    if (online == now) return;
    online = now;
    // Frames that were under way when the server died are lost.
    if (!now) queue.clear();
    for (const auto& [id, joined] : members) {
      queue.emplace_back([events = joined.events, now] {
        const auto status = now ? link_status::connected : link_status::disconnected;
        events->run([status](const transport_events& to) { to.on_status(status); });
      });
    }
  }
  drain();
}

namespace {

class memory_subscription final : public subscription::impl {
 public:
  memory_subscription(std::shared_ptr<memory_broker::state> broker,
                      std::shared_ptr<subscriber> entry)
      : broker_(std::move(broker)), entry_(std::move(entry)) {}
  ~memory_subscription() override {
    entry_->active = false;
    const std::lock_guard lock{broker_->mutex};
    std::erase(broker_->subscribers, entry_);
  }

 private:
  std::shared_ptr<memory_broker::state> broker_;
  std::shared_ptr<subscriber> entry_;
};

class memory_transport final : public transport {
 public:
  memory_transport(std::shared_ptr<memory_broker::state> broker, std::uint64_t id,
                   const std::string& inbox_prefix)
      : broker_(std::move(broker)), id_(id), inbox_(inbox_prefix + ".m" + std::to_string(id)) {}

  void start(transport_events events) override {
    events_ = std::make_shared<guarded<transport_events>>(std::move(events));
    const std::lock_guard lock{broker_->mutex};
    broker_->members[id_] = member{events_, false};
  }

  result<void> publish(frame content) override { return broker_->publish(id_, std::move(content)); }

  result<std::unique_ptr<subscription::impl>> subscribe(
      std::string_view pattern, std::function<void(delivery)> deliver) override {
    auto entry = std::make_shared<subscriber>();
    entry->owner = id_;
    entry->pattern = pattern;
    entry->deliver = std::move(deliver);
    const std::lock_guard lock{broker_->mutex};
    const auto refused = [&](const auto& denied) { return matches(denied, pattern); };
    if (std::ranges::any_of(broker_->denied, refused))
      return fail(ec::denied, "not permitted to serve '" + entry->pattern + "' at " + server());
    broker_->subscribers.push_back(entry);
    return std::unique_ptr<subscription::impl>{
        std::make_unique<memory_subscription>(broker_, std::move(entry))};
  }

  std::string inbox() const override { return inbox_; }
  std::size_t max_payload() const override { return broker_->options.max_payload; }
  std::string server() const override { return std::string{server_name}; }
  link_status status() const override {
    if (closed_) return link_status::closed;
    return broker_->online ? link_status::connected : link_status::disconnected;
  }
  result<void> flush(std::chrono::milliseconds) override {
    if (status() != link_status::connected)
      return fail(ec::unreachable, server() + " is " + std::string{to_string(status())});
    broker_->drain();
    return {};
  }
  void before_blocking() override { broker_->step_aside(); }
  void close() override {
    closed_ = true;
    {
      const std::lock_guard lock{broker_->mutex};
      broker_->members.erase(id_);
    }
    if (events_) events_->close();
  }

 private:
  const std::shared_ptr<memory_broker::state> broker_;
  const std::uint64_t id_;
  const std::string inbox_;
  std::shared_ptr<guarded<transport_events>> events_;
  std::atomic<bool> closed_{false};
};

}  // namespace

memory_broker::memory_broker(const memory_broker_options& options)
    : state_(std::make_shared<state>(options)) {}

memory_broker::~memory_broker() {
  set_online(false);
}

std::shared_ptr<connection> memory_broker::connect(const std::string& inbox_prefix) {
  std::uint64_t id = 0;
  {
    const std::lock_guard lock{state_->mutex};
    id = ++state_->next_member;
  }
  auto made =
      make_connection(std::make_unique<memory_transport>(state_, id, inbox_prefix), state_->timers);
  ARGOSY_CHECK(made.has_value());
  const std::lock_guard lock{state_->mutex};
  state_->handed_out.insert_or_assign(made->get(), id);
  return std::move(*made);
}

void memory_broker::advance(std::chrono::milliseconds step) {
  state_->timers->advance(step);
}

void memory_broker::set_online(bool online) {
  state_->set_online(online);
}

void memory_broker::deny(std::string pattern) {
  const std::lock_guard lock{state_->mutex};
  state_->denied.push_back(std::move(pattern));
}

void memory_broker::drop_next(std::string pattern, int frames) {
  const std::lock_guard lock{state_->mutex};
  if (frames > 0) state_->drops.emplace_back(std::move(pattern), frames);
}

void memory_broker::inject(const frame& content) {
  {
    const std::lock_guard lock{state_->mutex};
    std::vector<std::shared_ptr<subscriber>> to;
    state_->route(content, to);
    for (const auto& receiver : to)
      state_->queue.emplace_back([receiver, out = delivery{content, false}] {
        if (receiver->active) receiver->deliver(out);
      });
  }
  state_->drain();
}

void memory_broker::set_frozen(const connection& which, bool frozen) {
  const std::lock_guard lock{state_->mutex};
  const auto id = state_->handed_out.find(&which);
  ARGOSY_CHECK(id != state_->handed_out.end());
  if (const auto known = state_->members.find(id->second); known != state_->members.end())
    known->second.frozen = frozen;
}

}  // namespace argosy::bus
