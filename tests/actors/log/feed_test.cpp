// SPDX-License-Identifier: Apache-2.0
// Goal: a watcher gets every message of a job set once and in order, from the beginning or from any
// message on, as fast as it gives credit; and its FEED ends with it.
// Method: streams over the bus in memory; jobs of a scripted agent make the events.
#include <gmock/gmock.h>

#include <algorithm>
#include <optional>

#include "messages/probes/log/reader_probe.hpp"
#include "messages/proto/api/event.pb.h"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;
using event_case = api::EventMessage::EventsCase;

struct feed : control_plane_test {
  /// One watcher and what it got.
  struct watcher {
    std::vector<api::EventStreamMessage> got;
    std::optional<result<void>> end;
    bus::stream stream;

    [[nodiscard]] std::vector<event_case> cases() const {
      std::vector<event_case> out;
      for (const auto& one : got) out.push_back(one.message().events_case());
      return out;
    }
    [[nodiscard]] std::vector<std::string> ids() const {
      std::vector<std::string> out;
      for (const auto& one : got) out.push_back(one.id());
      return out;
    }
  };

  feed() {
    start();
    create_queue("a");
  }

  std::unique_ptr<watcher> watch(bool follow, const std::string& after = "",
                                 const bus::stream_options& options = {},
                                 const std::string& job_set = "set") {
    auto out = open(follow, after, options, job_set);
    settle();
    return out;
  }

  /// Does the same as watch(), but nothing has happened yet.
  std::unique_ptr<watcher> open(bool follow, const std::string& after,
                                const bus::stream_options& options,
                                const std::string& job_set = "set", const bus::headers& with = {}) {
    api::JobSetRequest request;
    request.set_queue("a");
    request.set_id(job_set);
    request.set_watch(follow);
    request.set_from_message_id(after);
    request.set_errorifmissing(true);
    auto out = std::make_unique<watcher>();
    bus::stream_events events;
    events.on_item = [w = out.get()](const bus::frame& frame) {
      ASSERT_TRUE(w->got.emplace_back().ParseFromString(frame.data));
    };
    events.on_end = [w = out.get()](result<void> end) { w->end = std::move(end); };
    out->stream =
        client->open_stream("argosy.api.Event.GetJobSetEvents", request.SerializeAsString(), with,
                            options, std::move(events));
    return out;
  }

  std::ptrdiff_t feeds_alive() {
    const auto all = trace::live_actors(system);
    return std::count_if(all.begin(), all.end(), [](const trace::live_actor& actor) {
      return actor.type == "argosy.feed";
    });
  }

  /// Runs a job from its submission to its end, which makes seven messages.
  std::string whole_job() {
    if (agents.empty()) add_agent("c", {node_of("n", 4)});
    const auto id = submit("a").at(0);
    pass();
    agents[0].end(id, run_phase::succeeded);
    pass();
    return id;
  }
};

TEST_F(feed, gives_a_whole_life_from_the_beginning_and_ends) {
  whole_job();
  const auto seen = watch(false);
  EXPECT_THAT(seen->cases(),
              ElementsAre(event_case::kSubmitted, event_case::kQueued, event_case::kLeased,
                          event_case::kPending, event_case::kRunning, event_case::kSucceeded));
  ASSERT_TRUE(seen->end);
  EXPECT_TRUE(*seen->end);
  EXPECT_EQ(feeds_alive(), 0);
}

TEST_F(feed, resumes_after_any_message_also_inside_an_event) {
  whole_job();
  const auto all = watch(false)->ids();
  ASSERT_THAT(all, SizeIs(6));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto rest = watch(false, all[i])->ids();
    EXPECT_EQ(rest,
              std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end()))
        << "after " << all[i];
  }
}

TEST_F(feed, follows_what_happens_later) {
  const auto early = submit("a", {.cpu = "8"});
  const auto seen = watch(true);
  EXPECT_THAT(seen->got, SizeIs(2));
  whole_job();
  EXPECT_THAT(seen->got, SizeIs(8));
  EXPECT_FALSE(seen->end);
  const auto again = watch(false);
  EXPECT_EQ(seen->ids(), again->ids());
  EXPECT_EQ(feeds_alive(), 1);
}

TEST_F(feed, of_a_busy_job_set_ends_with_what_was_there_when_it_began) {
  submit("a", {.count = 400, .cpu = "100"});
  bus::stream_options options;
  options.credit = 10;
  options.manual_grants = true;
  const auto seen = watch(false, "", options);
  // With each step of the reader there is more to read than before.
  for (int i = 0; i < 200 && !seen->end; ++i) {
    submit("a", {.count = 20, .cpu = "100"});
    seen->stream.grant(10);
    settle();
  }
  ASSERT_TRUE(seen->end);
  EXPECT_TRUE(*seen->end);
  EXPECT_THAT(seen->got, SizeIs(800));
  EXPECT_EQ(feeds_alive(), 0);
}

TEST_F(feed, begins_at_the_present_end_when_asked_to) {
  whole_job();
  const auto seen = open(true, "", {}, "set", {{"argosy-from", "now"}});
  settle();
  ASSERT_THAT(seen->got, SizeIs(1)) << "the place where it begins";
  EXPECT_FALSE(seen->got[0].has_message());
  const auto place = seen->got[0].id();
  submit("a", {.cpu = "100"});
  EXPECT_THAT(seen->cases(),
              ElementsAre(event_case::EVENTS_NOT_SET, event_case::kSubmitted, event_case::kQueued));
  const auto resumed = watch(false, place);
  EXPECT_THAT(resumed->cases(), ElementsAre(event_case::kSubmitted, event_case::kQueued))
      << "who was cut off before the first event goes on from the place";
}

TEST_F(feed, gives_only_the_place_of_the_present_end_when_it_does_not_follow) {
  whole_job();
  const auto seen = open(false, "", {}, "set", {{"argosy-from", "now"}});
  settle();
  ASSERT_TRUE(seen->end && *seen->end);
  EXPECT_THAT(seen->got, SizeIs(1));
  EXPECT_THAT(watch(false, seen->got[0].id())->got, IsEmpty());
}

TEST_F(feed, refuses_other_places_to_begin) {
  whole_job();
  const auto wrong = open(true, "", {}, "set", {{"argosy-from", "yesterday"}});
  const auto both = open(true, watch(false)->ids().front(), {}, "set", {{"argosy-from", "now"}});
  settle();
  for (const auto* one : {&wrong, &both}) {
    ASSERT_TRUE((*one)->end);
    ASSERT_FALSE(*(*one)->end);
    EXPECT_EQ((*one)->end->error().code, ec::invalid_argument);
  }
}

TEST_F(feed, keeps_job_sets_apart) {
  submit("a", {.job_set = "one"});
  const auto seen = watch(true, "", {}, "one");
  submit("a", {.job_set = "two"});
  EXPECT_THAT(seen->got, SizeIs(2));
}

TEST_F(feed, sends_no_more_than_there_is_credit_for) {
  submit("a", {.count = 50});
  bus::stream_options options;
  options.credit = 3;
  options.manual_grants = true;
  const auto seen = watch(false, "", options);
  EXPECT_THAT(seen->got, SizeIs(3));
  seen->stream.grant(2);
  settle();
  EXPECT_THAT(seen->got, SizeIs(5));
  EXPECT_FALSE(seen->end);
  for (int i = 0; i < 50; ++i) {
    seen->stream.grant(2);
    settle();
  }
  EXPECT_THAT(seen->got, SizeIs(100));
  ASSERT_TRUE(seen->end);
  EXPECT_TRUE(*seen->end);
  const auto all = watch(false);
  EXPECT_EQ(seen->ids(), all->ids());
}

TEST_F(feed, survives_a_watcher_that_goes_away) {
  submit("a", {.count = 5});
  auto gone = watch(true);
  auto stays = watch(true);
  gone->stream.cancel();
  settle();
  submit("a");
  EXPECT_THAT(stays->got, SizeIs(12));
  stays->stream.cancel();
  settle();
  EXPECT_EQ(feeds_alive(), 0);
  EXPECT_THAT(watch(false)->got, SizeIs(12));
}

/// The watcher of a FEED goes this many steps after another one comes.
struct ending_feed : feed {
  static constexpr int steps_max = 40;

  std::unique_ptr<watcher> watch_while_the_feed_ends(bool follow, int steps) {
    const auto gone = watch(true);
    bus::stream_options options;
    options.credit = 3;
    options.manual_grants = true;
    auto out = open(follow, "", options);
    for (int i = 0; i < steps; ++i) scheduler.try_run_once();
    gone->stream.cancel();
    settle();
    return out;
  }
};

TEST_F(ending_feed, hands_a_watcher_on_with_its_credit) {
  submit("a", {.count = 5});
  for (int steps = 0; steps < steps_max; ++steps) {
    const auto seen = watch_while_the_feed_ends(false, steps);
    for (int i = 0; i < 10; ++i) {
      seen->stream.grant(1);
      settle();
    }
    ASSERT_THAT(seen->got, SizeIs(10)) << "after " << steps << " steps";
    ASSERT_TRUE(seen->end);
    ASSERT_EQ(feeds_alive(), 0);
  }
}

TEST_F(ending_feed, hands_a_watcher_on_with_its_end) {
  submit("a", {.count = 1});
  for (int steps = 0; steps < steps_max; ++steps) {
    const auto seen = watch_while_the_feed_ends(true, steps);
    ASSERT_THAT(seen->got, SizeIs(2)) << "after " << steps << " steps";
    seen->stream.cancel();
    settle();
    ASSERT_EQ(feeds_alive(), 0) << "after " << steps << " steps";
  }
}

TEST_F(ending_feed, is_not_followed_by_one_for_nobody) {
  submit("a", {.count = 1});
  for (int steps = 0; steps < steps_max; ++steps) {
    const auto first = watch(true);
    const auto second = open(true, "", {});
    for (int i = 0; i < steps; ++i) scheduler.try_run_once();
    first->stream.cancel();
    second->stream.cancel();
    settle();
    // A stream that was cancelled before it was accepted ends when its writer's patience is over.
    broker.advance(5min);
    settle();
    ASSERT_EQ(feeds_alive(), 0) << "after " << steps << " steps";
  }
}

struct crowded_feed : feed {
  /// How often the store is asked for events while a job runs and so many watch.
  std::uint64_t reads_with(std::size_t watchers) {
    stop();
    const auto probes = metrics::make_board();
    start([&](actors::root_config& with) { with.probes = probes; });
    reconnect_agents();
    settle();
    submit("a", {.count = 1});
    std::vector<std::unique_ptr<watcher>> crowd;
    for (std::size_t i = 0; i < watchers; ++i) crowd.push_back(watch(true));
    const auto& reads = probes->get<probes::reader_probe>()->events;
    const auto before = reads.value();
    whole_job();
    for (const auto& one : crowd) {
      EXPECT_EQ(one->ids(), crowd.front()->ids());
      EXPECT_GE(one->got.size(), 7U);
    }
    return reads.value() - before;
  }
};

TEST_F(crowded_feed, reads_once_for_all_who_are_at_the_same_place) {
  (void)reads_with(1);  // The agent joins only now.
  const auto alone = reads_with(1);
  EXPECT_GT(alone, 0U);
  EXPECT_EQ(reads_with(20), alone);
}

TEST_F(feed, resumes_after_a_restart) {
  whole_job();
  const auto before = watch(false)->ids();
  crash();
  start();
  EXPECT_EQ(watch(false)->ids(), before);
  EXPECT_THAT(watch(false, before[3])->ids(), SizeIs(2));
}

TEST_F(feed, says_that_a_job_set_is_unknown) {
  const auto seen = watch(false, "", {}, "nothing");
  EXPECT_THAT(seen->got, IsEmpty());
  ASSERT_TRUE(seen->end);
  ASSERT_FALSE(*seen->end);
  EXPECT_EQ(seen->end->error().code, ec::not_found);
  EXPECT_EQ(feeds_alive(), 0);
}

TEST_F(feed, refuses_an_id_that_is_none) {
  submit("a");
  for (const auto* id : {"x", "1", "1:2", "1:2:3", "1:2:3:1:", "-1:0:0:1", "1:0:0:1x"}) {
    const auto seen = watch(false, id);
    EXPECT_THAT(seen->got, IsEmpty()) << id;
    ASSERT_TRUE(seen->end) << id;
    ASSERT_FALSE(*seen->end) << id;
    EXPECT_EQ(seen->end->error().code, ec::invalid_argument) << id;
  }
}

TEST_F(feed, ends_with_the_control_plane) {
  submit("a");
  const auto seen = watch(true);
  EXPECT_EQ(feeds_alive(), 1);
  stop();
  EXPECT_EQ(actors_alive(), 0U);
  ASSERT_TRUE(seen->end);
  EXPECT_FALSE(*seen->end);
}

}  // namespace argosy::tests
