// SPDX-License-Identifier: Apache-2.0
// Goal: a span says the same on both sides of the wire, whoever recorded it, and a hostile one is
// bounded. Method: round trips, and messages put together by hand.
#include "messages/codec/span_codec.hpp"
#include "messages/proto/argosy/trace.pb.h"

#include <gtest/gtest.h>

namespace argosy::codec {
namespace {

trace::finished_span sample() {
  trace::finished_span span;
  span.trace = {0x0102030405060708, 0x090a0b0c0d0e0f10};
  span.span = 7;
  span.parent = 6;
  span.name = "run";
  span.actor = "argosy.executor";
  span.process = "argosy-agent/local";
  span.start_nanos = 1'000;
  span.wait_nanos = 20;
  span.duration_nanos = 300;
  span.link = {{5, 6}, 7, true};
  span.attributes = {{"backend", "process"}, {"exit_code", "7"}};
  return span;
}

TEST(span_codec, gives_back_what_was_recorded) {
  v1::Span wire;
  to_wire(sample(), wire);
  EXPECT_EQ(wire.trace_id(), "\1\2\3\4\5\6\7\x8\x9\xa\xb\xc\xd\xe\xf\x10");
  auto back = from_wire(wire);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, sample());
}

TEST(span_codec, keeps_that_a_span_failed) {
  auto failed = sample();
  failed.failed = true;
  v1::Span wire;
  to_wire(failed, wire);
  EXPECT_EQ(wire.attributes().at("error"), "true");
  auto back = from_wire(wire);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, failed);
}

TEST(span_codec, orders_attributes_by_their_names) {
  v1::Span wire;
  to_wire(sample(), wire);
  for (const auto* key : {"z", "m", "a", "q"}) (*wire.mutable_attributes())[key] = key;
  auto back = from_wire(wire);
  ASSERT_TRUE(back);
  std::string keys;
  for (const auto& [key, value] : back->attributes) keys += key + " ";
  EXPECT_EQ(keys, "a backend exit_code m q z ");
}

TEST(span_codec, bounds_what_somebody_else_recorded) {
  v1::Span wire;
  to_wire(sample(), wire);
  wire.set_name(std::string(5'000, 'x'));
  for (int i = 0; i < 200; ++i) (*wire.mutable_attributes())["k" + std::to_string(i)] = "v";
  auto back = from_wire(wire);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->name.size(), 1'024U);
  EXPECT_EQ(back->attributes.size(), 64U);
  wire.set_trace_id("short");
  EXPECT_EQ(from_wire(wire).error().code, ec::invalid_argument);
}

TEST(span_codec, cuts_no_character_in_two) {
  v1::Span wire;
  to_wire(sample(), wire);
  wire.set_name(std::string(1'023, 'x') + "\xc3\xa4");
  const auto back = from_wire(wire);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->name, std::string(1'023, 'x')) << "nobody could read the half of it";
}

}  // namespace
}  // namespace argosy::codec
