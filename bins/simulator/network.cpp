// SPDX-License-Identifier: Apache-2.0
#include "bins/simulator/network.hpp"

#include <algorithm>
#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/bus/guarded.hpp"
#include "runtime/bus/transport.hpp"

namespace argosy::sim {

namespace {

using namespace std::chrono_literals;

constexpr auto delay_min = 50us;
constexpr auto delay_mean = 200us;

}  // namespace

struct network::link {
  std::uint64_t id = 0;
  when_awake arrive;
  std::shared_ptr<bus::guarded<bus::transport_events>> events{};
  link_state state = link_state::up;
  bool closed = false;
  virtual_time::duration last_arrival{};
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
    std::shared_ptr<bus::timer_queue> timers, when_awake arrive) {
  auto own = std::make_shared<link>();
  own->id = ++next_;
  own->arrive = std::move(arrive);
  auto made = bus::make_connection(std::make_unique<transport>(*this, own), std::move(timers));
  ARGOSY_CHECK(made.has_value());
  return {std::move(*made), std::move(own)};
}

void network::set(link& which, link_state to) {
  const auto was = std::exchange(which.state, to);
  if (which.closed || (was == link_state::cut) == (to == link_state::cut)) return;
  const auto status =
      to == link_state::cut ? bus::link_status::disconnected : bus::link_status::connected;
  which.arrive([events = which.events, status] {
    events->run([status](const bus::transport_events& told) { told.on_status(status); });
  });
}

void network::publish(const link& from, bus::frame content) {
  if (from.state != link_state::up) return;
  bus::delivery out{std::move(content)};
  std::vector<std::shared_ptr<subscriber>> to;
  const auto route = [&] {
    for (const auto& known : subscribers_)
      if (bus::matches(known->pattern, out.content.subject)) to.push_back(known);
  };
  route();
  if (to.empty() && !out.content.reply.empty()) {
    out = {bus::frame{out.content.reply, {}, {}, {}}, true};
    route();
  }
  for (const auto& receiver : to) {
    const auto at = links_.find(receiver->owner);
    if (at == links_.end()) continue;
    auto& far = at->second;
    const auto when =
        std::max(far->last_arrival + 1ns, time_.now() + delay_min + chances_.around(delay_mean));
    far->last_arrival = when;
    time_.at(when, [receiver, out, far] {
      if (far->closed || far->state != link_state::up) return;
      far->arrive([receiver, out, far] {
        if (receiver->active && !far->closed) receiver->deliver(out);
      });
    });
  }
}

}  // namespace argosy::sim
