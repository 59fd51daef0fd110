// SPDX-License-Identifier: Apache-2.0
// Goal: strangers share what a server has by their addresses, so that one of them cannot take all
// of it. Method: the pure rules are asked about addresses and callers in an order.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "runtime/border/address_block.hpp"
#include "runtime/border/fair_line.hpp"
#include "runtime/border/oldest_core.hpp"
#include "runtime/border/places_core.hpp"
#include "runtime/border/refusal_core.hpp"

namespace argosy::border {
namespace {

using namespace std::chrono_literals;

address_block of(const char* peer) {
  return address_block::of_peer(peer);
}

TEST(address_blocks, are_an_address_of_ipv4_whatever_the_port) {
  EXPECT_EQ(of("ipv4:10.0.0.1:80"), of("ipv4:10.0.0.1:81"));
  EXPECT_NE(of("ipv4:10.0.0.1:80"), of("ipv4:10.0.0.2:80"));
  EXPECT_EQ(of("ipv4:10.0.0.1:80"), of("ipv6:%5B::ffff:10.0.0.1%5D:80"));
}

TEST(address_blocks, are_a_64_of_ipv6) {
  EXPECT_EQ(of("ipv6:%5B2001:db8::1%5D:80"), of("ipv6:%5B2001:db8::ffff:0:0:9%5D:81"));
  EXPECT_EQ(of("ipv6:%5B2001:db8::1%5D:80"), of("ipv6:[2001:db8::2]:80"));
  EXPECT_NE(of("ipv6:%5B2001:db8::1%5D:80"), of("ipv6:%5B2001:db8:0:1::1%5D:80"));
  EXPECT_EQ(of("ipv6:%5Bfe80::1%25eth0%5D:80"), of("ipv6:%5Bfe80::2%5D:80"));
}

TEST(address_blocks, are_one_for_all_without_an_address) {
  for (const auto* peer : {"", "unix:", "unix:/run/x", "ipv4:", "ipv4:1.2.3", "ipv6:%5B", "ipv6:"})
    EXPECT_EQ(of(peer), address_block{}) << peer;
}

TEST(address_blocks, are_the_same_by_the_kernels_form) {
  sockaddr_storage address{};
  auto& v4 = reinterpret_cast<sockaddr_in&>(address);
  v4.sin_family = AF_INET;
  v4.sin_port = htons(80);
  ASSERT_EQ(::inet_pton(AF_INET, "10.0.0.1", &v4.sin_addr), 1);
  EXPECT_EQ(address_block::of(address), of("ipv4:10.0.0.1:9"));
  address = {};
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address);
  v6.sin6_family = AF_INET6;
  ASSERT_EQ(::inet_pton(AF_INET6, "2001:db8::1", &v6.sin6_addr), 1);
  EXPECT_EQ(address_block::of(address), of("ipv6:%5B2001:db8::5%5D:9"));
}

const auto a = of("ipv4:10.0.0.1:1");
const auto b = of("ipv4:10.0.0.2:1");
const auto c = of("ipv4:10.0.0.3:1");

TEST(places, are_limited_for_all_and_for_each_block) {
  places_core places{3, 2};
  EXPECT_TRUE(places.enter(a));
  EXPECT_TRUE(places.enter(a));
  EXPECT_FALSE(places.enter(a));
  EXPECT_TRUE(places.enter(b));
  EXPECT_FALSE(places.enter(c));
  places.leave(a);
  EXPECT_TRUE(places.enter(c));
}

TEST(places, of_blocks_that_have_none_take_no_memory) {
  places_core places{3, 2};
  ASSERT_TRUE(places.enter(a));
  places.leave(a);
  places.leave(a);
  EXPECT_EQ(places.size(), 0u);
  EXPECT_EQ(places.blocks(), 0u);
  places_core none{0, 2};
  EXPECT_FALSE(none.enter(a));
  EXPECT_EQ(none.blocks(), 0u);
}

TEST(places_that_are_short, are_left_by_the_oldest_of_the_block_with_the_most) {
  oldest_core places;
  EXPECT_FALSE(places.first_to_go());
  constexpr int few = oldest_core::few;
  places.add(0, b);
  for (int i = 1; i <= few + 1; ++i) places.add(i, a);
  EXPECT_EQ(places.first_to_go(), 1);
  places.remove(1);
  EXPECT_EQ(places.first_to_go(), 0) << "neither has more than few";
  for (int i = few + 2; i <= 2 * few + 1; ++i) places.add(i, b);
  EXPECT_EQ(places.first_to_go(), 0) << "b has more";
  places.remove(1);
  EXPECT_EQ(places.size(), 2u * few + 1);
}

TEST(places_that_are_short, are_not_left_by_one_of_two_while_many_others_came_before_them) {
  oldest_core places;
  const auto single = [](int i) { return of(("ipv4:10.1.1." + std::to_string(i) + ":1").c_str()); };
  for (int i = 0; i < 100; ++i) places.add(i, single(i));
  places.add(100, a);
  places.add(101, a);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(places.first_to_go(), i);
    places.remove(i);
  }
  EXPECT_EQ(places.first_to_go(), 100);
}

TEST(places_that_are_short, are_left_by_the_oldest_of_blocks_with_as_many) {
  for (const auto& order : {std::array{a, b, c}, std::array{c, b, a}, std::array{b, c, a}}) {
    oldest_core places;
    for (std::size_t i = 0; i < order.size(); ++i) places.add(static_cast<int>(i), order[i]);
    EXPECT_EQ(places.first_to_go(), 0);
    places.remove(0);
    EXPECT_EQ(places.first_to_go(), 1);
  }
}

TEST(places_that_are_short, are_not_left_by_who_comes_last_to_one_block) {
  oldest_core places;
  for (int i = 0; i < 10'000; ++i) {
    places.add(i, a);
    if (places.size() <= 100) continue;
    ASSERT_EQ(places.first_to_go(), i - 100);
    places.remove(i - 100);
  }
}

TEST(fair_lines, serve_blocks_in_turn) {
  fair_line<std::string> line{10};
  for (const auto* each : {"a1", "a2", "a3"}) EXPECT_FALSE(line.add(a, each));
  EXPECT_FALSE(line.add(b, "b1"));
  EXPECT_FALSE(line.add(b, "b2"));
  std::string served;
  while (!line.empty()) served += line.take() + ' ';
  EXPECT_EQ(served, "a1 b1 a2 b2 a3 ");
}

TEST(fair_lines, have_the_longest_block_give_way_when_they_are_full) {
  fair_line<int> line{4};
  for (const int i : {1, 2, 3}) EXPECT_FALSE(line.add(a, i));
  EXPECT_FALSE(line.add(b, 4));
  EXPECT_EQ(line.add(c, 5), 3);
  EXPECT_EQ(line.add(c, 6), 6) << "it would have as many as the longest";
  EXPECT_EQ(line.add(a, 7), 7);
  EXPECT_EQ(line.size(), 4u);
}

TEST(refusals, are_told_at_once_to_begin_with_and_then_one_after_the_other) {
  refusal_core told{{.apart = 500ms, .all_apart = 1ms, .latest = 2s}};
  EXPECT_EQ(told.wait_to_tell("a", 10s), 0s);
  EXPECT_EQ(told.wait_to_tell("a", 10s), 0s);
  EXPECT_EQ(told.wait_to_tell("a", 10s), 500ms);
  EXPECT_EQ(told.wait_to_tell("b", 10s), 0s) << "another caller";
  EXPECT_EQ(told.wait_to_tell("a", 10s + 100ms), 900ms);
  EXPECT_EQ(told.wait_to_tell("a", 10s + 100ms), 1400ms);
  EXPECT_EQ(told.wait_to_tell("a", 10s + 100ms), 1900ms);
  EXPECT_EQ(told.wait_to_tell("a", 10s + 100ms), std::nullopt) << "he has too many coming";
  EXPECT_EQ(told.wait_to_tell("a", 12s), 500ms) << "the last one that is coming was told then";
  EXPECT_EQ(told.wait_to_tell("a", 20s), 0s);
}

TEST(refusals, of_all_callers_together_are_told_so_often_too) {
  refusal_core told{{.apart = 1ms, .all_apart = 500ms, .latest = 1s}};
  for (const auto* each : {"a", "b"}) EXPECT_EQ(told.wait_to_tell(each, 10s), 0s);
  EXPECT_EQ(told.wait_to_tell("c", 10s), 500ms);
  EXPECT_EQ(told.wait_to_tell("d", 10s), 1s);
  EXPECT_EQ(told.wait_to_tell("e", 10s), std::nullopt);
}

TEST(refusals, of_callers_who_are_quiet_are_forgotten_for_others) {
  refusal_core told{{.callers = 2}};
  EXPECT_EQ(told.wait_to_tell("a", 10s), 0s);
  EXPECT_EQ(told.wait_to_tell("b", 10s), 0s);
  EXPECT_EQ(told.wait_to_tell("c", 10s), std::nullopt) << "as many callers are told as may be";
  EXPECT_EQ(told.wait_to_tell("c", 12s), 0s);
}

}  // namespace
}  // namespace argosy::border
