// SPDX-License-Identifier: Apache-2.0
// Goal: argosyd serves its web page as it should: each file that the page names is there, nothing
// but its own scripts may run, and browsers keep what never changes. Method: curl on argosyd --dev.
#include <gmock/gmock.h>

#include <future>
#include <regex>

#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class web_page : public deployment_fixture {
 protected:
  /// The headers and the body.
  std::string ask(const std::string& path, std::vector<std::string> more = {}) const {
    launch how;
    how.words = {"/usr/bin/curl", "-sS", "-i", "--max-time", "10", world.health_url() + path};
    how.words.insert(how.words.end(), more.begin(), more.end());
    const auto got = run(how, world.folder(), std::chrono::seconds{20});
    EXPECT_EQ(got.code, 0) << got.err;
    return got.out;
  }

  /// Starts argosyd and gets the page, or skips the test if argosyd was built without it.
  void start_with_page() {
    start();
    start_page = ask("/");
    if (start_page.find("built without its web page") != std::string::npos)
      GTEST_SKIP() << "the web page was not built, since there is no npm";
  }

  std::string start_page;
};

TEST_F(web_page, has_each_file_that_it_names_below_any_path) {
  start_with_page();
  if (IsSkipped()) return;
  const std::regex named{"(?:src|href)=\"([^\"]+)\""};
  int files = 0;
  for (auto at = std::sregex_iterator{start_page.begin(), start_page.end(), named};
       at != std::sregex_iterator{}; ++at, ++files) {
    const auto path = (*at)[1].str();
    EXPECT_THAT(path, Not(HasSubstr(":"))) << "nothing comes from elsewhere";
    EXPECT_NE(path.front(), '/') << "a proxy may serve the page below a path";
    EXPECT_THAT(ask("/" + path), HasSubstr("HTTP/1.1 200")) << path;
  }
  EXPECT_EQ(files, 3);
}

TEST_F(web_page, lets_only_its_own_scripts_run) {
  start_with_page();
  if (IsSkipped()) return;
  EXPECT_THAT(start_page, HasSubstr("Content-Security-Policy: default-src 'none'; "
                                    "script-src 'self'; style-src 'self'; "));
  EXPECT_THAT(start_page, Not(HasSubstr("unsafe")));
  EXPECT_THAT(start_page, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(start_page, HasSubstr("X-Content-Type-Options: nosniff"));
  EXPECT_THAT(start_page, Not(HasSubstr("<script>")));
}

TEST_F(web_page, has_names_with_hashes_for_what_browsers_keep) {
  start_with_page();
  if (IsSkipped()) return;
  EXPECT_THAT(start_page, HasSubstr("Cache-Control: no-cache"));
  std::smatch script;
  ASSERT_TRUE(std::regex_search(start_page, script, std::regex{"assets/page-[0-9a-f]{12}\\.js"}));
  const auto file =
      ask("/" + script.str(), {"-H", "Accept-Encoding: gzip, br", "-o", "/dev/null", "-D", "-"});
  EXPECT_THAT(file, HasSubstr("Cache-Control: public, max-age=31536000, immutable"));
  EXPECT_THAT(file, HasSubstr("Content-Encoding: gzip"));
  EXPECT_THAT(ask("/assets/page-000000000000.js"), HasSubstr("HTTP/1.1 404"));
}

TEST_F(web_page, may_call_the_api_and_pages_of_others_may_not) {
  start();
  const auto found = [&](const std::string& origin) {
    return ask("/v1/jobs/find", {"-H", "Origin: " + origin, "-d", R"({"limit":1})"});
  };
  EXPECT_THAT(found(world.health_url()), HasSubstr("HTTP/1.1 200"));
  EXPECT_THAT(found("http://127.0.0.1:1"), HasSubstr("HTTP/1.1 403"));
  EXPECT_THAT(found("https://evil.example.com"), HasSubstr("HTTP/1.1 403"));
}

TEST_F(web_page, finds_what_it_shows_over_rest) {
  start_with_queue();
  const auto id = world.submit({{.command = "echo out"}}).at(0);
  EXPECT_EQ(wait_for(id), 0);
  EXPECT_THAT(ask("/v1/jobs/find", {"-d", R"({"where":"queue:q","limit":5})"}),
              HasSubstr("\"jobId\":\"" + id));
  EXPECT_THAT(ask("/v1/jobs/group", {"-d", R"({"groupBy":"state"})"}),
              HasSubstr(R"("name":"SUCCEEDED","count":1)"));
  EXPECT_THAT(ask("/v1/job/" + id + "/describe"), HasSubstr(R"("history":[)"));
  // "out\n" in base64.
  EXPECT_THAT(ask("/v1/job/" + id + "/log?run=1"), HasSubstr("b3V0Cg=="));
  EXPECT_THAT(ask("/v1/job/" + id + "/trace"), HasSubstr(R"("spans":[)"));
  EXPECT_THAT(ask("/v1/job-sets"), HasSubstr(R"("jobsByState":{"SUCCEEDED":1})"));
  EXPECT_THAT(ask("/v1/queues"), HasSubstr(R"("name":"q")"));
  EXPECT_THAT(ask("/v1/pools"), HasSubstr(R"("name":"default")"));
  EXPECT_THAT(ask("/v1/clusters"), HasSubstr(R"("name":"local")"));
  EXPECT_THAT(ask("/v1/version"), HasSubstr(R"("position":)"));
  EXPECT_THAT(ask("/v1/cluster/local/cordon", {"-d", R"({"cordoned":true,"reason":"disks"})"}),
              HasSubstr("HTTP/1.1 200"));
  EXPECT_THAT(ask("/v1/clusters"), HasSubstr("disks"));
}

TEST_F(web_page, is_told_where_its_readers_log_in_and_may_call_that_place_alone) {
  const auto config =
      world.write("login.yaml",
                  "access:\n"
                  "  oidc: {issuer: \"http://127.0.0.1:1/realm\", clientId: page}\n");
  start({"--config", config});
  EXPECT_THAT(ask("/login.json"),
              HasSubstr(R"({"issuer":"http://127.0.0.1:1/realm","clientId":"page"})"));
  const auto page = ask("/");
  if (page.find("built without its web page") != std::string::npos)
    GTEST_SKIP() << "the web page was not built, since there is no npm";
  EXPECT_THAT(page, HasSubstr("connect-src 'self' http://127.0.0.1:1;"));
}

TEST_F(web_page, without_a_provider_calls_its_own_server_alone) {
  start_with_page();
  if (IsSkipped()) return;
  EXPECT_THAT(start_page, HasSubstr("connect-src 'self';"));
  EXPECT_THAT(ask("/login.json"), HasSubstr("\r\n\r\n{}"));
}

TEST_F(web_page, has_views_that_are_saved_for_everybody_and_outlive_a_reload) {
  const auto config = world.write(
      "views.yaml", "rest: {views: [{name: Failures, address: \"#/jobs?where=state:failed\"}]}\n");
  start({"--config", config});
  const std::string failures = R"({"name":"Failures","address":"#/jobs?where=state:failed"})";
  EXPECT_THAT(ask("/v1/settings"), HasSubstr(R"("views":[)" + failures + "]"));
  const auto save = [&](const std::string& address) {
    return ask("/v1/settings", {"-d", R"({"set":[{"name":"rest.views","value":)"
                                      R"("[{\"name\":\"Mine\",\"address\":\")" +
                                          address + R"(\"}]"}]})"});
  };
  EXPECT_THAT(save("#/sets"), HasSubstr("HTTP/1.1 200"));
  EXPECT_THAT(save("https://evil.example.com"), HasSubstr("HTTP/1.1 400"));
  EXPECT_EQ(world.ctl({"config", "reload"}).code, 0);
  EXPECT_THAT(ask("/v1/settings"), HasSubstr(R"("views":[{"name":"Mine","address":"#/sets"}])"));
  EXPECT_EQ(world.ctl({"config", "unset", "rest.views"}).code, 0);
  EXPECT_THAT(ask("/v1/settings"), HasSubstr(R"("views":[)" + failures + "]"));
}

TEST_F(web_page, learns_by_a_small_question_whether_anything_has_changed) {
  start_with_queue();
  const auto position = [&] {
    const auto got = ask("/v1/position");
    EXPECT_THAT(got, HasSubstr("HTTP/1.1 200"));
    return got.substr(got.find("\r\n\r\n"));
  };
  const auto before = position();
  EXPECT_THAT(before, ::testing::ContainsRegex(R"(\{"position":[0-9]+,"startedNs":[0-9]+\})"));
  ASSERT_THAT(world.submit({{.command = "echo out"}}), ::testing::SizeIs(1));
  EXPECT_TRUE(eventually([&] { return position() != before; }));
}

TEST_F(web_page, is_told_of_each_change_and_loads_what_shows_it) {
  start_with_queue();
  // Reads two events of the stream.
  launch reader;
  reader.words = {"/bin/bash", "-c",
                  R"(coproc curl -sSN --max-time 20 "$0"; n=0
                     while read -r line <&"${COPROC[0]}"; do
                       echo "$line"
                       [[ $line == data:* ]] && ((++n == 2)) && kill $COPROC_PID && exit 0
                     done; exit 1)",
                  world.health_url() + "/v1/changes"};
  auto events = std::async(std::launch::async,
                           [&] { return run(reader, world.folder(), std::chrono::seconds{30}); });
  const auto found = [&](const std::string& known) {
    return ask("/v1/jobs/find",
               {"-H", "Argosy-Position: " + known, "-d", R"({"where":"queue:q"})"});
  };
  EXPECT_THAT(found("0"), HasSubstr("\r\nArgosy-Position: "));
  const auto id = world.submit({{.command = "echo out"}}).at(0);
  EXPECT_THAT(found("18446744073709551615"), HasSubstr(id)) << "what no answer has is made anew";
  const auto told = events.get();
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.out, ::testing::ContainsRegex("id: [0-9]+-[0-9]+\nevent: position\ndata: "));
}

TEST_F(web_page, plots_what_rounds_did) {
  start_with_queue();
  const auto id = world.submit({{.command = "echo out"}}).at(0);
  EXPECT_EQ(wait_for(id), 0);
  const auto told = ask("/v1/rounds?queue=q");
  EXPECT_THAT(told, HasSubstr(R"("pool":"default","queues":["q"],"spans":[{)"));
  EXPECT_THAT(told, HasSubstr(R"("started":1)"));
}

}  // namespace

}  // namespace argosy::testing
