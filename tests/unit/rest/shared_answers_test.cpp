// SPDX-License-Identifier: Apache-2.0
// Goal: callers share an answer only if it is of the log that they know of, or a later one, and was
// begun a moment ago; errors and large answers are not kept. Method: answers that the test makes
// up, with a clock of its own.
#include "runtime/rest/shared_answers.hpp"

#include <gtest/gtest.h>

#include <future>

namespace argosy::rest {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t own = ~std::uint64_t{0};

class sharing_answers : public ::testing::Test {
 protected:
  std::string get(shared_answers::positions where, const std::string& key = "a") {
    const auto got = answers.get(key, where, [&] { return make(); });
    return got.answer ? *(*got.answer)->text + "@" + std::to_string(got.position) : "error";
  }
  shared_answers::outcome make() {
    ++made;
    if (fails) return fail(ec::timeout, "too slow");
    auto out = std::make_shared<written_answer>();
    out->text = std::make_shared<const std::string>(std::to_string(made) + std::string(size, 'x'));
    return out;
  }

  shared_answers::clock::time_point now{1h};
  int made = 0;
  bool fails = false;
  std::size_t size = 0;
  shared_answers answers{{.answers_max = 3, .bytes_max = 1'000}, [this] { return now; }};
};

TEST_F(sharing_answers, get_one_that_is_not_behind_what_they_know) {
  EXPECT_EQ(get({10, own}), "1@10");
  EXPECT_EQ(get({12, 10}), "1@10");
  EXPECT_EQ(get({12, 9}), "1@10");
  EXPECT_EQ(get({12, 11}), "2@12") << "the first one is behind";
  EXPECT_EQ(get({12, 11}), "2@12");
}

TEST_F(sharing_answers, get_their_own_when_they_ask_for_it) {
  EXPECT_EQ(get({10, 10}), "1@10");
  EXPECT_EQ(get({10, own}), "2@10");
  EXPECT_EQ(get({10, 10}), "2@10") << "the later one has taken the place of the first";
}

TEST_F(sharing_answers, get_none_that_is_old_or_of_another_question) {
  EXPECT_EQ(get({10, 10}), "1@10");
  EXPECT_EQ(get({10, 10}, "b"), "2@10");
  now += 1s;
  EXPECT_EQ(get({10, 10}), "1@10");
  now += 1ms;
  EXPECT_EQ(get({10, 10}), "3@10");
}

TEST_F(sharing_answers, wait_for_one_that_is_being_made) {
  std::promise<void> begun;
  std::promise<void> go_on;
  auto first = std::async(std::launch::async, [&] {
    return answers
        .get("a", {10, 10},
             [&] {
               begun.set_value();
               go_on.get_future().wait();
               return make();
             })
        .position;
  });
  begun.get_future().wait();
  auto second = std::async(std::launch::async, [&] { return get({11, 10}); });
  EXPECT_EQ(get({11, 11}, "a"), "1@11") << "nobody waits for one that is behind";
  go_on.set_value();
  EXPECT_EQ(first.get(), 10U);
  const auto got = second.get();
  EXPECT_TRUE(got == "2@10" || got == "1@11") << got;
  EXPECT_EQ(get({11, 11}), "1@11") << "the one that came late has not taken its place";
}

TEST_F(sharing_answers, do_not_keep_errors) {
  fails = true;
  EXPECT_EQ(get({10, 10}), "error");
  fails = false;
  EXPECT_EQ(get({10, 10}), "2@10");
}

TEST_F(sharing_answers, of_whom_has_gone_are_asked_for_again_by_those_who_wait) {
  std::promise<void> asked;
  std::promise<void> goes;
  auto first = std::async(std::launch::async, [&] {
    return answers.get("a", {10, 10}, [&]() -> shared_answers::outcome {
      asked.set_value();
      goes.get_future().wait();
      return fail(ec::cancelled, "he has gone");
    });
  });
  asked.get_future().wait();
  auto second = std::async(std::launch::async, [&] { return get({10, 10}); });
  // Whether the second one waits by now or comes later, it is not told of the other's going.
  goes.set_value();
  EXPECT_FALSE(first.get().answer);
  EXPECT_EQ(second.get(), "1@10");
}

TEST_F(sharing_answers, keep_few_and_small_ones) {
  for (const auto* key : {"a", "b", "c", "d"}) static_cast<void>(get({10, 10}, key));
  EXPECT_EQ(get({10, 10}, "d"), "4@10");
  EXPECT_EQ(get({10, 10}, "a"), "5@10") << "the oldest one had to go";
  size = 2'000;
  static_cast<void>(get({10, 10}, "e"));
  EXPECT_LE(answers.bytes(), 1'000U);
  size = 0;
  EXPECT_EQ(get({10, 10}, "e"), "7@10") << "one that is too large is not kept";
}

}  // namespace

}  // namespace argosy::rest
