// SPDX-License-Identifier: Apache-2.0
#include "actors/link/executor_proxy.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "actors/caf_error.hpp"
#include "actors/link/agent_request.hpp"
#include "actors/link/order_number.hpp"
#include "messages/codec/agent/agent_codec.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct executor_proxy_state {
  static inline const char* name = "argosy.executor_proxy";
  using pointer = traced_pointer<remote_executor_actor, executor_proxy_state>;
  using orders_promise = caf::typed_response_promise<atom::ok>;
  using log_promise = caf::typed_response_promise<native::log_chunk_ptr>;

  /// Orders that are being sent part by part.
  struct sending {
    model::agent_orders all;
    orders_promise promise;
    std::size_t start = 0;  ///< How many orders of each kind have been sent.
    std::size_t stop = 0;
    std::size_t find = 0;
    std::optional<caf::error> failure;  ///< The error of the first part that failed.
  };

  explicit executor_proxy_state(pointer self_) : self(self_) {}

  remote_executor_actor::behavior_type make_behavior(executor_proxy_config cfg);
  caf::result<atom::ok> orders(const model::agent_orders& all);
  void send_part(const std::shared_ptr<sending>& under_way);
  [[nodiscard]] std::string signed_frame(const char* what, std::string data) const;
  void give_up(sending& under_way, const caf::error& why);
  caf::result<native::log_chunk_ptr> read_log(const model::log_request& request);

  pointer self;
  executor_proxy_config config;
  std::shared_ptr<probes::link_probe> probe;
  std::size_t sending_orders = 0;  ///< How many calls for orders are under way.
};

namespace {

/// How many orders one frame holds at most, however short they are.
constexpr std::size_t orders_max = 100;

/// What the frame of an order takes besides what its user wrote.
constexpr std::size_t order_head_bytes = 1024;

std::size_t bytes_of(const model::start_run& order) {
  return order_head_bytes + order.job_set.size() + (order.spec ? order.spec->size() : 0);
}
std::size_t bytes_of(const model::stop_run& order) {
  return order_head_bytes + order.reason.size();
}

/// Whether the error shows that the other parts would not arrive either.
bool concerns_all(const caf::error& err) {
  const auto code = from_caf(err).code;
  return code == ec::unreachable || code == ec::no_responders || code == ec::unavailable ||
         code == ec::fenced;
}

/// Moves `at` over the orders that still fit, and adds them to `part`.
template <class Order>
void fill(std::vector<Order>& part, const std::vector<Order>& all, std::size_t& at,
          std::size_t& room, std::size_t& bytes_left) {
  for (; at < all.size() && room > 0; ++at, --room) {
    const auto size = bytes_of(all[at]);
    // An order that is larger than a part goes alone.
    if (size > bytes_left && room < orders_max) {
      room = 0;
      return;
    }
    bytes_left -= std::min(size, bytes_left);
    part.push_back(all[at]);
  }
}

}  // namespace

remote_executor_actor::behavior_type executor_proxy_state::make_behavior(
    executor_proxy_config cfg) {
  config = std::move(cfg);
  probe = config.probes->get<probes::link_probe>();
  return {
      [this](atom::orders, const native::orders_ptr& all) { return orders(*all); },
      [this](atom::read_log, const model::log_request& request) { return read_log(request); },
      [this](atom::status, atom::figures) {
        return metrics::figure_list{{"cluster", config.cluster},
                                    {"orders", static_cast<double>(sending_orders)}};
      },
  };
}

caf::result<atom::ok> executor_proxy_state::orders(const model::agent_orders& all) {
  auto promise = self->make_response_promise<orders_promise>();
  auto under_way = std::make_shared<sending>();
  under_way->all = all;
  under_way->promise = promise;
  ++sending_orders;
  send_part(under_way);
  return promise;
}

/// Sends one frame after the other, so that an agent that does not keep up slows its CLUSTER down.
/// A part that fails does not stop the others: its orders come again, and would fail every time.
void executor_proxy_state::send_part(const std::shared_ptr<sending>& under_way) {
  auto& [all, promise, start, stop, find, failure] = *under_way;
  if (start == all.start.size() && stop == all.stop.size() && find == all.find.size()) {
    --sending_orders;
    if (failure)
      promise.deliver(*failure);
    else
      promise.deliver(atom::ok_v);
    return;
  }
  model::agent_orders part;
  part.epoch = all.epoch;
  part.hello_ns = all.hello_ns;
  part.incarnation = all.incarnation;
  part.nonce = all.nonce;
  part.control_plane = all.control_plane;
  part.process = all.process;
  auto room = orders_max;
  auto bytes_left = config.part_bytes_max;
  fill(part.stop, all.stop, stop, room, bytes_left);
  fill(part.start, all.start, start, room, bytes_left);
  fill(part.find, all.find, find, room, bytes_left);
  agent_request(
      self, config, *probe, codec::for_process(config.process, "orders"),
      signed_frame("orders", codec::encode(part)),
      [this, under_way](const native::frame_ptr&) { send_part(under_way); },
      [this, under_way](const caf::error& err) {
        if (!under_way->failure) under_way->failure = err;
        if (concerns_all(err))
          give_up(*under_way, err);
        else
          send_part(under_way);
      });
}

/// All proxies of this process share the numbers, since an agent gets a new one with each hello.
std::string executor_proxy_state::signed_frame(const char* what, std::string data) const {
  static std::atomic<std::uint64_t> numbers{0};
  if (config.signer) {
    order_number::append(data, ++numbers);
    config.signer->sign(
        data, codec::make_agent_subject(config.cluster, codec::for_process(config.process, what)));
  }
  return data;
}

void executor_proxy_state::give_up(sending& under_way, const caf::error& why) {
  --sending_orders;
  under_way.promise.deliver(why);
}

caf::result<native::log_chunk_ptr> executor_proxy_state::read_log(
    const model::log_request& request) {
  auto promise = self->make_response_promise<log_promise>();
  agent_request(
      self, config, *probe, codec::for_process(config.process, "logs"),
      signed_frame("logs", codec::encode(request)),
      [promise](const native::frame_ptr& frame) mutable {
        auto chunk = codec::decode_log_chunk(frame->data);
        if (chunk)
          promise.deliver(
              native::log_chunk_ptr{std::make_shared<const model::log_chunk>(std::move(*chunk))});
        else
          promise.deliver(to_caf(chunk.error()));
      },
      [promise](const caf::error& err) mutable { promise.deliver(err); });
  return promise;
}

namespace {

remote_executor_actor::behavior_type executor_proxy_behavior(
    traced_pointer<remote_executor_actor, executor_proxy_state> self,
    executor_proxy_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

remote_executor_actor spawn_executor_proxy(caf::actor_system& system,
                                           executor_proxy_config config) {
  return spawn_actor(system, run_on::pool, executor_proxy_behavior, std::move(config));
}

}  // namespace argosy::actors
