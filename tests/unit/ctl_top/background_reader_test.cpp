// SPDX-License-Identifier: Apache-2.0
// Goal: what a screen shows is read again and again, and at once when the user goes elsewhere,
// while keys never wait. Method: a thread reads from functions that the test holds back.
#include "bins/argosyctl/verbs/top/background_reader.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <sstream>

#include "bins/argosyctl/verbs/top/top_loop.hpp"

namespace argosy::ctl {

namespace {

using namespace std::chrono_literals;

screen_source source(const std::string& word) {
  return {screen_source::kind::text, {word}};
}

/// Waits until something was read.
background_reader::answer next(background_reader& reader) {
  while (true) {
    if (auto got = reader.take()) return std::move(*got);
    std::this_thread::yield();
  }
}

TEST(background_reader, reads_again_and_again) {
  std::atomic<int> reads{0};
  background_reader reader{[&](const screen_source&) {
                             screen_content out;
                             out.text = std::to_string(++reads);
                             return out;
                           },
                           1ms};
  reader.want(source("a"));
  EXPECT_EQ(next(reader).first, source("a"));
  while (reads < 3) std::this_thread::yield();
  EXPECT_GE(std::stoi(next(reader).second.text), 2);
}

TEST(background_reader, reads_another_source_without_waiting_for_the_period) {
  background_reader reader{[](const screen_source& of) {
                             screen_content out;
                             out.text = of.words.front();
                             return out;
                           },
                           24h};
  reader.want(source("a"));
  EXPECT_EQ(next(reader).second.text, "a");
  reader.want(source("b"));
  EXPECT_EQ(next(reader).second.text, "b");
}

/// Gives keys one after the other, each when the screen shows what the test waits for.
class scripted_screen final : public screen {
 public:
  struct step {
    std::string awaited;  ///< Some line has this text.
    key_press then;
  };
  explicit scripted_screen(std::deque<step> steps) : steps_(std::move(steps)) {}

  screen_size size() const override { return {100, 20}; }
  void show(const std::vector<screen_line>& lines) override {
    shown_.clear();
    for (const auto& line : lines)
      for (const auto& part : line.parts) shown_ += part.text;
  }
  std::optional<key_press> read(std::chrono::milliseconds) override {
    std::this_thread::yield();
    if (steps_.empty() || shown_.find(steps_.front().awaited) == std::string::npos)
      return std::nullopt;
    const auto pressed = steps_.front().then;
    steps_.pop_front();
    return pressed;
  }

 private:
  std::deque<step> steps_;
  std::string shown_;
};

exit_code run_with(std::deque<scripted_screen::step> steps, const std::atomic<bool>& interrupted) {
  scripted_screen on{std::move(steps)};
  background_reader reader{[](const screen_source& of) {
                             screen_content out;
                             out.text = of.words.back() + " was read";
                             out.read_ns = 1;
                             return out;
                           },
                           1ms};
  top_state state{top_views[0]};
  std::ostringstream out;
  std::istringstream in;
  console to{out, out, {}};
  const environment env{[](const std::string&) { return std::optional<std::string>{}; }};
  const session s{to, env, in, {}, [] { return std::int64_t{1}; }, &interrupted};
  return run_top(s, on, state, reader);
}

TEST(top_loop, shows_what_keys_ask_for_until_the_user_leaves) {
  EXPECT_EQ(run_with({{"get queues: 0 rows", {key::character, '3'}},
                      {"get rounds: 0 rows", {key::character, 'q'}}},
                     false),
            exit_code::success);
}

TEST(top_loop, ends_with_ctrl_c) {
  EXPECT_EQ(run_with({}, true), exit_code::interrupted);
}

}  // namespace

}  // namespace argosy::ctl
