// SPDX-License-Identifier: Apache-2.0
// Goal: a session tells calls and their messages whole, in whatever pieces they come, and gives a
// caller room for more only when what he sent was taken. Method: frames as bytes, without a socket.
#include <gmock/gmock.h>

#include "tests/unit/rpc/session_fixture.hpp"

namespace argosy::rpc {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(rpc_session, tells_a_call_with_what_its_headers_say) {
  EXPECT_TRUE(
      give(http2::greeting() +
           open(1, 0,
                http2::named("authorization", "Bearer a") +
                    http2::named("authorization", "Bearer b") + http2::named("argosy-mode", "x") +
                    http2::named("argosy-user", "eve") + http2::named("grpc-timeout", "250m") +
                    http2::named("grpc-accept-encoding", "identity,gzip"))));
  ASSERT_THAT(opens, ElementsAre(1));
  EXPECT_EQ(heads[0].path, path);
  EXPECT_EQ(heads[0].authorization, "Bearer a") << "the first one counts";
  EXPECT_EQ(heads[0].chosen.get("argosy-mode"), "x");
  EXPECT_EQ(heads[0].chosen.get("argosy-user"), std::nullopt);
  EXPECT_EQ(heads[0].timeout, 250ms);
  EXPECT_TRUE(heads[0].takes_packed);
}

TEST_F(rpc_session, tells_a_message_that_comes_byte_by_byte_and_before_the_end_of_the_call) {
  const auto all = http2::greeting() + open(1) + data(1, http2::message("hello"));
  for (const auto byte : all) ASSERT_TRUE(give(std::string(1, byte)));
  EXPECT_THAT(messages, ElementsAre("hello"));
  EXPECT_THAT(without, IsEmpty());
}

TEST_F(rpc_session, tells_that_a_call_ends_without_a_message_or_within_one) {
  EXPECT_TRUE(give(http2::greeting() + open(1, http2::end_stream)));
  EXPECT_THAT(without, ElementsAre(1));
  EXPECT_TRUE(give(open(3) + data(3, "\1", http2::end_stream)));
  EXPECT_THAT(left, ElementsAre(3));
}

TEST_F(rpc_session, keeps_the_next_question_until_it_is_asked_for) {
  last_read = false;
  EXPECT_TRUE(give(http2::greeting() + open(1) +
                   data(1, http2::message("one") + http2::message("two"), http2::end_stream)));
  EXPECT_THAT(messages, ElementsAre("one"));
  session.read(1, message_max, false);
  EXPECT_THAT(messages, ElementsAre("one", "two"));
  EXPECT_THAT(without, IsEmpty());
  session.read(1, message_max, false);
  EXPECT_THAT(without, ElementsAre(1));
}

TEST_F(rpc_session, ends_a_call_whose_request_is_too_large_before_it_has_come) {
  message_max = 10;
  EXPECT_TRUE(give(http2::greeting() + open(1) + data(1, std::string(4, '\0') + "\x0b")));
  EXPECT_THAT(left, ElementsAre(1));
  EXPECT_TRUE(was_sent(http2::headers, 1));
  EXPECT_TRUE(was_sent(http2::rst_stream, 1)) << "who would send more is told not to";
  EXPECT_EQ(session.calls(), 0U);
}

TEST_F(rpc_session, gives_a_stranger_no_room_for_more_before_it_is_known_who_calls) {
  read_at_once = false;
  EXPECT_TRUE(give(http2::greeting() + open(1)));
  const std::string piece(16'000, 'x');
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(give(data(1, piece)));
  EXPECT_FALSE(was_sent(http2::window_update, 0));
  // What is sent beyond the window ends the connection.
  static_cast<void>(give(data(1, piece)));
  EXPECT_TRUE(was_sent(http2::goaway, 0));
  EXPECT_FALSE(give(""));
}

TEST_F(rpc_session, reads_no_more_of_a_stranger_than_it_has_to) {
  read_at_once = false;
  EXPECT_TRUE(give(http2::greeting() + open(1)));
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(session.wants_rest());
    EXPECT_TRUE(give(data(1, std::string(10'000, 'x'))));
  }
  EXPECT_TRUE(session.wants_rest());
  let_in();
  EXPECT_FALSE(session.wants_rest());
  EXPECT_GE(held(), call_bytes + 20'000);
}

TEST_F(rpc_session, holds_no_more_bytes_than_the_pool_has) {
  pool = std::make_shared<byte_pool>(connection_bytes + 2 * call_bytes + 100'000);
  let_in();
  EXPECT_TRUE(give(http2::greeting() + open(1) + open(3)));
  const auto large = http2::message(std::string(70'000, 'x'));
  const auto part = [&](std::uint32_t stream, std::size_t from) {
    return data(stream, large.substr(from, 15'000));
  };
  for (const auto stream : {1U, 3U})
    for (std::size_t at = 0; at < 60'000; at += 15'000) EXPECT_TRUE(give(part(stream, at)));
  EXPECT_THAT(left, ElementsAre(3));
  EXPECT_TRUE(give(part(1, 60'000)));
  EXPECT_THAT(messages, SizeIs(1));
  EXPECT_EQ(held(), call_bytes);
  // The same holds for answers that nobody takes.
  EXPECT_TRUE(session.write(1, std::string(90'000, 'x'), false));
  EXPECT_FALSE(session.write(1, std::string(90'000, 'x'), false));
  take();
  EXPECT_EQ(session.calls(), 0U);
  EXPECT_EQ(held(), 0U);
}

TEST_F(rpc_session, counts_a_request_until_nobody_has_it_any_more) {
  keeps_requests = true;
  let_in();
  EXPECT_TRUE(give(http2::greeting() + open(1) +
                   data(1, http2::message(std::string(5'000, 'x')), http2::end_stream)));
  EXPECT_GT(held(), 5'000U);
  EXPECT_TRUE(give(reset(1)));
  EXPECT_GT(held(), 5'000U) << "the call has gone, and its request waits";
  kept.clear();
  EXPECT_EQ(held(), 0U);
}

TEST_F(rpc_session, tells_who_gets_no_answer_that_too_much_waits) {
  pool = std::make_shared<byte_pool>(connection_bytes + call_bytes + 100'000);
  let_in();
  EXPECT_TRUE(give(http2::greeting() + open(1, http2::end_stream)));
  EXPECT_FALSE(session.write(1, std::string(110'000, 'x'), false));
  take();
  EXPECT_TRUE(was_sent(http2::headers, 1));
  EXPECT_FALSE(was_sent(http2::rst_stream, 1));
  EXPECT_EQ(session.calls(), 0U);
}

TEST_F(rpc_session, counts_the_connection_and_its_calls) {
  pool = std::make_shared<byte_pool>(connection_bytes + 3 * call_bytes);
  EXPECT_TRUE(give(http2::greeting() + open(1)));
  let_in();
  EXPECT_TRUE(give(open(3) + open(5) + open(7)));
  EXPECT_EQ(session.calls(), 3U);
  EXPECT_TRUE(was_sent(http2::rst_stream, 7));
  EXPECT_EQ(opens.size(), 3U);
  session_core other{limits, *this, now};
  EXPECT_FALSE(other.let_in(pool));
  // What lasts is counted by whoever serves it.
  session.count_apart(1);
  EXPECT_TRUE(give(open(9)));
  EXPECT_EQ(session.calls(), 4U);
  for (const auto id : {1, 3, 5, 9}) session.finish(id, {});
  take();
  EXPECT_EQ(held(), 0U);
}

TEST_F(rpc_session, is_less_patient_when_much_waits) {
  pool = std::make_shared<byte_pool>(connection_bytes + 200'000);
  let_in();
  EXPECT_TRUE(give(http2::greeting() + open(1, http2::end_stream) + open(3, http2::end_stream)));
  EXPECT_TRUE(session.write(1, std::string(80'000, 'x'), false));
  now += limits.strained_within + 1ms;
  EXPECT_TRUE(session.tick(now));
  take();
  EXPECT_THAT(left, IsEmpty()) << "there is room enough";
  EXPECT_TRUE(session.write(3, std::string(80'000, 'x'), false));
  // The first call takes a little, and the second one nothing.
  EXPECT_TRUE(give(http2::frame(http2::window_update, 0, 0, http2::number(10)) +
                   http2::frame(http2::window_update, 0, 1, http2::number(10))));
  now += limits.strained_within - 1ms;
  EXPECT_TRUE(give(http2::frame(http2::window_update, 0, 0, http2::number(10)) +
                   http2::frame(http2::window_update, 0, 1, http2::number(10))));
  now += 2ms;
  EXPECT_TRUE(session.tick(now));
  EXPECT_THAT(left, ElementsAre(3));
}

TEST_F(rpc_session, writes_messages_as_far_as_the_caller_takes_them_and_then_the_status) {
  let_in();
  EXPECT_TRUE(give(http2::greeting() + open(1, http2::end_stream)));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(session.write(1, std::string(40'000, 'x'), false));
  session.finish(1, {status_code::not_found, "it is gone: 100 %"});
  take();
  EXPECT_EQ(session.calls(), 1U) << "more than the window of HTTP/2 waits";
  EXPECT_TRUE(give(http2::frame(http2::window_update, 0, 0, http2::number(100'000)) +
                   http2::frame(http2::window_update, 0, 1, http2::number(100'000))));
  EXPECT_EQ(session.calls(), 0U);
  EXPECT_EQ(sent.back().type, http2::headers);
  EXPECT_EQ(held(), 0U);
}

TEST_F(rpc_session, lets_go_of_who_sends_no_request_or_takes_no_answer) {
  EXPECT_TRUE(give(http2::greeting() +
                   http2::frame(http2::settings, 0, 0, std::string("\0\4", 2) + http2::number(0)) +
                   open(1) + open(3, http2::end_stream)));
  EXPECT_TRUE(session.write(3, "nobody takes this", false));
  session.finish(3, {});
  now += limits.caller_within - 1ms;
  EXPECT_TRUE(session.tick(now));
  take();
  EXPECT_EQ(session.calls(), 2U);
  now += 2ms;
  EXPECT_TRUE(session.tick(now));
  take();
  EXPECT_EQ(session.calls(), 0U);
  EXPECT_THAT(left, ElementsAre(1));
}

TEST_F(rpc_session, ends_calls_at_their_deadline) {
  EXPECT_TRUE(give(http2::greeting() + open(1, 0, http2::named("grpc-timeout", "1S"))));
  now += 1'001ms;
  EXPECT_TRUE(session.tick(now));
  EXPECT_THAT(left, ElementsAre(1));
  take();
  EXPECT_TRUE(was_sent(http2::headers, 1));
}

TEST_F(rpc_session, closes_connections_that_are_not_used_or_not_alive) {
  EXPECT_TRUE(give(http2::greeting()));
  now += 121s;
  EXPECT_TRUE(session.tick(now));
  take();
  EXPECT_TRUE(was_sent(http2::ping, 0));
  EXPECT_TRUE(give(http2::frame(http2::ping, http2::ack, 0, std::string(8, '\0'))));
  now += 121s;
  EXPECT_TRUE(session.tick(now));
  now += 21s;
  EXPECT_FALSE(session.tick(now)) << "the second ping was not answered";
}

TEST_F(rpc_session, refuses_who_does_not_speak_grpc) {
  const auto block = std::string("\x82\x86") + http2::header("\x01", "localhost") + "\x84";
  EXPECT_TRUE(give(http2::greeting() +
                   http2::frame(http2::headers, http2::end_headers | http2::end_stream, 1, block)));
  EXPECT_THAT(opens, IsEmpty());
  EXPECT_TRUE(was_sent(http2::headers, 1));
  EXPECT_EQ(session.calls(), 0U);
}

TEST_F(rpc_session, closes_connections_of_another_protocol) {
  EXPECT_FALSE(give("GET / HTTP/1.1\r\n\r\n"));
}

}  // namespace

}  // namespace argosy::rpc
