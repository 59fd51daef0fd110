// SPDX-License-Identifier: Apache-2.0
// Goal: whoever reads output over many answers gets each byte once, wherever an answer was cut and
// wherever he had come to, and learns what was rotated away.
// Method: a kubelet's output in memory, read in pieces of random sizes.
#include "runtime/backends/kubernetes/output/log_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "runtime/backends/kubernetes/output/pod_output.hpp"
#include "tests/support/kube/pod_log.hpp"

namespace argosy::backends {
namespace {

using argosy::testing::pod_log;
using ::testing::HasSubstr;

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t start = 1'795'000'000 * second;

/// The answer to somebody who goes on at this place.
std::string answer_from(const pod_log& log, const log_place& place) {
  pod_log::query options{{"timestamps", "true"}};
  if (place.time_ns != 0) options["sinceTime"] = query_time(place.time_ns);
  return log.read(options);
}

std::string all_of(log_lines& from, std::size_t step = 1'000'000) {
  std::string out;
  while (from.waiting() > 0) out += from.give(step).data;
  return out;
}

TEST(log_lines, give_each_byte_once_over_answers_that_are_cut_anywhere) {
  std::mt19937 random{5};
  for (int round = 0; round < 300; ++round) {
    pod_log log;
    std::string text;
    auto time = start;
    for (int i = 0; i < 40; ++i) {
      time += std::array<std::int64_t, 4>{0, 0, 7, second / 3}[random() % 4];
      std::string line(random() % 12, static_cast<char>('a' + i % 26));
      if (i < 39 || round % 2 == 0) line += '\n';
      log.print(line, time);
      text += line;
    }
    std::string got;
    log_place place;
    while (got.size() < text.size()) {
      log_lines reader{place};
      for (int answers = 0; answers < 3; ++answers) {
        const auto whole = answer_from(log, reader.taken());
        auto rest = std::string_view{whole}.substr(0, random() % (whole.size() + 1));
        reader.begin_answer();
        while (!rest.empty()) {
          const auto size = std::min<std::size_t>(rest.size(), 1 + random() % 50);
          reader.take(rest.substr(0, size));
          rest.remove_prefix(size);
          if (random() % 2 == 0) {
            const auto piece = reader.give(1 + random() % 20);
            EXPECT_EQ(piece.lost, "");
            got += piece.data;
          }
        }
      }
      place = *parse_log_place(to_text(reader.given()));
      ASSERT_EQ(got, text.substr(0, got.size()));
    }
    EXPECT_EQ(got, text);
  }
}

TEST(log_lines, tell_what_was_rotated_away_before_what_comes_behind_it) {
  pod_log log;
  log.print("one\ntwo\n", start);
  log_lines reader{{}};
  reader.begin_answer();
  reader.take(answer_from(log, {}));
  log.print("three\n", start + second);
  log.rotate();
  log.print("four\n", start + 2 * second);
  reader.begin_answer();
  reader.take(answer_from(log, reader.taken()));
  EXPECT_EQ(reader.give(1'000).data, "one\ntwo\n");
  const auto piece = reader.give(1'000);
  EXPECT_EQ(piece.data, "four\n");
  EXPECT_THAT(piece.lost,
              HasSubstr("between 2026-11-18T11:06:40.000Z and 2026-11-18T11:06:42.000Z"));
  EXPECT_EQ(reader.give(1'000).lost, "");
}

TEST(log_lines, tell_once_that_nothing_is_left_behind_the_last_one) {
  pod_log log;
  log.print("one\ntwo\n", start);
  log_lines reader{{}};
  reader.begin_answer();
  reader.take(answer_from(log, {}));
  reader.end_answer(false);
  EXPECT_EQ(all_of(reader), "one\ntwo\n");
  EXPECT_EQ(reader.give(1'000).lost, "") << "the first answer has no place to come to";
  log.print("three\n", start + second);
  log.rotate();
  for (const auto* said : {"after 2026-11-18T11:06:40.000Z is missing", ""}) {
    reader.begin_answer();
    reader.take(answer_from(log, reader.taken()));
    reader.end_answer(false);
    const auto lost = reader.give(1'000).lost;
    EXPECT_THAT(lost, HasSubstr(said));
    EXPECT_EQ(lost.empty(), std::string_view{said}.empty()) << "it is said once";
    EXPECT_EQ(reader.give(1'000).lost, "");
  }
}

TEST(log_lines, that_were_followed_to_their_end_lack_nothing) {
  pod_log log;
  log.print("one\n", start);
  log_lines reader{{}};
  reader.begin_answer();
  reader.take(answer_from(log, {}));
  reader.end_answer(true);
  EXPECT_EQ(all_of(reader), "one\n");
  log.rotate();
  reader.begin_answer();
  reader.take(answer_from(log, reader.taken()));
  reader.end_answer(true);
  EXPECT_EQ(reader.give(1'000).lost, "");
}

/// The file that was followed ends when it is rotated, and the next answer begins with the next
/// one.
TEST(log_lines, that_were_followed_into_the_next_file_lack_nothing) {
  for (const bool is_quiet : {false, true}) {
    pod_log log;
    log.print("one\n", start);
    log_lines reader{{}};
    reader.begin_answer();
    reader.take(answer_from(log, {}));
    reader.end_answer(true);
    log.rotate();
    if (!is_quiet) log.print("two\n", start + second / 100);
    reader.begin_answer(std::chrono::seconds{is_quiet ? 1 : 60});
    if (is_quiet) log.print("two\n", start + 60 * second);
    reader.take(answer_from(log, reader.taken()));
    reader.end_answer(true);
    const auto all = reader.give(1'000);
    EXPECT_EQ(all.data, "one\ntwo\n");
    EXPECT_EQ(all.lost + reader.give(1'000).lost, "");
  }
}

TEST(log_lines, may_lack_what_was_written_after_an_answer_that_was_cut_or_is_old) {
  for (const bool is_cut : {false, true}) {
    pod_log log;
    log.print("one\n", start);
    log_lines reader{{}};
    reader.begin_answer();
    reader.take(answer_from(log, {}));
    if (!is_cut) reader.end_answer(true);
    log.print("two\n", start + second);
    log.rotate();
    log.print("three\n", start + 20 * second);
    reader.begin_answer(std::chrono::seconds{is_cut ? 1 : 20});
    reader.take(answer_from(log, reader.taken()));
    EXPECT_EQ(reader.give(1'000).data, "one\n");
    EXPECT_THAT(reader.give(1'000).lost, HasSubstr("between 2026-11-18T11:06:40.000Z and"));
  }
}

TEST(log_lines, tell_that_an_output_does_not_begin_with_its_first_line) {
  pod_log log;
  log.print("one\ntwo\n", start);
  const auto lost = [&](const log_start& from) {
    log_lines reader{{}, from};
    reader.begin_answer();
    pod_log::query options{{"timestamps", "true"}};
    if (from.tail > 0) options["tailLines"] = std::to_string(from.tail);
    reader.take(log.read(options));
    reader.end_answer(false);
    std::string out;
    do out += reader.give(1'000).lost;
    while (reader.waiting() > 0);
    return out + reader.give(1'000).lost;
  };
  EXPECT_EQ(lost({.beginning = {start}}), "");
  EXPECT_EQ(lost({.beginning = {start}, .tail = 9}), "");
  log.rotate();
  EXPECT_THAT(lost({.beginning = {start}}), HasSubstr("after 2026-11-18T11:06:40.000Z is missing"));
  EXPECT_THAT(lost({.beginning = {start}, .tail = 2}), HasSubstr("after 2026-11-18T11:06:40.000Z"));
  EXPECT_EQ(lost({}), "") << "nobody has seen its first line";
  EXPECT_EQ(lost({.since_ns = start + 1, .beginning = {start}}), "");
  log.print("three\n", start + 2 * second);
  const auto* const between = "between 2026-11-18T11:06:40.000Z and 2026-11-18T11:06:42.000Z";
  EXPECT_THAT(lost({.beginning = {start}}), HasSubstr(between));
  EXPECT_THAT(lost({.since_ns = start - second, .beginning = {start}}), HasSubstr(between));
  EXPECT_THAT(lost({.beginning = {start}, .tail = 2}), HasSubstr(between));
  EXPECT_EQ(lost({.beginning = {start}, .tail = 1}), "")
      << "it has as many lines as were asked for";
}

TEST(log_lines, begin_at_a_time) {
  pod_log log;
  log.print("old\n", start);
  log.print("new\n", start + second / 2);
  log_lines reader{{}, {.since_ns = start + second / 4}};
  reader.begin_answer();
  reader.take(answer_from(log, {start, 0, 0}));
  EXPECT_EQ(all_of(reader), "new\n");
}

TEST(log_lines, of_the_kubelet_itself_have_no_time_and_are_shown) {
  log_lines reader{{}};
  reader.begin_answer();
  reader.take("unable to retrieve container logs\n2026-11-18T11:06:40.5Z text\n");
  EXPECT_EQ(all_of(reader), "unable to retrieve container logs\ntext\n");
}

TEST(log_lines, that_were_begun_before_the_second_of_a_place_are_not_given_again) {
  log_lines reader{{}};
  reader.begin_answer();
  reader.take("2026-11-18T11:06:40.9Z long line\n2026-11-18T11:06:41.5Z last\n");
  reader.begin_answer();
  reader.take("line\n2026-11-18T11:06:41.5Z last\n2026-11-18T11:06:41.6Z new\n");
  EXPECT_EQ(all_of(reader), "long line\nlast\nnew\n");
}

TEST(log_lines, are_taken_until_there_are_too_many) {
  log_lines reader{{}};
  reader.begin_answer();
  std::size_t taken = 0;
  constexpr std::size_t bytes_max = 4u << 20;
  while (!reader.is_full(bytes_max)) {
    reader.take("2026-11-18T11:06:40.5Z " + std::string(1'000, 'x') + "\n");
    taken += 1'001;
  }
  EXPECT_LE(taken, 5u << 20);
  EXPECT_EQ(all_of(reader).size(), taken);
  EXPECT_FALSE(reader.is_full(bytes_max));
}

TEST(log_lines, places_are_read_as_they_were_written) {
  const log_place place{start + 5, 3, 12};
  EXPECT_EQ(parse_log_place(to_text(place)), place);
  for (const auto* text : {"", "1", "1.2", "1.2.x", "1.2.3.4", "..", "1.-2.3"})
    EXPECT_FALSE(parse_log_place(text)) << text;
}

}  // namespace
}  // namespace argosy::backends
