// SPDX-License-Identifier: Apache-2.0
// Goal: every event comes out of the log as it went in; what is no event is refused.
// Method: values with all fields set are encoded and decoded; encoded bytes are cut, changed and
// extended by fields that this version does not know.
#include "messages/codec/log/log_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messages/codec/log/event_size.hpp"
#include "messages/proto/argosy/log.pb.h"
#include "tests/unit/codec/model_fixture.hpp"

namespace argosy::codec {
namespace {

using ::testing::HasSubstr;

/// What comes back for a payload. The event's own fields are checked on the way.
template <class Payload>
Payload passed(const Payload& payload) {
  const model::event event{12345, "research", payload};
  const auto bytes = encode_event(event, true);
  const auto decoded = decode_event(bytes);
  EXPECT_TRUE(decoded) << to_string(decoded.error());
  if (!decoded) return {};
  EXPECT_EQ(decoded->time_ns, 12345);
  EXPECT_EQ(decoded->queue, "research");
  EXPECT_EQ(model::name_of(decoded->payload), model::name_of(event.payload));
  EXPECT_LE(bytes.size(), size_hint(event));
  const auto* out = std::get_if<Payload>(&decoded->payload);
  EXPECT_NE(out, nullptr);
  return out ? *out : Payload{};
}

TEST(log_codec, queues) {
  EXPECT_EQ(passed(model::queue_set{some_settings()}).settings, some_settings());
  passed(model::queue_deleted{});
}

TEST(log_codec, notes_of_any_length) {
  const model::run_noted noted{run, std::string(5'000, 'n')};
  EXPECT_EQ(passed(noted).note, noted.note);
}

TEST(log_codec, submitted_jobs) {
  const auto header = some_header();
  expect_equal(*header, *passed(model::job_submitted{header}).header, true);
  auto plain = some_header();
  plain->gang = nullptr;
  plain->trace = {};
  expect_equal(*plain, *passed(model::job_submitted{plain}).header, true);

  const auto without =
      decode_event(encode_event({1, "research", model::job_submitted{header}}, false));
  ASSERT_TRUE(without);
  expect_equal(*header, *std::get<model::job_submitted>(without->payload).header, false);
}

TEST(log_codec, accepted_submissions) {
  const std::vector<ulid_range> jobs{{id_of(1), 1'000}, {id_of(2), 1}};
  const auto accepted = passed(model::submission_accepted{std::string(128, 'k'), ~0ULL, jobs});
  EXPECT_EQ(accepted.key, std::string(128, 'k'));
  EXPECT_EQ(accepted.content_hash, ~0ULL);
  EXPECT_EQ(accepted.jobs, jobs);
  for (const std::uint32_t count : {0U, ~0U})
    EXPECT_FALSE(decode_event(
        encode_event({1, "q", model::submission_accepted{"k", 1, {{id_of(1), count}}}}, true)))
        << "a range of " << count << " ids";
}

TEST(log_codec, runs) {
  const auto leased = passed(model::job_leased{run, model::cluster_name{"c"}, model::node_name{"n"},
                                               model::pool_name{"p"}, -5, 99});
  EXPECT_EQ(leased.run, run);
  EXPECT_EQ(leased.cluster.str(), "c");
  EXPECT_EQ(leased.node.str(), "n");
  EXPECT_EQ(leased.pool.str(), "p");
  EXPECT_EQ(leased.scheduled_at_priority, -5);
  EXPECT_EQ(leased.round, 99U);
  EXPECT_EQ(passed(model::run_pending{run}).run, run);
  EXPECT_EQ(passed(model::run_running{run}).run, run);
  EXPECT_EQ(passed(model::run_succeeded{run, outcome}).run, run);
  EXPECT_EQ(passed(model::run_succeeded{run, outcome}).outcome, outcome);
  EXPECT_EQ(passed(model::run_failed{run, outcome}).run, run);
  EXPECT_EQ(passed(model::run_failed{run, outcome}).outcome, outcome);
  auto sorted = outcome;
  sorted.category = "gpu/driver";
  EXPECT_EQ(passed(model::run_failed{run, sorted}).outcome.category, "gpu/driver");
  EXPECT_EQ(passed(model::lease_returned{run, "full"}).run, run);
  EXPECT_EQ(passed(model::lease_returned{run, "full"}).reason, "full");
  for (const auto cause : {model::return_cause::unstarted, model::return_cause::refused_by_node,
                           model::return_cause::lost, model::return_cause::refused_by_cluster,
                           model::return_cause::refused_to_all})
    EXPECT_EQ(passed(model::lease_returned{run, "full", cause}).cause, cause);
  EXPECT_EQ(passed(model::lease_expired{run}).run, run);
}

TEST(log_codec, ends_of_jobs) {
  const auto cancelling = passed(model::job_cancelling{id_of(5), "bob", "typo"});
  EXPECT_EQ(cancelling.job, id_of(5));
  EXPECT_EQ(cancelling.requestor, "bob");
  EXPECT_EQ(cancelling.reason, "typo");
  const auto cancelled = passed(model::job_cancelled{id_of(6), "eve", "why not"});
  EXPECT_EQ(cancelled.job, id_of(6));
  EXPECT_EQ(cancelled.requestor, "eve");
  EXPECT_EQ(cancelled.reason, "why not");
  const auto preempting = passed(model::run_preempting{run, id_of(7), "urgent", "ann"});
  EXPECT_EQ(preempting.requestor, "ann");
  EXPECT_EQ(preempting.run, run);
  EXPECT_EQ(preempting.preemptor, id_of(7));
  EXPECT_EQ(preempting.reason, "urgent");
  const auto preempted = passed(model::job_preempted{run, {}, "share", "bob"});
  EXPECT_EQ(preempted.requestor, "bob");
  EXPECT_EQ(preempted.run, run);
  EXPECT_TRUE(preempted.preemptor.is_nil());
  EXPECT_EQ(preempted.reason, "share");
  const auto rejected = passed(model::job_rejected{id_of(8), "never fits"});
  EXPECT_EQ(rejected.job, id_of(8));
  EXPECT_EQ(rejected.reason, "never fits");
  const auto moved = passed(model::job_reprioritized{id_of(9), 4'000'000'000, "ann"});
  EXPECT_EQ(moved.job, id_of(9));
  EXPECT_EQ(moved.priority, 4'000'000'000);
  EXPECT_EQ(moved.requestor, "ann");
}

TEST(log_codec, holds) {
  const auto held = passed(model::job_held{id_of(5), "bob", "not yet"});
  EXPECT_EQ(held.job, id_of(5));
  EXPECT_EQ(held.requestor, "bob");
  EXPECT_EQ(held.reason, "not yet");
  const auto released = passed(model::job_released{id_of(6), "ann", "now"});
  EXPECT_EQ(released.job, id_of(6));
  EXPECT_EQ(released.requestor, "ann");
  EXPECT_EQ(released.reason, "now");
}

TEST(log_codec, changes_of_settings) {
  const model::settings_changed change{
      3,        ~0ULL,
      7,        "ann",
      "undo",   {{"scheduling.a", "1", "2"}, {"scheduling.pools.p.b", "", "x"}},
      "a: 2\n", {{"scheduling.a", "2"}}};
  EXPECT_EQ(passed(change), change);
}

TEST(log_codec, clusters_and_control_plane) {
  model::cluster_info cluster{"c", "p", "process", {12}};
  cluster.closed = {{"jobs", "quota", "exceeded quota: q", 7}};
  cluster.lapse_since_ns = 8;
  EXPECT_EQ(passed(model::cluster_joined{cluster}).cluster, cluster);
  cluster.said = {true, false, true};
  EXPECT_EQ(passed(model::cluster_joined{cluster}).cluster, cluster);
  EXPECT_EQ(passed(model::cluster_left{"c", "gone"}).cluster, "c");
  EXPECT_EQ(passed(model::cluster_left{"c", "gone"}).reason, "gone");
  EXPECT_EQ(passed(model::cluster_erased{"c", {12}}).cluster, "c");
  EXPECT_EQ(passed(model::cluster_erased{"c", {~0ULL}}).incarnation.value, ~0ULL);
  const auto nodes = passed(model::nodes_changed{"c", {some_node(), {}}, {"old", "older"}});
  EXPECT_EQ(nodes.cluster, "c");
  EXPECT_EQ(nodes.set, (std::vector<model::node_info>{some_node(), {}}));
  EXPECT_EQ(nodes.removed, (std::vector<model::node_name>{"old", "older"}));
  EXPECT_EQ(passed(model::leader_elected{{3}, "host-1"}).epoch.value, 3U);
  EXPECT_EQ(passed(model::leader_elected{{3}, "host-1"}).holder, "host-1");
  EXPECT_EQ(passed(model::leader_elected{{3}, "host-1", {~0ULL}}).nonce.value, ~0ULL);
}

model::log_batch some_batch() {
  model::log_batch batch;
  batch.generation = {2};
  batch.epoch = {3};
  batch.number = 4;
  batch.previous_hash = 0xfeedULL;
  batch.events = {{1, "research", model::queue_set{some_settings()}},
                  {2, "research", model::job_submitted{some_header()}},
                  {3, "research", model::run_failed{run, outcome}}};
  return batch;
}

TEST(log_codec, batches) {
  const auto bytes = encode_batch(some_batch());
  const auto decoded = decode_batch(bytes);
  ASSERT_TRUE(decoded) << decoded.error().detail;
  EXPECT_EQ(decoded->format, 1U);
  EXPECT_EQ(decoded->generation.value, 2U);
  EXPECT_EQ(decoded->epoch.value, 3U);
  EXPECT_EQ(decoded->number, 4U);
  EXPECT_EQ(decoded->previous_hash, 0xfeedU);
  ASSERT_EQ(decoded->events.size(), 3U);
  expect_equal(*some_header(), *std::get<model::job_submitted>(decoded->events[1].payload).header,
               true);
  EXPECT_EQ(batch_hash(bytes), batch_hash(encode_batch(some_batch())));
  EXPECT_NE(batch_hash(bytes), batch_hash(bytes.substr(1)));
}

TEST(log_codec, equal_batches_have_equal_bytes) {
  const auto batch_with_labels = [] {
    model::node_info node;
    node.name = "n";
    for (int i = 0; i < 40; ++i)
      node.labels.emplace_back("label" + std::to_string(i), std::to_string(i));
    auto settings = some_settings();
    settings.labels = node.labels;
    model::log_batch batch;
    batch.events = {{1, "", model::nodes_changed{"c", {node}, {}}},
                    {1, "q", model::queue_set{settings}}};
    return encode_batch(batch);
  };
  const auto first = batch_with_labels();
  // Each message hashes the keys of its maps in another way.
  for (int i = 0; i < 20; ++i) EXPECT_EQ(batch_with_labels(), first);
}

TEST(log_codec, the_hash_never_changes) {
  EXPECT_EQ(batch_hash(""), 0x2d06800538d394c2ULL);  // This is XXH3-64 of nothing, as published.
}

TEST(log_codec, equal_shapes_are_shared) {
  const auto batch = decode_batch(encode_batch(some_batch()));
  const auto again = decode_batch(encode_batch(some_batch()));
  ASSERT_TRUE(batch && again);
  EXPECT_EQ(std::get<model::job_submitted>(batch->events[1].payload).header->shape,
            std::get<model::job_submitted>(again->events[1].payload).header->shape);
}

TEST(log_codec, keeps_where_a_generation_begins) {
  const auto decoded =
      decode_event(encode_event({1, "", model::generation_begun{{2}, {1}, {300}, 4, 5, 6}}, false));
  ASSERT_TRUE(decoded);
  const auto& begun = std::get<model::generation_begun>(decoded->payload);
  EXPECT_EQ(begun.generation.value, 2u);
  EXPECT_EQ(begun.previous.value, 1u);
  EXPECT_EQ(begun.position.value, 300u);
  EXPECT_EQ(begun.queues, 4u);
  EXPECT_EQ(begun.live_jobs, 5u);
  EXPECT_EQ(begun.clusters, 6u);
}

TEST(log_codec, unknown_fields_are_passed_over) {
  auto bytes = encode_batch(some_batch());
  bytes += std::string_view{"\xfa\x3e\x03new", 6};  // This is field 1007.
  EXPECT_TRUE(decode_batch(bytes));
}

TEST(log_codec, refuses_what_it_does_not_know) {
  auto batch = some_batch();
  batch.format = 2;
  auto decoded = decode_batch(encode_batch(batch));
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, ec::corrupt);
  EXPECT_THAT(decoded.error().detail, HasSubstr("format 2; this version reads 1"));

  log::v1::Batch later;
  later.set_format(1);
  later.set_epoch(3);
  later.set_number(4);
  later.add_events()->set_queue("q");
  decoded = decode_batch(later.SerializeAsString());
  ASSERT_FALSE(decoded);
  EXPECT_THAT(decoded.error().detail,
              HasSubstr("log batch 3.4, event 0: the event is of an unknown"));
}

TEST(log_codec, refuses_wrong_values) {
  const auto refused = [](const std::function<void(log::v1::Event&)>& change) {
    log::v1::Event event;
    change(event);
    const auto decoded = decode_event(event.SerializeAsString());
    EXPECT_FALSE(decoded);
    return decoded ? "" : decoded.error().detail;
  };
  EXPECT_THAT(refused([](auto& e) { e.mutable_run_pending()->mutable_run()->set_job("short"); }),
              HasSubstr("an id has 5 bytes where 16 are due"));
  EXPECT_THAT(refused([](auto& e) { e.mutable_job_submitted(); }), HasSubstr("an id has 0 bytes"));
  EXPECT_THAT(refused([](auto& e) {
                e.mutable_job_submitted()->mutable_header()->set_id(std::string(16, 'x'));
                e.mutable_job_submitted()->mutable_header()->set_shape("\xff");
              }),
              HasSubstr("not a scheduling shape"));
  EXPECT_THAT(refused([](auto& e) {
                log::v1::Shape shape;
                shape.add_affinity()->add_rules()->set_operation(6);
                e.mutable_job_submitted()->mutable_header()->set_id(std::string(16, 'x'));
                e.mutable_job_submitted()->mutable_header()->set_shape(shape.SerializeAsString());
              }),
              HasSubstr("affinity operation 6 is unknown"));
  EXPECT_THAT(refused([](auto& e) {
                auto& total = *e.mutable_nodes_changed()->add_set()->add_total();
                total.set_resource("cpu");
                total.set_amount(-1);
              }),
              HasSubstr("'cpu' is negative"));
  EXPECT_THAT(refused([](auto& e) {
                auto& node = *e.mutable_nodes_changed()->add_set();
                node.add_total()->set_resource("cpu");
                node.add_total()->set_resource("cpu");
              }),
              HasSubstr("'cpu' occurs twice"));
}

TEST(log_codec, damaged_bytes_never_crash) {
  const auto bytes = encode_batch(some_batch());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    if (const auto decoded = decode_batch(std::string_view{bytes}.substr(0, size)); !decoded) {
      EXPECT_EQ(decoded.error().code, ec::corrupt);
    }
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int flip : {0x01, 0x10, 0x80, 0xff}) {
      auto changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      static_cast<void>(decode_batch(changed));
    }
  EXPECT_FALSE(decode_batch(std::string(100'000, '\x33')));  // These are nested groups.
}

}  // namespace
}  // namespace argosy::codec
