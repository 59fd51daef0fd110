// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/network.hpp"

#include <algorithm>
#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/bus/guarded.hpp"

namespace argosy::sim {

namespace {

using namespace std::chrono_literals;

/// What the way to the server takes, and that from it.
constexpr auto delay_min = 25us;
constexpr auto delay_mean = 100us;
/// How much later a request comes again.
constexpr auto soon_again = 50ms;
constexpr auto late_again = 20s;

/// Whether what the machine sends leaves it.
bool sends(link_state state) {
  return state == link_state::up || state == link_state::deaf;
}

bool hears(link_state state) {
  return state == link_state::up || state == link_state::mute;
}

}  // namespace

struct network::link {
  std::uint64_t id = 0;
  owner machine;
  std::shared_ptr<bus::guarded<bus::transport_events>> events{};
  link_state state = link_state::up;
  link_faults faults{};
  bool closed = false;
  virtual_time::duration last_sent{};
  virtual_time::duration last_arrival{};

  void reach(crash_point point) const {
    if (machine.reached) machine.reached(point);
  }
};

struct network::subscriber {
  std::uint64_t owner = 0;
  std::string pattern;
  std::function<void(bus::delivery)> deliver;
  bool active = true;
};

class network::subscription final : public bus::subscription::impl {
 public:
  subscription(network& net, std::shared_ptr<subscriber> entry)
      : net_(net), entry_(std::move(entry)) {}
  ~subscription() override {
    entry_->active = false;
    std::erase(net_.subscribers_, entry_);
  }

 private:
  network& net_;
  std::shared_ptr<subscriber> entry_;
};

class network::transport final : public bus::transport {
 public:
  transport(network& net, std::shared_ptr<link> own) : net_(net), own_(std::move(own)) {}

  void start(bus::transport_events events) override {
    own_->events = std::make_shared<bus::guarded<bus::transport_events>>(std::move(events));
    net_.links_[own_->id] = own_;
  }
  result<void> publish(bus::frame content) override {
    if (own_->closed || own_->state == link_state::cut)
      return fail(ec::unreachable, "cannot send '" + content.subject + "': there is no link");
    net_.publish(*own_, std::move(content));
    return {};
  }
  result<std::unique_ptr<bus::subscription::impl>> subscribe(
      std::string_view pattern, std::function<void(bus::delivery)> deliver) override {
    auto entry = std::make_shared<subscriber>();
    entry->owner = own_->id;
    entry->pattern = pattern;
    entry->deliver = std::move(deliver);
    net_.subscribers_.push_back(entry);
    return std::unique_ptr<bus::subscription::impl>{
        std::make_unique<network::subscription>(net_, std::move(entry))};
  }
  std::string inbox() const override { return "_INBOX.m" + std::to_string(own_->id); }
  std::size_t max_payload() const override { return 8u << 20; }
  std::string server() const override { return "the simulated network"; }
  std::string server_id() const override { return "server" + std::to_string(net_.server_starts_); }
  bus::link_status status() const override {
    if (own_->closed) return bus::link_status::closed;
    return own_->state == link_state::cut ? bus::link_status::disconnected
                                          : bus::link_status::connected;
  }
  result<void> flush(std::chrono::milliseconds) override { return {}; }
  void close() override {
    own_->closed = true;
    net_.links_.erase(own_->id);
    if (own_->events) own_->events->close();
  }

 private:
  network& net_;
  std::shared_ptr<link> own_;
};

std::pair<std::shared_ptr<bus::connection>, std::shared_ptr<network::link>> network::connect(
    std::shared_ptr<bus::timer_queue> timers, owner of) {
  auto own = std::make_shared<link>();
  own->id = ++next_;
  own->machine = std::move(of);
  auto made = bus::make_connection(std::make_unique<transport>(*this, own), std::move(timers));
  ARGOSY_CHECK(made.has_value());
  return {std::move(*made), std::move(own)};
}

void network::set(link& which, link_state to) {
  if (which.state == link_state::dead) return;
  const auto was = std::exchange(which.state, to);
  if (which.closed || (was == link_state::cut) == (to == link_state::cut)) return;
  const auto status =
      to == link_state::cut ? bus::link_status::disconnected : bus::link_status::connected;
  which.machine.arrive([events = which.events, status] {
    events->run([status](const bus::transport_events& told) { told.on_status(status); });
  });
}

void network::set(link& which, const link_faults& to) {
  which.faults = to;
}

void network::publish(link& from, bus::frame content) {
  from.reach(crash_point::frame_leaves);
  if (!sends(from.state)) return;
  const auto mean = std::max<virtual_time::duration>(from.faults.late, delay_mean);
  from.last_sent = std::max(from.last_sent + 1ns, time_.now() + delay_min + chances_.around(mean));
  const auto at = links_.find(from.id);
  if (at == links_.end()) return;
  time_.at(from.last_sent, [this, own = at->second,
                            what = std::make_shared<const bus::delivery>(
                                bus::delivery{std::move(content)})] { route(own, what); });
  from.reach(crash_point::frame_left);
}

void network::route(const std::shared_ptr<link>& from, const frame_ptr& what) {
  const auto& frame = what->content;
  const bool is_request = !frame.reply.empty();
  if (!pass(what) && is_request)
    pass(std::make_shared<const bus::delivery>(
        bus::delivery{bus::frame{frame.reply, {}, {}, {}}, true}));
  if (!is_request || !from->faults.repeats || !chances_.one_in(3)) return;
  const auto mean = chances_.one_in(3) ? std::chrono::nanoseconds{late_again} : soon_again;
  time_.after(chances_.around(mean), [this, what] { pass(what); });
}

/// Sends the frame to all who wait for it. Returns whether there was anybody.
bool network::pass(const frame_ptr& what) {
  bool somebody = false;
  for (const auto& receiver : subscribers_) {
    if (!bus::matches(receiver->pattern, what->content.subject)) continue;
    const auto at = links_.find(receiver->owner);
    if (at == links_.end()) continue;
    auto& far = at->second;
    // The server knows as well that a link is cut.
    if (far->state == link_state::cut) continue;
    somebody = true;
    if (far->faults.loses && chances_.one_in(4)) continue;
    const auto when =
        std::max(far->last_arrival + 1ns, time_.now() + delay_min + chances_.around(delay_mean));
    far->last_arrival = when;
    time_.at(when, [receiver, what, far] {
      if (far->closed || !hears(far->state)) return;
      far->machine.arrive([receiver, what, far] {
        far->reach(crash_point::frame_arrives);
        if (receiver->active && !far->closed && far->state != link_state::dead)
          receiver->deliver(*what);
      });
    });
  }
  return somebody;
}

}  // namespace argosy::sim
