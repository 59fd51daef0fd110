// SPDX-License-Identifier: Apache-2.0
// Goal: a followed collection is listed and watched so that no change is missed and the server is
// not asked too often. Method: answers as an API server gives them, and a record of what is asked
// and told, as text.
#include "runtime/kube/follow/follow_core.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace argosy::kube {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

follow_rules rules() {
  follow_rules out;
  out.page_objects = 2;
  out.objects_max = 5;
  out.line_bytes_max = 200;
  out.watch_for = 60s;
  out.watch_min = 1'000ms;
  out.waits = {.first = 100ms, .most = 800ms};
  return out;
}

/// A source of zeros: waits are half of their most, and watches last as long as asked.
class no_random final : public random_source {
 public:
  std::uint64_t next() override { return 0; }
};

std::string object(const std::string& name, const std::string& version) {
  return R"({"metadata":{"name":")" + name + R"(","resourceVersion":")" + version + R"("}})";
}

std::string page(const std::string& items, const std::string& version,
                 const std::string& more = "") {
  return R"({"metadata":{"resourceVersion":")" + version + R"(","continue":")" + more +
         R"("},"items":[)" + items + "]}";
}

std::string line(const std::string& type, const std::string& of) {
  return R"({"type":")" + type + R"(","object":)" + of + "}\n";
}

std::string failed(int code) {
  return line("ERROR",
              R"({"kind":"Status","message":"too old","code":)" + std::to_string(code) + "}");
}

class follow_core_test : public ::testing::Test {
 protected:
  /// Notes what the effects say, as "listed a b", "added c", "interrupted", "wait 50", and returns
  /// the path of the next step.
  std::string note(const follow_effects& effects) {
    for (const auto& one : effects.tell) {
      if (const auto* const list = std::get_if<told_list>(&one)) {
        std::string text = "listed";
        for (const auto& each : list->objects)
          text += " " + each["metadata"]["name"].get<std::string>();
        story.push_back(text);
      } else if (const auto* const change = std::get_if<told_change>(&one)) {
        const auto how = change->how == kube::change::added     ? "added "
                         : change->how == kube::change::deleted ? "deleted "
                                                                : "modified ";
        story.push_back(how + change->object["metadata"]["name"].get<std::string>());
      } else if (const auto* const trouble = std::get_if<error>(&one)) {
        why = *trouble;
        story.emplace_back("interrupted");
      }
    }
    if (!effects.next) return {};
    if (effects.next->after.count() > 0)
      story.push_back("wait " + std::to_string(effects.next->after.count()));
    return effects.next->path;
  }

  /// Lists nothing, so that a watch from version 10 on is next.
  void list() {
    static_cast<void>(core.begin());
    EXPECT_EQ(note(core.page(page("", "10"))), watch_from("10"));
    story.clear();
  }

  static std::string watch_from(const std::string& version) {
    return "/pods?watch=1&allowWatchBookmarks=true&resourceVersion=" + version +
           "&timeoutSeconds=60";
  }

  no_random random;
  follow_core core{"/pods", rules(), random};
  std::vector<std::string> story;
  error why;
  const std::string first_page = "/pods?limit=2";
};

TEST_F(follow_core_test, lists_in_pages_and_watches_from_the_version_of_the_list) {
  EXPECT_EQ(core.begin().path, first_page);
  EXPECT_EQ(note(core.page(page(object("a", "3") + "," + object("b", "4"), "10", "x/=+"))),
            "/pods?limit=2&continue=x%2F%3D%2B");
  EXPECT_THAT(story, ElementsAre());
  EXPECT_EQ(note(core.page(page(object("c", "5"), "10"))), watch_from("10"));
  EXPECT_THAT(story, ElementsAre("listed a b c"));
}

TEST_F(follow_core_test, appends_to_the_query_of_a_collection) {
  follow_core other{"/pods?labelSelector=a%3Db", rules(), random};
  EXPECT_EQ(other.begin().path, "/pods?labelSelector=a%3Db&limit=2");
}

TEST_F(follow_core_test, takes_null_for_an_empty_list) {
  EXPECT_EQ(note(core.page(R"({"metadata":{"resourceVersion":"7"},"items":null})")),
            watch_from("7"));
  EXPECT_THAT(story, ElementsAre("listed"));
}

TEST_F(follow_core_test, begins_the_list_again_when_its_rest_has_expired) {
  static_cast<void>(core.begin());
  static_cast<void>(core.page(page(object("a", "3"), "10", "more")));
  EXPECT_EQ(note(core.list_failed({.status = 410})), first_page);
  static_cast<void>(core.page(page(object("a", "11"), "20", "more")));
  EXPECT_EQ(note(core.list_failed({.status = 410})), first_page);
  EXPECT_THAT(story, ElementsAre("interrupted", "wait 100"));
  story.clear();
  EXPECT_EQ(note(core.page(page(object("b", "12"), "30"))), watch_from("30"));
  EXPECT_THAT(story, ElementsAre("listed b"));
}

TEST_F(follow_core_test, asks_for_the_same_page_again_when_the_server_is_busy) {
  static_cast<void>(core.begin());
  static_cast<void>(core.page(page(object("a", "3"), "10", "more")));
  EXPECT_EQ(note(core.list_failed({.status = 503, .retry_after = 7s})),
            "/pods?limit=2&continue=more");
  EXPECT_THAT(story, ElementsAre("interrupted", "wait 7000"));
  static_cast<void>(note(core.page(page(object("b", "3"), "10"))));
  EXPECT_EQ(story.back(), "listed a b");
}

TEST_F(follow_core_test, tells_once_that_a_list_fails_and_waits_longer_each_time) {
  static_cast<void>(core.begin());
  const follow_end refused{.status = 403, .body = R"({"message":"pods is forbidden"})"};
  EXPECT_EQ(note(core.list_failed(refused)), first_page);
  EXPECT_EQ(to_string(why),
            "denied: '/pods' cannot be listed: the API server answers 403 (pods is forbidden)");
  for (int i = 0; i < 4; ++i) static_cast<void>(note(core.list_failed(refused)));
  EXPECT_THAT(
      story, ElementsAre("interrupted", "wait 50", "wait 100", "wait 200", "wait 400", "wait 400"));
  story.clear();
  static_cast<void>(note(core.page(page("", "10"))));
  static_cast<void>(note(core.watch_ended({.why = error{ec::unreachable, "refused"}})));
  EXPECT_THAT(story, ElementsAre("listed", "interrupted", "wait 50"));
}

TEST_F(follow_core_test, refuses_what_is_no_list_and_what_is_too_long) {
  static_cast<void>(core.begin());
  for (const std::string body : {"", "<html>", "[]", "{}", R"({"metadata":{},"items":[]})",
                                 R"({"metadata":{"resourceVersion":"1"},"items":{}})"})
    EXPECT_EQ(note(core.page(body)), first_page) << body;
  EXPECT_THAT(why.detail, HasSubstr("is no list"));
  follow_core other{"/pods", rules(), random};
  static_cast<void>(other.begin());
  const auto two = object("a", "1") + "," + object("b", "1");
  static_cast<void>(other.page(page(two, "10", "m")));
  static_cast<void>(other.page(page(two, "10", "n")));
  EXPECT_EQ(note(other.page(page(two, "10", "o"))), first_page);
  EXPECT_THAT(why.detail, HasSubstr("more than 5 objects"));
}

TEST_F(follow_core_test, tells_changes_and_resumes_from_the_last_version) {
  list();
  EXPECT_EQ(
      note(core.watched(line("ADDED", object("a", "11")) + line("MODIFIED", object("a", "12")) +
                        line("DELETED", object("a", "13")))),
      "");
  EXPECT_THAT(story, ElementsAre("added a", "modified a", "deleted a"));
  EXPECT_EQ(note(core.watch_ended({.status = 200})), watch_from("13"));
}

TEST_F(follow_core_test, moves_its_version_by_bookmarks) {
  list();
  static_cast<void>(core.watched(line("BOOKMARK", object("", "99"))));
  EXPECT_EQ(note(core.watch_ended({.status = 200})), watch_from("99"));
  EXPECT_THAT(story, ElementsAre());
}

TEST_F(follow_core_test, puts_pieces_of_lines_together_and_forgets_half_a_line_at_the_end) {
  list();
  const auto text = line("ADDED", object("a", "11"));
  for (const char c : text) static_cast<void>(note(core.watched({&c, 1})));
  EXPECT_THAT(story, ElementsAre("added a"));
  static_cast<void>(note(core.watched(line("ADDED", object("b", "12")).substr(0, 30))));
  EXPECT_EQ(note(core.watch_ended({.status = 200, .lasted = 5s})), watch_from("11"));
  static_cast<void>(note(core.watched(line("ADDED", object("b", "12")))));
  EXPECT_THAT(story, ElementsAre("added a", "added b"));
}

TEST_F(follow_core_test, lists_anew_at_once_when_its_version_is_too_old) {
  list();
  EXPECT_EQ(note(core.watched(failed(410))), first_page);
  EXPECT_THAT(story, ElementsAre());
  static_cast<void>(note(core.page(page("", "20"))));
  EXPECT_EQ(note(core.watch_ended({.status = 410})), first_page);
  EXPECT_THAT(story, ElementsAre("listed", "wait 100"));
}

TEST_F(follow_core_test, tells_what_came_before_the_error_in_the_same_piece) {
  list();
  EXPECT_EQ(note(core.watched(line("ADDED", object("a", "11")) + failed(410) +
                              line("ADDED", object("b", "12")))),
            first_page);
  EXPECT_THAT(story, ElementsAre("added a"));
}

TEST_F(follow_core_test, lists_anew_after_any_other_error_in_a_watch) {
  list();
  EXPECT_EQ(note(core.watched(failed(500))), first_page);
  EXPECT_THAT(story, ElementsAre("interrupted", "wait 50"));
  EXPECT_THAT(why.detail, HasSubstr("code 500 (too old)"));
}

TEST_F(follow_core_test, lists_anew_after_lines_that_are_no_events) {
  const std::vector<std::string> bad = {"nonsense\n",
                                        "[]\n",
                                        "{\"type\":\"ADDED\"}\n",
                                        line("ADDED", "{}"),
                                        line("BOOKMARK", "{}"),
                                        std::string(201, 'x'),
                                        std::string(201, 'x') + "\n"};
  for (const auto& text : bad) {
    list();
    EXPECT_EQ(note(core.watched(text)), first_page) << text;
    EXPECT_THAT(why.detail, HasSubstr("is broken")) << text;
  }
}

TEST_F(follow_core_test, leaves_empty_lines_and_unknown_events_aside) {
  list();
  EXPECT_EQ(note(core.watched("\n\r\n" + line("NEWS", object("a", "50")))), "");
  EXPECT_EQ(note(core.watch_ended({.status = 200, .lasted = 2s})), watch_from("10"));
  EXPECT_THAT(story, ElementsAre());
}

TEST_F(follow_core_test, resumes_a_watch_that_the_server_refuses_for_a_while) {
  list();
  const follow_end busy{.status = 429, .retry_after = 3s};
  EXPECT_EQ(note(core.watch_ended(busy)), watch_from("10"));
  EXPECT_EQ(note(core.watch_ended({.why = error{ec::timeout, "silence"}})), watch_from("10"));
  EXPECT_EQ(note(core.watch_ended({.status = 403})), watch_from("10"));
  EXPECT_THAT(story, ElementsAre("interrupted", "wait 3000", "wait 100", "wait 200"));
}

TEST_F(follow_core_test, lists_anew_when_the_server_does_not_know_the_version) {
  for (const int status : {400, 404, 422, 504}) {
    list();
    EXPECT_EQ(note(core.watch_ended({.status = status})), first_page) << status;
  }
}

TEST_F(follow_core_test, does_not_tell_of_a_cut_that_may_pass) {
  list();
  static_cast<void>(note(core.watched(line("BOOKMARK", object("", "11")))));
  const follow_end cut{.status = 200, .why = error{ec::unreachable, "cut"}, .lasted = 0s};
  EXPECT_EQ(note(core.watch_ended(cut)), watch_from("11"));
  EXPECT_THAT(story, ElementsAre("wait 50"));
  EXPECT_EQ(note(core.watch_ended({.why = error{ec::unreachable, "refused"}})), watch_from("11"));
  EXPECT_THAT(story, ElementsAre("wait 50", "interrupted", "wait 100"));
}

TEST_F(follow_core_test, waits_longer_each_time_a_watch_ends_as_soon_as_it_began) {
  list();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(note(core.watch_ended({.status = 200, .lasted = 10ms})), watch_from("10"));
  EXPECT_THAT(story, ElementsAre("interrupted", "wait 50", "wait 100", "wait 200"));
}

TEST_F(follow_core_test, tells_anew_of_an_interruption_after_one_that_was_over) {
  list();
  static_cast<void>(note(core.watch_ended({.status = 503})));
  static_cast<void>(note(core.watched(line("BOOKMARK", object("", "11")))));
  static_cast<void>(note(core.watch_ended({.status = 200})));
  static_cast<void>(note(core.watch_ended({.status = 503})));
  EXPECT_THAT(story, ElementsAre("interrupted", "wait 50", "interrupted", "wait 50"));
}

}  // namespace

}  // namespace argosy::kube
