// SPDX-License-Identifier: Apache-2.0
// Goal: a server that was away is asked again soon, and whoever follows a collection learns at once
// that it is back. Method: answers as an API server gives them, or none.
#include <gmock/gmock.h>

#include <variant>

#include "runtime/kube/follow/follow_core.hpp"

namespace argosy::kube {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

/// Waits are half of their most.
class half_of_all final : public random_source {
 public:
  std::uint64_t next() override { return 0; }
};

constexpr const char* empty_page = R"({"metadata":{"resourceVersion":"10"},"items":[]})";
const follow_end away{.why = error{ec::unreachable, "refused"}};
const follow_end silent{.why = error{ec::timeout, "silence"}};
const follow_end busy{.status = 503};
const follow_end without_credentials{.why = error{ec::denied, "the plugin failed"}};

class follow_resumption : public ::testing::Test {
 protected:
  /// What is told, as words; lists and changes are not looked at.
  static std::vector<std::string> words(const follow_effects& from) {
    std::vector<std::string> out;
    for (const auto& each : from.tell)
      if (std::holds_alternative<told_resumption>(each))
        out.emplace_back("resumed");
      else if (std::holds_alternative<error>(each))
        out.emplace_back("interrupted");
    return out;
  }
  std::chrono::milliseconds wait_after(int times, const follow_end& end) {
    follow_core one{"/pods", {}, random};
    static_cast<void>(one.begin());
    std::chrono::milliseconds out{0};
    for (int i = 0; i < times; ++i) out = one.list_failed(end).next->after;
    return out;
  }

  half_of_all random;
  follow_core core{"/pods", {}, random};
};

TEST_F(follow_resumption, asks_a_server_that_does_not_answer_again_sooner_than_one_that_refuses) {
  EXPECT_EQ(wait_after(1, away), 100ms);
  EXPECT_EQ(wait_after(20, away), 2'500ms);
  EXPECT_EQ(wait_after(20, silent), 2'500ms);
  EXPECT_EQ(wait_after(20, busy), 15'000ms);
  EXPECT_EQ(wait_after(20, without_credentials), 15'000ms);
}

TEST_F(follow_resumption, is_told_when_a_watch_is_open_though_nothing_has_changed) {
  static_cast<void>(core.begin());
  static_cast<void>(core.page(empty_page));
  EXPECT_THAT(words(core.watch_opened()), IsEmpty()) << "nothing was wrong";
  EXPECT_THAT(words(core.watch_ended(away)), ElementsAre("interrupted"));
  EXPECT_THAT(words(core.watch_ended(away)), IsEmpty());
  EXPECT_THAT(words(core.watch_opened()), ElementsAre("resumed"));
  EXPECT_THAT(words(core.watch_opened()), IsEmpty());
}

TEST_F(follow_resumption, is_told_before_a_new_list) {
  static_cast<void>(core.begin());
  EXPECT_THAT(words(core.list_failed(away)), ElementsAre("interrupted"));
  const auto listed = core.page(empty_page);
  ASSERT_EQ(listed.tell.size(), 2);
  EXPECT_TRUE(std::holds_alternative<told_resumption>(listed.tell[0]));
  EXPECT_TRUE(std::holds_alternative<told_list>(listed.tell[1]));
}

TEST_F(follow_resumption, is_told_once_by_a_server_that_ends_each_watch_at_once) {
  static_cast<void>(core.begin());
  static_cast<void>(core.page(empty_page));
  static_cast<void>(core.watch_ended(away));
  EXPECT_THAT(words(core.watch_opened()), ElementsAre("resumed"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(words(core.watch_ended({.status = 200})), IsEmpty());
    EXPECT_THAT(words(core.watch_opened()), IsEmpty());
  }
}

TEST_F(follow_resumption, lists_anew_and_says_so_when_another_server_is_asked) {
  const error moved{ec::unreachable, "the server is another one now"};
  static_cast<void>(core.begin());
  static_cast<void>(core.page(empty_page));
  static_cast<void>(core.watch_opened());
  for (int i = 0; i < 2; ++i) {
    const auto told = core.begin_anew(moved);
    EXPECT_THAT(words(told), ElementsAre("interrupted")) << "also if it was before";
    ASSERT_TRUE(told.next);
    EXPECT_EQ(told.next->what, follow_step::kind::list);
    EXPECT_EQ(told.next->path, "/pods?limit=500");
    EXPECT_EQ(told.next->after, 0ms);
  }
  EXPECT_THAT(words(core.page(empty_page)), ElementsAre("resumed"));
}

TEST_F(follow_resumption, says_what_a_server_may_mean_that_does_not_know_who_asks) {
  static_cast<void>(core.begin());
  const follow_end unknown{.status = 401, .body = R"({"message":"Unauthorized"})"};
  const auto told = core.list_failed(unknown);
  ASSERT_EQ(told.tell.size(), 1);
  EXPECT_EQ(to_string(std::get<error>(told.tell[0])),
            "denied: '/pods' cannot be listed: the API server answers 401 (Unauthorized); it knows "
            "no such token or client certificate, or that has expired");
}

}  // namespace

}  // namespace argosy::kube
