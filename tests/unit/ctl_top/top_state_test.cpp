// SPDX-License-Identifier: Apache-2.0
// Goal: keys sort and search the lists of `top`, and lead into things and back, and nothing that is
// read moves the user away from what he chose. Method: keys and contents are given to the pure
// core, and the lines that it draws are read.
#include "bins/argosyctl/verbs/top/top_state.hpp"

#include <gmock/gmock.h>

namespace argosy::ctl {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace {

constexpr std::int64_t noon = 1'700'049'600'000'000'000;  // 2023-11-15T12:00:00Z

struct queue_fact {
  std::string name;
  std::uint64_t queued;
};

screen_content queues(const std::vector<queue_fact>& facts) {
  listing items{{{"QUEUE"}, numbers("QUEUED"), {"LABELS", alignment::left, true}}};
  for (const auto& fact : facts) {
    items.rows.add({fact.name, number(fact.queued), "team=" + fact.name});
    items.names.push_back("queue/" + fact.name);
  }
  screen_content out;
  out.list = std::move(items);
  out.read_ns = noon;
  return out;
}

screen_content text(std::string lines) {
  screen_content out;
  out.text = std::move(lines);
  out.read_ns = noon;
  return out;
}

std::string text_of(const screen_line& line) {
  std::string out;
  for (const auto& part : line.parts) out += part.text;
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

class top_screen : public ::testing::Test {
 protected:
  top_screen() { state.take(state.source(), queues({{"a", 3}, {"b", 20}, {"c", 7}})); }

  void press(key what) { state.press({what}); }
  void press(std::string_view letters) {
    for (const auto letter : letters) state.press({key::character, letter});
  }
  std::vector<std::string> lines() {
    std::vector<std::string> out;
    for (const auto& line : state.draw(size)) out.push_back(text_of(line));
    return out;
  }
  /// The first words of the rows, below the line of titles.
  std::vector<std::string> rows() {
    std::vector<std::string> out;
    const auto all = lines();
    for (std::size_t i = 3; i + 1 < all.size(); ++i)
      if (!all[i].empty()) out.push_back(all[i].substr(0, all[i].find(' ')));
    return out;
  }
  std::string chosen() {
    for (const auto& line : state.draw(size))
      if (line.chosen) return text_of(line).substr(0, text_of(line).find(' '));
    return {};
  }
  std::vector<std::string> words() { return state.source().words; }

  top_state state{top_views[0]};
  screen_size size{100, 12};
};

TEST_F(top_screen, begins_with_the_queues_in_which_most_waits) {
  EXPECT_THAT(rows(), ElementsAre("b", "c", "a"));
  const auto drawn = lines();
  ASSERT_EQ(drawn.size(), size.height);
  EXPECT_EQ(drawn[0], "argosyctl top   1 queues  2 nodes  3 rounds  4 clusters");
  EXPECT_EQ(drawn[1],
            "argosyctl get queues: 3 rows; sorted by QUEUED, the highest first; at 12:00:00 UTC");
  EXPECT_EQ(drawn[2], "QUEUE  QUEUED");
  EXPECT_THAT(drawn.back(), HasSubstr("q: quit"));
}

TEST_F(top_screen, says_that_it_is_still_reading) {
  EXPECT_EQ(text_of(top_state{top_views[1]}.draw(size)[1]), "argosyctl get nodes: reading…");
}

TEST_F(top_screen, sorts_by_the_columns_at_its_sides) {
  (void)lines();  // Columns are those that are drawn.
  press("<");
  EXPECT_THAT(rows(), ElementsAre("a", "b", "c"));
  press("r");
  EXPECT_THAT(rows(), ElementsAre("c", "b", "a"));
  press("<<<");
  EXPECT_THAT(rows(), ElementsAre("a", "b", "c")) << "there is no column further to the left";
  press(">>");
  EXPECT_THAT(rows(), ElementsAre("b", "c", "a"));
}

TEST_F(top_screen, keeps_the_chosen_thing_wherever_it_moves) {
  press(key::down);
  EXPECT_EQ(chosen(), "c");
  state.take(state.source(), queues({{"a", 3}, {"b", 20}, {"c", 70}, {"d", 90}}));
  EXPECT_THAT(rows(), ElementsAre("d", "c", "b", "a"));
  EXPECT_EQ(chosen(), "c");
  state.take(state.source(), queues({{"a", 3}, {"b", 20}, {"d", 90}}));
  EXPECT_EQ(chosen(), "b") << "the row at its place is chosen when it is gone";
  state.take(state.source(), queues({}));
  EXPECT_EQ(chosen(), "");
  press(key::enter);
  EXPECT_THAT(words(), ElementsAre("get", "queues"));
}

TEST_F(top_screen, goes_into_a_queue_and_a_job_and_back) {
  press(key::enter);
  EXPECT_THAT(words(), ElementsAre("get", "jobs", "--queue=b", "--active", "--limit=1000"));
  listing jobs{{{"JOB"}}};
  jobs.rows.add({std::string{"01k"}});
  jobs.names.emplace_back("job/01k");
  screen_content content;
  content.list = jobs;
  content.read_ns = noon;
  state.take(state.source(), content);
  press("d");
  EXPECT_THAT(words(), ElementsAre("describe", "job", "01k"));
  press(key::escape);
  press(key::enter);
  EXPECT_THAT(words(), ElementsAre("explain", "01k"));
  state.take(state.source(), text("it waits\nfor room\n"));
  EXPECT_THAT(lines(), ::testing::Contains("for room"));
  press(key::left);
  press(key::backspace);
  EXPECT_EQ(chosen(), "b") << "the row from which the user left is still chosen";
  press(key::escape);
  EXPECT_THAT(words(), ElementsAre("get", "queues")) << "there is nothing below";
}

TEST_F(top_screen, leads_to_other_views_from_everywhere) {
  press(key::enter);
  press("2");
  EXPECT_THAT(words(), ElementsAre("get", "nodes"));
  press("\t");
  EXPECT_THAT(words(), ElementsAre("get", "rounds"));
  press("\t\t");
  EXPECT_THAT(words(), ElementsAre("get", "queues"));
}

TEST_F(top_screen, shows_the_rows_that_have_the_text_that_is_typed) {
  press("/TEAM=");
  EXPECT_THAT(rows(), ElementsAre("b", "c", "a")) << "columns of -o wide are searched, too";
  press("c");
  EXPECT_THAT(rows(), ElementsAre("c"));
  EXPECT_EQ(lines().back(), "search: TEAM=c_");
  press(key::enter);
  EXPECT_THAT(lines()[1], HasSubstr("1 of 3 rows"));
  press(key::escape);
  EXPECT_THAT(rows(), ElementsAre("b", "c", "a"));
}

TEST_F(top_screen, takes_letters_as_text_while_it_searches) {
  press("/qq1");
  EXPECT_FALSE(state.is_over());
  EXPECT_THAT(rows(), IsEmpty());
  press(key::backspace);
  EXPECT_EQ(lines().back(), "search: qq_");
  press(key::escape);
  press("q");
  EXPECT_TRUE(state.is_over());
}

TEST_F(top_screen, stays_as_it_is_while_it_is_frozen) {
  press(" ");
  state.take(state.source(), queues({{"d", 1}}));
  EXPECT_THAT(rows(), ElementsAre("b", "c", "a"));
  EXPECT_THAT(lines()[1], HasSubstr("FROZEN at 12:00:00"));
  press(" ");
  state.take(state.source(), queues({{"d", 1}}));
  EXPECT_THAT(rows(), ElementsAre("d"));
}

TEST_F(top_screen, keeps_what_it_has_while_the_server_is_away) {
  screen_content away;
  away.trouble = error{ec::unreachable, "the server\x1b[2J is away"};
  state.take(state.source(), away);
  EXPECT_THAT(rows(), ElementsAre("b", "c", "a"));
  EXPECT_EQ(lines().back(), "the server\\u{1b}[2J is away");
  state.take(state.source(), queues({{"d", 1}}));
  EXPECT_THAT(lines().back(), HasSubstr("q: quit"));
}

TEST_F(top_screen, does_not_take_what_was_read_for_another_one) {
  const auto first = state.source();
  press("2");
  state.take(first, queues({{"d", 1}}));
  EXPECT_THAT(lines()[1], HasSubstr("reading"));
}

TEST_F(top_screen, scrolls_to_the_chosen_row) {
  std::vector<queue_fact> many;
  for (std::uint64_t i = 0; i < 30; ++i) many.push_back({"q" + std::to_string(i), 100 - i});
  state.take(state.source(), queues(many));
  press(key::home);
  EXPECT_EQ(chosen(), "q0");
  EXPECT_EQ(rows().size(), 8U);
  press(key::page_down);
  EXPECT_EQ(chosen(), "q8");
  EXPECT_EQ(rows().front(), "q1");
  press(key::end);
  EXPECT_EQ(chosen(), "q29");
  EXPECT_EQ(rows().front(), "q22");
  press("k");
  EXPECT_EQ(chosen(), "q28");
}

TEST_F(top_screen, shows_its_keys_until_the_next_one) {
  size = {100, 24};
  press("?");
  EXPECT_THAT(lines(), ::testing::Contains(HasSubstr("freeze the screen")));
  press("q");
  EXPECT_FALSE(state.is_over());
  EXPECT_THAT(rows(), ElementsAre("b", "c", "a"));
}

TEST_F(top_screen, shows_the_wide_columns_on_demand) {
  EXPECT_THAT(lines()[2], Not(HasSubstr("LABELS")));
  press("w");
  EXPECT_THAT(lines()[2], HasSubstr("LABELS"));
}

TEST_F(top_screen, says_what_to_do_when_there_is_nothing) {
  auto nothing = queues({});
  nothing.list->hint = "no queues; create one";
  state.take(state.source(), std::move(nothing));
  EXPECT_THAT(lines(), ::testing::Contains("no queues; create one"));
}

TEST_F(top_screen, fits_a_terminal_that_has_hardly_any_room) {
  for (const std::size_t height : {1U, 2U, 3U, 4U, 5U})
    for (const std::size_t width : {1U, 10U}) {
      size = {width, height};
      EXPECT_EQ(state.draw(size).size(), height);
    }
}

TEST_F(top_screen, scrolls_text_no_further_than_its_end) {
  press("d");
  std::string lines_of_text;
  for (int i = 0; i < 20; ++i) lines_of_text += "line " + std::to_string(i) + "\n";
  state.take(state.source(), text(lines_of_text));
  press(key::end);
  EXPECT_EQ(lines()[2], "line 11");
  press(key::up);
  EXPECT_EQ(lines()[2], "line 10");
  press(key::home);
  EXPECT_EQ(lines()[2], "line 0");
}

TEST_F(top_screen, breaks_long_lines_of_text_between_words) {
  press("d");
  size.width = 30;
  state.take(state.source(), text("It waits\n  since no node has room for it now\n\nend\n"));
  const auto drawn = lines();
  EXPECT_EQ(drawn[3], "  since no node has room for");
  EXPECT_EQ(drawn[4], "    it now");
  EXPECT_EQ(drawn[5], "");
  EXPECT_EQ(drawn[6], "end");
}

TEST(screen_source, names_what_is_inside_of_each_thing) {
  const auto inside = [](std::string_view name) { return command_line(*source_inside(name)); };
  EXPECT_EQ(inside("node/east/n1"), "argosyctl get jobs --node=east/n1 --active --limit=1000");
  EXPECT_EQ(inside("cluster/east"), "argosyctl get nodes --cluster=east");
  EXPECT_EQ(inside("round/gpu/2026-01-01T00:00:00.000Z"),
            "argosyctl describe round gpu/2026-01-01T00:00:00.000Z");
  EXPECT_EQ(inside("queue/-v"), "argosyctl get jobs --queue=-v --active --limit=1000");
  EXPECT_EQ(command_line(*source_about("queue/-v")), "argosyctl describe queue -- -v");
  EXPECT_FALSE(source_inside("pool/gpu"));
  EXPECT_FALSE(source_inside(""));
  EXPECT_EQ(command_line(*source_about("node/east/n1")), "argosyctl describe node east/n1");
  EXPECT_FALSE(source_about("operation/1"));
}

}  // namespace

}  // namespace argosy::ctl
