// SPDX-License-Identifier: Apache-2.0
// Goal: what a nats-server says of the room of an account is understood, and operators are told in
// time. Method: answers as servers give them.
#include "bins/argosyd/upkeep/log_account.hpp"

#include <gtest/gtest.h>

#include <string>

#include "runtime/bus/in_memory.hpp"

namespace argosy::argosyd {
namespace {

std::string answer(const std::string& storage, const std::string& limit) {
  return R"({"type":"io.nats.jetstream.api.v1.account_info_response","memory":0,"storage":)" +
         storage + R"(,"streams":1,"limits":{"max_memory":-1,"max_storage":)" + limit +
         R"(,"max_streams":-1},"domain":"","api":{"total":4,"errors":0}})";
}

TEST(account_rooms, are_what_the_server_allows_and_what_is_used) {
  const auto room = parse_account(answer("300", "1000"), 1);
  ASSERT_TRUE(room);
  EXPECT_EQ(room->used, 300u);
  EXPECT_EQ(room->allowed, 1'000u);
  EXPECT_EQ(room->free(), 700u);
  EXPECT_EQ(parse_account(answer("1200", "1000"), 1)->free(), 0u);
}

TEST(account_rooms, are_not_known_without_a_limit) {
  for (const auto& text : {answer("300", "-1"), answer("300", "0"), answer("300", "\"x\""),
                           std::string{"{}"}, std::string{"[1]"}, std::string{"+OK"},
                           std::string{R"({"limits":7})"}, std::string{R"({"tiers":{}})"}})
    EXPECT_FALSE(parse_account(text, 1)) << text;
}

TEST(account_rooms, are_counted_for_one_copy) {
  const auto room = parse_account(answer("300", "3000"), 3);
  ASSERT_TRUE(room);
  EXPECT_EQ(room->used, 100u);
  EXPECT_EQ(room->allowed, 1'000u);
  const auto tiers = R"({"storage":9,"limits":{"max_storage":0},"tiers":{)"
                     R"("R1":{"storage":5,"limits":{"max_storage":50}},)"
                     R"("R3":{"storage":7,"limits":{"max_storage":70}}}})";
  EXPECT_EQ(parse_account(tiers, 3)->allowed, 70u);
  EXPECT_EQ(parse_account(tiers, 1)->used, 5u);
  EXPECT_FALSE(parse_account(tiers, 5)) << "no such stream may be made";
}

/// Looks once at the room that a server says in this answer.
health::concerns concerns_about(const std::string& said, bool sees_disk,
                                const std::shared_ptr<metrics::board>& board) {
  bus::memory_broker broker{{.manual_time = false}};
  const auto server = broker.connect();
  const auto own = broker.connect();
  const auto served = server->serve("$JS.API.INFO", [&](const bus::frame& asked) {
    static_cast<void>(server->respond(asked, said));
  });
  EXPECT_TRUE(served);
  account_watch watch{1, [&] { return own; },
                      [](const account_room& room) {
                        return eventlog::fill{room.used, room.allowed};
                      },
                      [=] { return sees_disk; }, board};
  auto out = watch.look(boot_time{1});
  own->close();
  server->close();
  return out;
}

TEST(account_rooms, that_nobody_knows_are_told_with_what_to_do) {
  const auto board = metrics::make_board();
  const auto unknown = [&] { return board->get<room_probe>()->unknown.value() != 0; };
  const auto told = concerns_about(answer("300", "-1"), false, board);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_FALSE(told[0].bad);
  EXPECT_NE(told[0].text.find("nobody knows how much room is left for the log"), std::string::npos);
  EXPECT_NE(told[0].text.find("max_file"), std::string::npos);
  EXPECT_TRUE(unknown());
  EXPECT_TRUE(concerns_about(answer("300", "-1"), true, board).empty()) << "its disk is looked at";
  EXPECT_FALSE(unknown());
  EXPECT_TRUE(concerns_about(answer("300", "100000"), false, board).empty());
  EXPECT_FALSE(unknown());
}

}  // namespace
}  // namespace argosy::argosyd
