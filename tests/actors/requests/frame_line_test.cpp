// SPDX-License-Identifier: Apache-2.0
// Goal: callers take turns at a gateway, and few questions of one are under way, whatever order
// frames come in and go. Method: a line without an actor, whose calls the test makes itself.
#include "actors/frame_line.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace argosy::actors {

using ::testing::ElementsAre;

struct frame_lines : ::testing::Test {
  static native::frame_ptr named(const std::string& name, std::size_t bytes = 1) {
    bus::frame out;
    out.subject = name;
    out.data.assign(bytes, 'x');
    return std::make_shared<const bus::frame>(std::move(out));
  }

  bool ask(const std::string& caller, const std::string& name) {
    return line.add(caller, named(name), true);
  }

  /// What one call serves.
  std::vector<std::string> served() {
    std::vector<std::string> out;
    due = line.serve_some([&](const native::frame_ptr& frame) {
      out.push_back(frame->subject);
      open.push_back(frame);
    });
    return out;
  }

  int woken = 0;
  bool due = false;
  frame_line line{[this] { ++woken; }};
  std::vector<native::frame_ptr> open;  ///< What was served and not answered.
};

TEST_F(frame_lines, serve_callers_in_turn) {
  EXPECT_TRUE(line.add("a", named("a1"), false));
  EXPECT_FALSE(line.add("a", named("a2"), false)) << "it is due already";
  static_cast<void>(line.add("a", named("a3"), false));
  static_cast<void>(line.add("b", named("b1"), false));
  EXPECT_THAT(served(), ElementsAre("a1", "b1", "a2", "a3"));
  EXPECT_FALSE(due);
  EXPECT_TRUE(line.add("a", named("a4"), false));
}

TEST_F(frame_lines, look_for_others_after_a_large_one) {
  static_cast<void>(line.add("a", named("a1", 64 << 10), false));
  static_cast<void>(line.add("a", named("a2"), false));
  EXPECT_THAT(served(), ElementsAre("a1"));
  EXPECT_TRUE(due);
  EXPECT_FALSE(line.add("b", named("b1"), false));
  EXPECT_THAT(served(), ElementsAre("a2", "b1"));
}

TEST_F(frame_lines, have_four_questions_of_a_caller_under_way) {
  for (int i = 1; i < 8; ++i) static_cast<void>(ask("a", "a" + std::to_string(i)));
  static_cast<void>(ask("b", "b1"));
  static_cast<void>(line.add("a", named("change"), false));
  EXPECT_THAT(served(), ElementsAre("a1", "b1", "a2", "a3", "a4", "change"));
  EXPECT_FALSE(due);
  open.pop_back();
  EXPECT_EQ(woken, 0) << "it was no question";
  open.erase(open.begin());
  EXPECT_EQ(woken, 1);
  open.erase(open.begin(), open.begin() + 2);
  EXPECT_EQ(woken, 1) << "it is due already";
  EXPECT_THAT(served(), ElementsAre("a5", "a6"));
  EXPECT_FALSE(due) << "another one ends first";
  open.clear();
  EXPECT_EQ(woken, 2);
  EXPECT_THAT(served(), ElementsAre("a7"));
  open.clear();
  EXPECT_EQ(woken, 2) << "nobody waits";
}

TEST_F(frame_lines, pass_over_who_has_gone) {
  auto gone = std::make_shared<std::atomic<bool>>(false);
  bus::frame one;
  one.subject = "a1";
  one.given_up = gone;
  static_cast<void>(line.add("a", std::make_shared<const bus::frame>(std::move(one)), true));
  static_cast<void>(ask("b", "b1"));
  *gone = true;
  EXPECT_THAT(served(), ElementsAre("b1"));
}

TEST_F(frame_lines, may_go_before_their_frames) {
  auto other = std::make_unique<frame_line>([this] { ++woken; });
  for (int i = 0; i < 5; ++i) static_cast<void>(other->add("a", named("a"), true));
  static_cast<void>(other->serve_some([&](const auto& frame) { open.push_back(frame); }));
  other.reset();
  open.clear();
  EXPECT_EQ(woken, 1);
}

}  // namespace argosy::actors
