// SPDX-License-Identifier: Apache-2.0
#include "actors/remote_executor.hpp"

#include <algorithm>

#include "actors/caf_error.hpp"
#include "messages/codec/agent_codec.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct remote_executor_state {
  static inline const char* name = "argosy.remote_executor";
  using pointer = traced_pointer<executor_actor, remote_executor_state>;
  using orders_promise = caf::typed_response_promise<atom::ok>;
  using log_promise = caf::typed_response_promise<native::log_chunk_ptr>;

  explicit remote_executor_state(pointer self_) : self(self_) {}

  executor_actor::behavior_type make_behavior(remote_executor_config cfg);
  caf::result<atom::ok> orders(const model::agent_orders& all);
  void send_part(std::shared_ptr<const model::agent_orders> all, std::size_t start,
                 std::size_t stop, orders_promise promise);
  caf::result<native::log_chunk_ptr> read_log(const model::log_request& request);

  template <class Then, class Fail>
  void ask(const std::string& what, std::string data, Then then, Fail fail) {
    const auto timeout = static_cast<std::uint64_t>(config.timeout.count());
    self->request(config.bus, config.timeout + std::chrono::seconds{1}, atom::send_v,
                  "argosy.agent." + config.cluster + "." + what, std::move(data), timeout)
        .then(std::move(then), std::move(fail));
  }

  pointer self;
  remote_executor_config config;
};

namespace {

/// Orders in one frame; with specifications of up to 64 KiB this stays below 8 MB.
constexpr std::size_t orders_max = 100;

}  // namespace

executor_actor::behavior_type remote_executor_state::make_behavior(remote_executor_config cfg) {
  config = std::move(cfg);
  return {
      [this](atom::orders, const native::orders_ptr& all) { return orders(*all); },
      [this](atom::read_log, const model::log_request& request) { return read_log(request); },
  };
}

caf::result<atom::ok> remote_executor_state::orders(const model::agent_orders& all) {
  auto promise = self->make_response_promise<orders_promise>();
  send_part(std::make_shared<const model::agent_orders>(all), 0, 0, promise);
  return promise;
}

/// One frame after the other, so that an agent that does not keep up slows its CLUSTER down.
void remote_executor_state::send_part(std::shared_ptr<const model::agent_orders> all,
                                      std::size_t start, std::size_t stop, orders_promise promise) {
  if (start == all->start.size() && stop == all->stop.size()) {
    promise.deliver(atom::ok_v);
    return;
  }
  model::agent_orders part;
  part.epoch = all->epoch;
  part.hello_ns = all->hello_ns;
  while (stop < all->stop.size() && part.stop.size() < orders_max)
    part.stop.push_back(all->stop[stop++]);
  while (start < all->start.size() && part.start.size() + part.stop.size() < orders_max)
    part.start.push_back(all->start[start++]);
  ask(
      "orders", codec::encode(part),
      [this, all, start, stop, promise](const native::frame_ptr&) {
        send_part(all, start, stop, promise);
      },
      [promise](const caf::error& err) mutable { promise.deliver(err); });
}

caf::result<native::log_chunk_ptr> remote_executor_state::read_log(
    const model::log_request& request) {
  auto promise = self->make_response_promise<log_promise>();
  ask(
      "logs", codec::encode(request),
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

executor_actor::behavior_type remote_executor_behavior(
    traced_pointer<executor_actor, remote_executor_state> self, remote_executor_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

executor_actor spawn_remote_executor(caf::actor_system& system, remote_executor_config config) {
  return spawn_actor(system, run_on::pool, remote_executor_behavior, std::move(config));
}

}  // namespace argosy::actors
