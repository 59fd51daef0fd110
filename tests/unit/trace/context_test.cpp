// SPDX-License-Identifier: Apache-2.0
// Goal: contexts survive the W3C header, hostile headers are nothing, and the current context
// nests. Method: the standard's example, round trips, and a list of malformed headers.
#include "runtime/trace/context.hpp"

#include <gmock/gmock.h>

#include <set>
#include <thread>

namespace argosy::trace {
namespace {

constexpr std::string_view example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(traceparent, reads_and_writes_the_standards_example) {
  const auto ctx = parse_traceparent(example);
  ASSERT_TRUE(ctx);
  EXPECT_EQ(ctx->trace, (trace_id{0x4bf92f3577b34da6, 0xa3ce929d0e0e4736}));
  EXPECT_EQ(ctx->span, 0x00f067aa0ba902b7U);
  EXPECT_TRUE(ctx->sampled);
  EXPECT_EQ(format_traceparent(*ctx), example);
}

TEST(traceparent, keeps_only_the_sampled_flag) {
  const auto ctx = parse_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-fe");
  ASSERT_TRUE(ctx);
  EXPECT_FALSE(ctx->sampled);
}

TEST(traceparent, reads_later_versions_by_their_first_fields) {
  EXPECT_TRUE(parse_traceparent("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more"));
}

TEST(traceparent, refuses_malformed_headers) {
  for (const std::string_view bad :
       {"", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01x",
        "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01"})
    EXPECT_FALSE(parse_traceparent(bad)) << bad;
}

TEST(context, an_invalid_one_has_no_header) {
  EXPECT_EQ(format_traceparent({}), "");
}

TEST(context, a_child_keeps_trace_and_flag_and_gets_a_new_span) {
  auto root = new_root();
  root.sampled = false;
  const auto below = child(root);
  EXPECT_EQ(below.trace, root.trace);
  EXPECT_NE(below.span, root.span);
  EXPECT_FALSE(below.sampled);
  EXPECT_TRUE(child({}).valid());
}

TEST(context, scopes_nest_and_belong_to_their_thread) {
  const auto outer = new_root();
  const auto inner = new_root();
  {
    const scope a{outer};
    {
      const scope b{inner};
      EXPECT_EQ(current(), inner);
      bool empty_elsewhere = false;
      std::thread{[&] { empty_elsewhere = !current().valid(); }}.join();
      EXPECT_TRUE(empty_elsewhere);
    }
    EXPECT_EQ(current(), outer);
  }
  EXPECT_FALSE(current().valid());
}

TEST(context, ids_follow_from_a_seed_and_differ_otherwise) {
  seed_ids(7);
  const auto first = new_root();
  seed_ids(7);
  EXPECT_EQ(new_root(), first);
  std::set<span_id> seen;
  for (int i = 0; i < 10'000; ++i) seen.insert(make_span_id());
  EXPECT_EQ(seen.size(), 10'000U);
}

TEST(context, the_ratio_decides_which_new_traces_are_sampled) {
  seed_ids(1);
  set_sample_ratio(0.25);
  int sampled = 0;
  for (int i = 0; i < 10'000; ++i) sampled += new_root().sampled ? 1 : 0;
  set_sample_ratio(0);
  EXPECT_FALSE(new_root().sampled);
  set_sample_ratio(1);
  EXPECT_TRUE(new_root().sampled);
  EXPECT_NEAR(sampled, 2500, 200);
}

}  // namespace
}  // namespace argosy::trace
