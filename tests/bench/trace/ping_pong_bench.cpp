// SPDX-License-Identifier: Apache-2.0
// Goal: what the traced mixin costs: two actors throw a message to and fro, without the mixin, with
// it switched off, on, and on inside a sampled trace. Switched off it may cost 3 % at most.
// Method: one worker thread, so that nothing but the messages is measured; items/s are messages/s.
//   bench_trace --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <chrono>

#include "runtime/trace/caf/traced.hpp"

namespace argosy {
namespace {

using ball_atom = caf::atom_constant<caf::atom("ball")>;
using done_atom = caf::atom_constant<caf::atom("done")>;

using player_actor = caf::typed_actor<caf::reacts_to<ball_atom, int>>;
using referee_actor = caf::typed_actor<caf::reacts_to<done_atom>>;

struct player_config {
  caf::actor referee;
};

struct player_state {
  static constexpr const char* name = "argosy.player";
  explicit player_state(player_actor::pointer) {}
};

using plain_pointer = player_actor::stateful_pointer<player_state>;
using mixin_pointer = trace::traced_pointer<player_actor, player_state>;

/// Throws the ball back until it was thrown often enough.
template <class Pointer>
player_actor::behavior_type player_behavior(Pointer self, player_config config) {
  return {[=](ball_atom, int left) {
    if (left == 0) {
      caf::anon_send(config.referee, done_atom::value);
      return;
    }
    auto back = caf::actor_cast<player_actor>(self->current_sender());
    self->send(back, ball_atom::value, left - 1);
  }};
}

/// Begins each game: sends in the name of the second player, so that replies go there.
template <class Pointer>
player_actor::behavior_type opener_behavior(Pointer self, player_config config, player_actor peer) {
  return {[=](ball_atom, int left) {
    if (left == 0) {
      caf::anon_send(config.referee, done_atom::value);
      return;
    }
    self->send(peer, ball_atom::value, left - 1);
  }};
}

template <class Pointer>
void play(benchmark::State& bench, bool sampled) {
  constexpr int throws = 20'000;
  caf::actor_system_config config;
  config.config_file_path.clear();
  config.set("scheduler.max-threads", 1);
  caf::actor_system system{config};
  {
    caf::scoped_actor referee{system};
    const auto second =
        system.spawn(player_behavior<Pointer>, player_config{caf::actor_cast<caf::actor>(referee)});
    const auto first = system.spawn(opener_behavior<Pointer>,
                                    player_config{caf::actor_cast<caf::actor>(referee)}, second);
    const trace::scope cause{sampled ? trace::new_root() : trace::context{}};
    for (auto _ : bench) {
      caf::anon_send(first, ball_atom::value, throws);
      referee->receive([](done_atom) {});
    }
    bench.SetItemsProcessed(bench.iterations() * throws);
    caf::anon_send_exit(first, caf::exit_reason::kill);
    caf::anon_send_exit(second, caf::exit_reason::kill);
  }
}

void ping_pong_plain(benchmark::State& bench) {
  play<plain_pointer>(bench, false);
}

void ping_pong_off(benchmark::State& bench) {
  trace::set_enabled(false);
  play<mixin_pointer>(bench, false);
  trace::set_enabled(true);
}

void ping_pong_on(benchmark::State& bench) {
  play<mixin_pointer>(bench, false);
}

void ping_pong_sampled(benchmark::State& bench) {
  play<mixin_pointer>(bench, true);
}

BENCHMARK(ping_pong_plain)->UseRealTime();
BENCHMARK(ping_pong_off)->UseRealTime();
BENCHMARK(ping_pong_on)->UseRealTime();
BENCHMARK(ping_pong_sampled)->UseRealTime();

}  // namespace
}  // namespace argosy
