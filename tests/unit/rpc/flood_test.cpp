// SPDX-License-Identifier: Apache-2.0
// Goal: a caller who sends frames that cost the server much and himself nothing is sent away, and
// meanwhile takes no memory. Method: as in session_test.cpp.
#include <gmock/gmock.h>

#include <functional>

#include "runtime/rpc/guest_list.hpp"
#include "tests/unit/rpc/session_fixture.hpp"

namespace argosy::rpc {

namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class rpc_flood : public rpc_session {
 protected:
  rpc_flood() { EXPECT_TRUE(give(http2::greeting())); }

  /// How many times the bytes are taken until the caller is sent away; at most so often.
  int times_until_calm(const std::function<std::string(std::uint32_t)>& bytes, int at_most) {
    for (int i = 0; i < at_most; ++i)
      if (!give(bytes(static_cast<std::uint32_t>(i)))) return i;
    return at_most;
  }
};

TEST_F(rpc_flood, of_calls_that_are_reset) {
  const auto times =
      times_until_calm([](std::uint32_t i) { return open(2 * i + 1) + reset(2 * i + 1); }, 100'000);
  EXPECT_EQ(times, resets_max);
  EXPECT_TRUE(was_calmed());
  EXPECT_THAT(opens, IsEmpty()) << "a call that is gone at once makes no work";
  EXPECT_EQ(session.calls(), 0U);
}

TEST_F(rpc_flood, of_calls_that_the_server_has_to_reset) {
  // A window that becomes too large is an error of the call.
  const auto times = times_until_calm(
      [](std::uint32_t i) {
        return open(2 * i + 1) +
               http2::frame(http2::window_update, 0, 2 * i + 1, http2::number(0x7fffffff));
      },
      100'000);
  EXPECT_LE(times, resets_max + 1);
  EXPECT_TRUE(was_calmed());
}

TEST_F(rpc_flood, is_not_a_caller_who_lets_go_of_old_calls) {
  let_in();
  give(http2::frame(http2::settings, http2::ack, 0, {}));
  for (std::uint32_t i = 0; i < 500; ++i) ASSERT_TRUE(give(open(2 * i + 1)));
  now += 2s;
  for (std::uint32_t i = 0; i < 500; ++i) ASSERT_TRUE(give(reset(2 * i + 1)));
  EXPECT_EQ(resets, 0);
  EXPECT_THAT(left, SizeIs(500));
}

TEST_F(rpc_flood, of_calls_beyond_what_a_stranger_may_have) {
  for (std::uint32_t i = 0; i < 16; ++i) ASSERT_TRUE(give(open(2 * i + 1)));
  static_cast<void>(times_until_calm([](std::uint32_t i) { return open(2 * i + 101); }, 100'000));
  EXPECT_TRUE(was_sent(http2::goaway, 0));
  EXPECT_EQ(opens.size(), 16U);
}

TEST_F(rpc_flood, of_calls_before_the_settings_are_acknowledged) {
  // This caller has never acknowledged the settings.
  session_core other{limits, *this, now};
  std::string bytes = http2::preface + http2::frame(http2::settings, 0, 0, {});
  for (std::uint32_t i = 0; i < 50'000; ++i) bytes += open(2 * i + 1);
  static_cast<void>(other.receive(bytes, now));
  EXPECT_LE(other.calls(), 16U);
}

TEST_F(rpc_flood, of_headers_that_never_end) {
  const auto times = times_until_calm(
      [](std::uint32_t i) {
        const auto piece = http2::named("x-a", std::string(100, 'y'));
        return i == 0 ? http2::frame(http2::headers, 0, 1, http2::call_block(path))
                      : http2::frame(http2::continuation, 0, 1, piece);
      },
      1'000);
  EXPECT_LT(times, 20);
  EXPECT_THAT(opens, IsEmpty());
}

TEST_F(rpc_flood, of_headers_that_are_small_when_packed) {
  // A header of 3 kB is put into the table once, and named by one byte each time after.
  std::string block = http2::call_block(path);
  block += std::string("\x40\x03") + "x-a" + "\x7f\xb9\x16" + std::string(3'000, 'y');
  block += std::string(10'000, '\xbe');
  EXPECT_FALSE(give(http2::frame(http2::headers, http2::end_headers, 1, block)));
  EXPECT_TRUE(was_calmed());
  EXPECT_THAT(opens, IsEmpty());
}

TEST_F(rpc_flood, of_headers_that_are_only_too_large_costs_the_call_alone) {
  std::string block = http2::call_block(path);
  block += std::string("\x40\x03") + "x-a" + "\x7f\xb9\x16" + std::string(3'000, 'y');
  block += std::string(30, '\xbe');
  EXPECT_TRUE(give(http2::frame(http2::headers, http2::end_headers, 1, block)));
  EXPECT_TRUE(was_sent(http2::headers, 1)) << "he is told why";
  EXPECT_THAT(opens, IsEmpty());
  EXPECT_TRUE(give(open(3)));
  EXPECT_THAT(opens, SizeIs(1));
}

TEST_F(rpc_flood, of_proofs_that_wait_before_it_is_known_who_calls) {
  const auto proof =
      std::string("\0\x0d", 2) + "authorization" + "\x7f\xb9\x16" + std::string(3'000, 'y');
  for (std::uint32_t i = 0; i < 16; ++i)
    ASSERT_TRUE(give(http2::frame(http2::headers, http2::end_headers, 2 * i + 1,
                                  http2::call_block(path) + proof + proof)));
  EXPECT_LT(opens.size(), 16U);
  std::size_t kept = 0;
  for (const auto& each : heads) kept += each.authorization.size();
  EXPECT_LE(kept, header_bytes_max);
}

TEST_F(rpc_flood, of_settings) {
  const auto times =
      times_until_calm([](auto) { return http2::frame(http2::settings, 0, 0, {}); }, 10'000);
  EXPECT_LT(times, 100);
  EXPECT_TRUE(was_calmed());
}

TEST_F(rpc_flood, of_pings_that_nobody_reads_the_answers_of) {
  int times = 0;
  const auto ping = http2::frame(http2::ping, 0, 0, std::string(8, '\0'));
  while (times < 10'000 && session.receive(ping, now)) ++times;
  EXPECT_LE(times, 1'000);
  std::string out;
  session.produce(out, std::size_t{1} << 20, now);
  EXPECT_LE(out.size(), 100'000U);
}

TEST_F(rpc_flood, is_not_a_ping_every_ten_seconds) {
  for (int i = 0; i < 10'000; ++i) {
    now += 10s;
    ASSERT_TRUE(give(http2::frame(http2::ping, 0, 0, std::string(8, '\0'))));
  }
}

TEST_F(rpc_flood, of_data_of_one_byte_each) {
  ASSERT_TRUE(give(open(1) + data(1, std::string("\0\0\x10\0\0", 5))));
  const auto times = times_until_calm([](auto) { return data(1, "x"); }, 1'000'000);
  EXPECT_LE(times, 10'001);
  EXPECT_TRUE(was_calmed());
}

TEST_F(rpc_flood, of_data_that_is_empty_of_windows_and_of_priorities) {
  for (const auto& each : {data(1, ""), http2::frame(http2::window_update, 0, 0, http2::number(1)),
                           http2::frame(http2::priority, 0, 1, http2::number(0) + "x")}) {
    session_core other{limits, *this, now};
    std::string bytes = http2::greeting() + open(1);
    for (int i = 0; i < 11'000; ++i) bytes += each;
    EXPECT_FALSE(other.receive(bytes, now));
    EXPECT_STRNE(other.fault(), "");
  }
}

TEST_F(rpc_flood, of_calls_while_too_many_wait) {
  pool = std::make_shared<byte_pool>(connection_bytes + call_bytes);
  let_in();
  EXPECT_TRUE(give(open(1)));
  const auto times = times_until_calm([](std::uint32_t i) { return open(2 * i + 3); }, 1'000);
  EXPECT_LT(times, 100);
  EXPECT_TRUE(was_calmed());
}

TEST_F(rpc_flood, of_connections_that_do_not_greet) {
  session_core other{limits, *this, now};
  EXPECT_TRUE(other.receive("PRI * HTTP", now));
  EXPECT_TRUE(other.tick(now + 9s));
  EXPECT_FALSE(other.tick(now + 11s));
}

border::address_block block(const char* peer) {
  return border::address_block::of_peer(peer);
}

TEST(guest_list, sends_away_the_oldest_stranger_of_the_largest_block_and_nobody_who_is_known) {
  guest_list guests{{.all_max = 100, .strangers_max = 11, .user_max = 2}};
  EXPECT_FALSE(guests.add(1, block("ipv4:10.0.0.1:1")));
  EXPECT_TRUE(guests.let_in(1, "ann"));
  EXPECT_FALSE(guests.add(2, block("ipv4:10.0.0.9:1")));
  for (int i = 3; i < 13; ++i) EXPECT_FALSE(guests.add(i, block("ipv4:10.0.0.1:2")));
  EXPECT_EQ(guests.add(13, block("ipv4:10.0.0.1:3")), 3);
  EXPECT_EQ(guests.add(14, block("ipv4:10.0.0.8:1")), 4);
  EXPECT_EQ(guests.known(), 1U);
  EXPECT_EQ(guests.strangers(), 11U);
}

TEST(guest_list, gives_a_user_so_many_connections_and_their_bytes_together) {
  guest_list guests{{.user_max = 2, .held_max = 1'000, .user_held_max = 600}};
  const auto first = guests.let_in(1, "ann");
  const auto second = guests.let_in(2, "ann");
  EXPECT_EQ(guests.let_in(3, "ann"), nullptr);
  EXPECT_TRUE(first->take(400));
  EXPECT_FALSE(second->take(400));
  EXPECT_TRUE(guests.let_in(4, "bob")->take(600));
  EXPECT_FALSE(first->take(100)) << "there are no more in all";
  first->give(400);
  guests.remove(1);
  EXPECT_NE(guests.let_in(3, "ann"), nullptr);
}

TEST(guest_list, leaves_something_to_each_further_user) {
  guest_list guests{{.held_max = 1'000, .user_held_max = 600}};
  const auto ann = guests.let_in(1, "ann");
  const auto bob = guests.let_in(2, "bob");
  EXPECT_TRUE(ann->take(300));
  EXPECT_TRUE(ann->take(300));
  EXPECT_TRUE(bob->take(200));
  EXPECT_FALSE(bob->take(100)) << "he would leave less than he has";
  EXPECT_TRUE(guests.let_in(3, "eve")->take(200));
}

TEST(guest_list, counts_resets_by_address) {
  guest_list guests{{.resets = {2, 1}}};
  const auto one = block("ipv6:%5B2001:db8::1%5D:1");
  const auto same = block("ipv6:%5B2001:db8::2%5D:1");
  EXPECT_TRUE(guests.may_reset(one, 1000s));
  EXPECT_TRUE(guests.may_reset(same, 1000s));
  EXPECT_FALSE(guests.may_reset(one, 1000s));
  EXPECT_TRUE(guests.may_reset(block("ipv4:10.0.0.1:1"), 1000s));
  EXPECT_TRUE(guests.may_reset(same, 1001s));
}

}  // namespace

}  // namespace argosy::rpc
