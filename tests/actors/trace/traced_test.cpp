// SPDX-License-Identifier: Apache-2.0
// Goal: every message between traced actors keeps its cause and is counted, whichever way it is
// sent: plain sends, requests and their responses, delayed sends, skipped ones, spawns of any kind.
// Method: two small typed actors on the deterministic scheduler, and on real threads where the kind
// of spawn asks for it; the recorder's spans and edges are compared with what was sent.
#include "runtime/trace/caf/traced.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/atom.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scoped_actor.hpp>
#include <future>
#include <memory>
#include <stdexcept>
#include <vector>

#include "runtime/trace/caf/delayed_send.hpp"
#include "tests/support/actor_fixture.hpp"

namespace argosy::tests {

struct parcel {
  int weight = 0;
};

}  // namespace argosy::tests

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(std::shared_ptr<const argosy::tests::parcel>)

namespace argosy::tests {

using ask_atom = caf::atom_constant<caf::atom("ask")>;
using start_atom = caf::atom_constant<caf::atom("start")>;
using later_atom = caf::atom_constant<caf::atom("later")>;
using beat_atom = caf::atom_constant<caf::atom("beat")>;
using fail_atom = caf::atom_constant<caf::atom("fail")>;

namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using answerer_actor =
    caf::typed_actor<caf::replies_to<ask_atom, int>::with<int>,
                     caf::reacts_to<std::shared_ptr<const parcel>>, caf::reacts_to<fail_atom>>;

struct answerer_config {
  int factor = 2;
};

struct answerer_state {
  static constexpr const char* name = "argosy.answerer";
  explicit answerer_state(answerer_actor::pointer) {}
  std::vector<trace::context> seen;
};

answerer_actor::behavior_type answerer_behavior(
    trace::traced_pointer<answerer_actor, answerer_state> self, answerer_config config) {
  return {
      [=](ask_atom, int value) {
        self->state.seen.push_back(trace::current());
        return value * config.factor;
      },
      [=](const std::shared_ptr<const parcel>&) { self->state.seen.push_back(trace::current()); },
      [](fail_atom) { throw std::runtime_error("on purpose"); },
  };
}

using asker_actor = caf::typed_actor<caf::reacts_to<start_atom, int>, caf::reacts_to<later_atom>,
                                     caf::reacts_to<beat_atom>>;

struct asker_config {
  answerer_actor answerer;
  std::chrono::milliseconds delay{50};
};

struct asker_state {
  static constexpr const char* name = "argosy.asker";
  explicit asker_state(asker_actor::pointer) {}
  trace::context at_start;
  trace::context at_reply;
  trace::context at_later;
  std::vector<trace::context> at_beat;
  int answer = 0;
};

asker_actor::behavior_type asker_behavior(trace::traced_pointer<asker_actor, asker_state> self,
                                          asker_config config) {
  return {
      [=](start_atom, int value) {
        self->state.at_start = trace::current();
        self->request(config.answerer, 10s, ask_atom::value, value).then([=](int answer) {
          self->state.at_reply = trace::current();
          self->state.answer = answer;
        });
        trace::delayed_send(self, self, config.delay, later_atom::value);
        trace::tick_send(self, self, config.delay, beat_atom::value);
      },
      [=](later_atom) {
        self->state.at_later = trace::current();
        self->send(config.answerer, std::make_shared<const parcel>());
      },
      [=](beat_atom) {
        self->state.at_beat.push_back(trace::current());
        if (self->state.at_beat.size() < 40)
          trace::tick_send(self, self, config.delay, beat_atom::value);
      },
  };
}

const trace::finished_span* find(const std::vector<trace::finished_span>& spans,
                                 std::string_view name) {
  const auto found =
      std::find_if(spans.begin(), spans.end(), [=](const auto& s) { return s.name == name; });
  return found == spans.end() ? nullptr : &*found;
}

trace::flow_edge edge_of(std::string_view from, std::string_view to, std::string_view message) {
  for (auto& edge : trace::flow())
    if (edge.from == from && edge.to == to && edge.message == message) return edge;
  return {};
}

std::int64_t fake_now = 0;
std::int64_t fake_clock() noexcept {
  return fake_now += 1000;
}

class traced_test : public actor_fixture {
 protected:
  ~traced_test() override {
    trace::set_enabled(true);
    trace::set_time_source(nullptr);
  }
  answerer_actor answerer = system.spawn(answerer_behavior, answerer_config{});
  asker_actor asker = system.spawn(asker_behavior, asker_config{answerer});

  void start(const trace::context& root) {
    const trace::scope cause{root};
    caf::anon_send(asker, start_atom::value, 21);
  }
};

TEST_F(traced_test, links_request_response_and_delayed_send_to_their_causes) {
  const auto root = trace::new_root();
  start(root);
  advance(60ms);

  auto& state = state_of<asker_state>(asker);
  EXPECT_EQ(state.answer, 42);
  const auto spans = trace::spans_of(root.trace);
  ASSERT_THAT(spans, SizeIs(5));
  const auto* first = find(spans, "start");
  const auto* ask = find(spans, "ask");
  const auto* reply = find(spans, "reply i32");
  const auto* later = find(spans, "later");
  const auto* sent_by_later = find(spans, "parcel");
  ASSERT_TRUE(first && ask && reply && later && sent_by_later);
  EXPECT_EQ(first->parent, root.span);
  EXPECT_EQ(first->span, state.at_start.span);
  EXPECT_EQ(first->actor, "argosy.asker");
  EXPECT_EQ(ask->parent, first->span);
  EXPECT_EQ(ask->actor, "argosy.answerer");
  EXPECT_EQ(ask->instance, answerer->id());
  EXPECT_EQ(reply->parent, ask->span);
  EXPECT_EQ(reply->span, state.at_reply.span);
  EXPECT_EQ(later->parent, first->span);
  EXPECT_EQ(sent_by_later->parent, later->span);
}

TEST_F(traced_test, keeps_periodic_ticks_out_of_the_trace_that_armed_them) {
  const auto root = trace::new_root();
  start(root);
  advance(60ms);
  const auto& state = state_of<asker_state>(asker);
  ASSERT_THAT(state.at_beat, SizeIs(1));
  EXPECT_FALSE(state.at_beat[0].valid());
  EXPECT_EQ(find(trace::spans_of(root.trace), "beat"), nullptr);
}

TEST_F(traced_test, fires_a_periodic_tick_once_for_each_period_of_virtual_time) {
  start({});
  advance(50ms * 30);
  EXPECT_THAT(state_of<asker_state>(asker).at_beat, SizeIs(30));
  EXPECT_EQ(edge_of("argosy.asker", "argosy.asker", "beat").handled, 30U);
}

TEST_F(traced_test, counts_messages_by_edge_with_waiting_and_processing_time) {
  trace::set_time_source(fake_clock);
  start({});
  start({});
  settle();
  const auto outside = edge_of("", "argosy.asker", "start");
  EXPECT_EQ(outside.sent, 2U);
  EXPECT_EQ(outside.handled, 2U);
  EXPECT_EQ(outside.waiting(), 0U);
  EXPECT_EQ(outside.depth_max, 2U);
  EXPECT_EQ(outside.wait.count(), 2U);
  EXPECT_GT(outside.wait.sum_nanos(), 0);
  EXPECT_GT(outside.processing.sum_nanos(), 0);
  EXPECT_EQ(edge_of("argosy.asker", "argosy.answerer", "ask").handled, 2U);
  EXPECT_EQ(edge_of("argosy.answerer", "argosy.asker", "reply i32").handled, 2U);
}

TEST_F(traced_test, counts_what_waits_in_mailboxes_and_what_a_dead_actor_drops) {
  start({});
  EXPECT_EQ(edge_of("", "argosy.asker", "start").waiting(), 1U);
  settle();
  EXPECT_EQ(edge_of("", "argosy.asker", "start").waiting(), 0U);

  caf::anon_send_exit(answerer, caf::exit_reason::user_shutdown);
  settle();
  caf::anon_send(answerer, std::make_shared<const parcel>());
  settle();
  const auto late = edge_of("", "argosy.answerer", "parcel");
  EXPECT_EQ(late.sent, 1U);
  EXPECT_EQ(late.dropped, 1U);
  EXPECT_EQ(late.waiting(), 0U);
}

TEST_F(traced_test, leaves_no_context_behind_after_a_handler_or_a_scope) {
  start(trace::new_root());
  settle();
  EXPECT_FALSE(trace::current().valid());
  EXPECT_FALSE(trace::detail::here.actor != 0);
}

TEST_F(traced_test, records_nothing_for_a_trace_that_is_not_sampled_but_passes_it_on) {
  auto root = trace::new_root();
  root.sampled = false;
  start(root);
  advance(60ms);
  EXPECT_THAT(trace::spans_of(root.trace), IsEmpty());
  EXPECT_EQ(state_of<asker_state>(asker).at_later.trace, root.trace);
  EXPECT_EQ(edge_of("", "argosy.asker", "start").handled, 1U);
}

TEST_F(traced_test, records_nothing_while_switched_off_and_everything_again_later) {
  trace::set_enabled(false);
  const auto root = trace::new_root();
  start(root);
  advance(60ms);
  EXPECT_EQ(state_of<asker_state>(asker).answer, 42);
  EXPECT_THAT(trace::flow(), IsEmpty());
  trace::set_enabled(true);
  start(root);
  settle();
  EXPECT_EQ(edge_of("", "argosy.asker", "start").handled, 1U);
}

TEST_F(traced_test, handles_what_was_sent_before_the_switch) {
  start(trace::new_root());
  trace::set_enabled(false);
  settle();
  EXPECT_EQ(state_of<asker_state>(asker).answer, 42);
  EXPECT_EQ(edge_of("", "argosy.asker", "start").handled, 1U);
}

TEST_F(traced_test, marks_a_message_whose_handler_threw) {
  const auto root = trace::new_root();
  {
    const trace::scope cause{root};
    caf::anon_send(answerer, fail_atom::value);
  }
  settle();
  const auto spans = trace::spans_of(root.trace);
  ASSERT_THAT(spans, SizeIs(1));
  EXPECT_TRUE(spans[0].failed);
  EXPECT_EQ(edge_of("", "argosy.answerer", "fail").failed, 1U);
}

TEST_F(traced_test, lists_the_living_actors_of_the_system) {
  const auto alive = trace::live_actors(system);
  ASSERT_THAT(alive, SizeIs(2));
  EXPECT_EQ(alive[0].type, "argosy.answerer");
  EXPECT_EQ(alive[1].type, "argosy.asker");
  caf::anon_send_exit(asker, caf::exit_reason::user_shutdown);
  settle();
  EXPECT_THAT(trace::live_actors(system), SizeIs(1));
}

using mirror_actor = caf::typed_actor<caf::reacts_to<start_atom>>;

struct mirror_state {
  static constexpr const char* name = "argosy.mirror";
  explicit mirror_state(mirror_actor::pointer) {}
  trace::actor_readings seen;
  trace::actor_readings busy_for_long;
};

mirror_actor::behavior_type mirror_behavior(
    trace::traced_pointer<mirror_actor, mirror_state> self) {
  return {[=](start_atom) {
    self->state.seen = trace::read_actors();
    self->state.busy_for_long = trace::read_actors(std::chrono::hours{1});
  }};
}

TEST_F(traced_test, shows_what_each_actor_is_at_without_asking_it) {
  const auto mirror = system.spawn(mirror_behavior);
  const auto of_mirror = [&](const trace::actor_readings& all) {
    for (const auto& reading : all)
      if (reading.id == mirror->id()) return reading;
    return trace::actor_reading{};
  };
  caf::anon_send(mirror, start_atom::value);
  caf::anon_send(mirror, start_atom::value);
  EXPECT_EQ(of_mirror(trace::read_actors()).depth, 2U);
  EXPECT_GT(of_mirror(trace::read_actors()).oldest_nanos, 0);
  settle();
  const auto at_work = of_mirror(state_of<mirror_state>(mirror).seen);
  EXPECT_EQ(at_work.type, "argosy.mirror");
  EXPECT_EQ(at_work.message, "start");
  EXPECT_GT(at_work.busy_nanos, 0);
  EXPECT_EQ(at_work.handled, 1U) << "the second message is at work";
  EXPECT_EQ(at_work.depth, 1U);
  EXPECT_TRUE(state_of<mirror_state>(mirror).busy_for_long.empty());
  const auto idle = of_mirror(trace::read_actors());
  EXPECT_EQ(idle.busy_nanos, 0);
  EXPECT_EQ(idle.depth, 0U);
  EXPECT_EQ(idle.handled, 2U);
  EXPECT_EQ(idle.message, "");
}

using parent_actor = caf::typed_actor<caf::reacts_to<start_atom>>;

struct parent_state {
  static constexpr const char* name = "argosy.parent";
  explicit parent_state(parent_actor::pointer) {}
  answerer_actor child;
  bool child_ended = false;
};

parent_actor::behavior_type parent_behavior(trace::traced_pointer<parent_actor, parent_state> self,
                                            answerer_config config) {
  self->set_down_handler([=](caf::down_msg& down) {
    self->state.child_ended = down.source == self->state.child.address();
  });
  self->state.child = self->spawn<caf::monitored>(answerer_behavior, config);
  return {[=](start_atom) { self->send_exit(self->state.child, caf::exit_reason::user_shutdown); }};
}

TEST_F(traced_test, supervises_a_monitored_child) {
  const auto parent = system.spawn(parent_behavior, answerer_config{});
  settle();
  const auto root = trace::new_root();
  {
    const trace::scope cause{root};
    caf::anon_send(parent, start_atom::value);
  }
  settle();
  EXPECT_TRUE(state_of<parent_state>(parent).child_ended);
  const auto spans = trace::spans_of(root.trace);
  ASSERT_NE(find(spans, "exit"), nullptr);
  EXPECT_EQ(find(spans, "exit")->actor, "argosy.answerer");
  ASSERT_NE(find(spans, "down"), nullptr);
  EXPECT_EQ(find(spans, "down")->parent, find(spans, "exit")->span);
}

using skipper_actor = caf::typed_actor<caf::reacts_to<start_atom>, caf::reacts_to<later_atom>>;

struct skipper_state {
  static constexpr const char* name = "argosy.skipper";
  explicit skipper_state(skipper_actor::pointer) {}
  bool open = false;
};

skipper_actor::behavior_type skipper_behavior(
    trace::traced_pointer<skipper_actor, skipper_state> self, int) {
  return {
      [=](start_atom) { self->state.open = true; },
      [=](later_atom) -> caf::result<void> {
        if (!self->state.open) return caf::skip();
        return caf::unit;
      },
  };
}

TEST_F(traced_test, records_a_skipped_message_once_when_it_is_handled) {
  const auto skipper = system.spawn(skipper_behavior, 0);
  const auto root = trace::new_root();
  {
    const trace::scope cause{root};
    caf::anon_send(skipper, later_atom::value);
    settle();
    EXPECT_EQ(find(trace::spans_of(root.trace), "later"), nullptr);
    caf::anon_send(skipper, start_atom::value);
  }
  settle();
  const auto edge = edge_of("", "argosy.skipper", "later");
  EXPECT_EQ(edge.sent, 1U);
  EXPECT_EQ(edge.handled, 1U);
}

TEST(traced_threads, traces_a_detached_actor_and_a_caller_outside_of_actors) {
  trace::reset();
  const auto root = trace::new_root();
  {
    caf::actor_system_config config;
    config.config_file_path.clear();
    caf::actor_system system{config};
    const auto answerer = system.spawn<caf::detached>(answerer_behavior, answerer_config{});
    caf::scoped_actor outside{system};
    const trace::scope cause{root};
    int answer = 0;
    outside->request(answerer, 30s, ask_atom::value, 4)
        .receive([&](int value) { answer = value; }, [](const caf::error&) {});
    EXPECT_EQ(answer, 8);
    caf::anon_send_exit(answerer, caf::exit_reason::user_shutdown);
  }
  const auto spans = trace::spans_of(root.trace);
  ASSERT_NE(find(spans, "ask"), nullptr);
  EXPECT_EQ(find(spans, "ask")->parent, root.span);
}

TEST(traced_threads, counts_exactly_when_many_threads_send) {
  trace::reset();
  constexpr int senders = 4;
  constexpr int each = 20'000;
  caf::actor_system_config config;
  config.config_file_path.clear();
  {
    caf::actor_system system{config};
    const auto answerer = system.spawn(answerer_behavior, answerer_config{});
    std::vector<std::future<void>> threads;
    for (int i = 0; i < senders; ++i)
      threads.push_back(std::async(std::launch::async, [&] {
        for (int n = 0; n < each; ++n) caf::anon_send(answerer, std::make_shared<const parcel>());
      }));
    for (auto& thread : threads) thread.get();
    caf::scoped_actor outside{system};
    outside->request(answerer, 60s, ask_atom::value, 1)
        .receive([](int) {}, [](const caf::error&) {});
    caf::anon_send_exit(answerer, caf::exit_reason::user_shutdown);
  }
  const auto edge = edge_of("", "argosy.answerer", "parcel");
  EXPECT_EQ(edge.sent, static_cast<std::uint64_t>(senders * each));
  EXPECT_EQ(edge.handled, static_cast<std::uint64_t>(senders * each));
  EXPECT_EQ(edge.waiting(), 0U);
}

}  // namespace
}  // namespace argosy::tests
