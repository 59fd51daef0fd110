// SPDX-License-Identifier: Apache-2.0
// Goal: what a user names jobs by is read as it is meant, each once, and what is no id is refused.
// Method: words, a stream and a state folder.
#include "bins/argosyctl/client/job_reference.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/temp_folder.hpp"

namespace argosy::ctl {

namespace {

const std::string first = "01kaz3v9qp8m2n4r6t8w000001";
const std::string second = "01kaz3v9qp8m2n4r6t8w000002";

class references : public ::testing::Test {
 protected:
  std::string expanded(const std::vector<std::string>& words, const std::string& input = {}) {
    std::istringstream in{input};
    const auto got = expand_references(
        words, [this] { return last_submission(env, "nats://a:4222"); }, in);
    if (!got) return got.error().detail;
    std::string text;
    for (const auto& one : *got) text.append(one.text()).append(" ");
    return text;
  }

  testing::temp_folder temp;
  environment env{[this](const std::string& name) -> std::optional<std::string> {
    if (name == "HOME") return temp.path().string();
    return std::nullopt;
  }};
};

TEST_F(references, are_ids_beginnings_and_names_in_any_case) {
  EXPECT_EQ(expanded({"job/" + first, "01KAZ3"}), first + " 01kaz3 ");
  EXPECT_EQ(expanded({first, first}), first + " ");
}

TEST_F(references, come_from_stdin_in_lines_or_words) {
  EXPECT_EQ(expanded({"-"}, "job/" + second + "\n\n " + first + " " + second + "\n"),
            second + " " + first + " ");
}

TEST_F(references, remember_the_last_submission) {
  EXPECT_NE(expanded({"@last"}).find("nothing was submitted"), std::string::npos);
  ASSERT_TRUE(remember_submission(env, "nats://a:4222", first + "\n" + second + "\n"));
  EXPECT_EQ(expanded({"@last"}), first + " " + second + " ");
  ASSERT_TRUE(remember_submission(env, "nats://b:4222", first + "\n"));
  EXPECT_EQ(expanded({"@last"}), first + " " + second + " ") << "of another server";
  ASSERT_TRUE(remember_submission(env, "nats://a:4222", "\n"));
  EXPECT_NE(expanded({"@last"}).find("had no jobs"), std::string::npos);
}

TEST_F(references, are_refused_when_they_can_mean_no_job) {
  for (const auto* word : {"", "nightly!", "01kazu", "job/"})
    EXPECT_NE(expanded({word}).find("neither a job id"), std::string::npos) << word;
  EXPECT_NE(expanded({first + "0"}).find("neither a job id"), std::string::npos);
}

TEST_F(references, are_refused_before_a_word_without_an_end_was_read) {
  const auto refused = expanded({"-"}, std::string(1'000'000, '0'));
  EXPECT_NE(refused.find("neither a job id"), std::string::npos);
  EXPECT_LT(refused.size(), 300U);
}

TEST_F(references, take_no_more_room_than_an_id) {
  EXPECT_EQ(sizeof(job_reference), 27U);
  EXPECT_TRUE(job_reference::of_id(first).is_whole());
  EXPECT_FALSE(job_reference::of_id("01k").is_whole());
  EXPECT_EQ(job_reference::of_id(first + "more").text(), first);
}

}  // namespace

}  // namespace argosy::ctl
