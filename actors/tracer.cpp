// SPDX-License-Identifier: Apache-2.0
#include "actors/tracer.hpp"

#include <algorithm>

#include "actors/caf_error.hpp"
#include "messages/probes/tracer_probe.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"
#include "runtime/trace/recorder.hpp"

namespace argosy::actors {

struct tracer_state {
  static inline const char* name = "argosy.tracer";
  using pointer = traced_pointer<tracer_actor, tracer_state>;

  explicit tracer_state(pointer self_) : self(self_) {}

  tracer_actor::behavior_type make_behavior(tracer_config cfg);
  void collect(model::timer_generation generation);
  void take(const native::span_list& spans);
  caf::result<native::span_list> find(const std::string& id);

  pointer self;
  tracer_config config;
  std::shared_ptr<probes::tracer_probe> probe;
  std::uint64_t shipped = 0;  ///< The cursor up to which the recorder's spans have been shipped.
};

tracer_actor::behavior_type tracer_state::make_behavior(tracer_config cfg) {
  config = std::move(cfg);
  probe = config.probes->get<probes::tracer_probe>();
  trace::tick_send(self, self, config.drain_period, atom::collect_v, model::timer_generation{1});
  return {
      [this](atom::spans, const native::span_list& spans) { take(spans); },
      [this](atom::query, const std::string& id) { return find(id); },
      [](atom::graph) {
        return native::flow_list{
            std::make_shared<const std::vector<trace::flow_edge>>(trace::flow())};
      },
      [this](atom::collect, model::timer_generation generation) { collect(generation); },
      [this](atom::status, atom::figures) { return probe->figures(); },
  };
}

void tracer_state::take(const native::span_list& spans) {
  probe->received += spans->size();
  for (const auto& span : *spans) trace::add_span(span);
}

void tracer_state::collect(model::timer_generation generation) {
  trace::drain();
  ++probe->drains;
  probe->kept.set(static_cast<std::int64_t>(trace::spans_kept()));
  probe->kept_bytes.set(static_cast<std::int64_t>(trace::span_bytes_kept()));
  const auto dropped = trace::spans_dropped();
  probe->dropped += dropped - std::min(dropped, probe->dropped.value());
  if (config.ship) {
    constexpr std::size_t batch_max = 2'000;
    auto spans = trace::spans_after(shipped, batch_max);
    probe->shipped += spans.size();
    if (!spans.empty()) config.ship(std::move(spans));
  }
  trace::tick_send(self, self, config.drain_period, atom::collect_v, generation.next());
}

caf::result<native::span_list> tracer_state::find(const std::string& id) {
  ++probe->queries;
  const auto parsed = trace::parse_trace_id(id);
  if (!parsed)
    return to_caf({ec::invalid_argument, "a trace id has 32 hex digits, not all of them zero"});
  return native::span_list{
      std::make_shared<const std::vector<trace::finished_span>>(trace::spans_of(*parsed))};
}

namespace {

tracer_actor::behavior_type tracer_behavior(traced_pointer<tracer_actor, tracer_state> self,
                                            tracer_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

tracer_actor spawn_tracer(caf::actor_system& system, tracer_config config, run_on where) {
  return spawn_actor(system, where, tracer_behavior, std::move(config));
}

}  // namespace argosy::actors
