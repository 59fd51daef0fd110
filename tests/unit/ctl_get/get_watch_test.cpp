// SPDX-License-Identifier: Apache-2.0
// Goal: get -w shows every change once: as rows that are appended, or as a table that is drawn anew
// on a terminal. Method: a scripted server whose answers change from call to call, and which ends
// the command as Ctrl-C would.
#include <fmt/format.h>

#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

class get_watch : public cli_fixture {
 protected:
  /// Answers with the names and numbers of running jobs of the queues, one answer after the other.
  void answer_in_turn(std::vector<std::vector<std::pair<std::string, int>>> answers) {
    using argosy::v1::ListQueuesRequest;
    using argosy::v1::ListQueuesResponse;
    server->on<ListQueuesRequest, ListQueuesResponse>(
        "Query.ListQueues",
        [this, answers,
         next = std::size_t{0}](const ListQueuesRequest&) mutable -> result<ListQueuesResponse> {
          const auto& answer = answers[next++];
          interrupted = next == answers.size();
          if (answer.empty()) return fail(ec::unavailable, "starting");
          ListQueuesResponse out;
          for (const auto& [name, running] : answer) {
            auto& queue = *out.add_queues();
            queue.mutable_queue()->set_name(name);
            queue.set_running(static_cast<std::uint32_t>(running));
          }
          return out;
        });
  }
};

TEST_F(get_watch, appends_the_rows_that_changed) {
  answer_in_turn({{{"a", 1}, {"b", 1}}, {{"a", 1}, {"b", 1}}, {{"a", 2}, {"b", 1}, {"c", 0}}});
  const auto got = run({"get", "queues", "-w", "-o", "name"});
  EXPECT_EQ(got.code, exit_code::interrupted);
  EXPECT_EQ(got.out, "queue/a\nqueue/b\nqueue/a\nqueue/c\n");
}

TEST_F(get_watch, prints_the_headers_once) {
  answer_in_turn({{{"a", 1}}, {{"a", 2}}});
  const auto got = run({"get", "queues", "--watch"});
  EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 3) << got.out;
  EXPECT_EQ(got.out.find("QUEUE"), got.out.rfind("QUEUE ")) << got.out;
}

TEST_F(get_watch, draws_the_table_anew_on_a_terminal_only_when_it_changed) {
  where.out_is_terminal = true;
  where.width = 80;
  answer_in_turn({{{"a", 1}, {"b", 1}}, {{"a", 1}, {"b", 1}}, {{"a", 7}, {"b", 1}}});
  const auto got = run({"get", "queues", "-w"});
  const std::string erase = "\x1b[3A\r\x1b[J";
  const auto second = got.out.find(erase);
  ASSERT_NE(second, std::string::npos) << got.out;
  EXPECT_EQ(got.out.find(erase, second + 1), std::string::npos) << "drawn twice, not three times";
  EXPECT_NE(got.out.find("7", second), std::string::npos);
}

TEST_F(get_watch, draws_no_more_lines_than_the_terminal_has) {
  where.out_is_terminal = true;
  where.width = 80;
  where.height = 5;
  answer_in_turn({{{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}}});
  const auto got = run({"get", "queues", "-w"});
  EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 4) << got.out;
  EXPECT_NE(got.out.find("… and 3 more\n"), std::string::npos) << got.out;
}

TEST_F(get_watch, goes_back_over_lines_that_are_longer_than_the_terminal) {
  where.out_is_terminal = true;
  where.width = 100;
  answer_in_turn({{{"a", 1}}, {{"a", 2}}});
  const auto got = run({"get", "queues", "-w", "-o", "wide"});
  EXPECT_NE(got.out.find("\x1b[4A\r\x1b[J"), std::string::npos) << got.out;
}

TEST_F(get_watch, goes_on_when_the_server_was_away_for_a_moment) {
  answer_in_turn({{{"a", 1}}, {}, {}, {{"a", 2}}});
  const auto got = run({"get", "queues", "-w", "-o", "jsonl"});
  EXPECT_EQ(got.code, exit_code::interrupted) << got.err;
  EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 2) << got.out;
}

TEST_F(get_watch, says_at_its_end_how_to_go_on) {
  answer_in_turn({{{"a", 1}}, {{"a", 2}}});
  const auto stopped = run({"get", "queues", "-w"});
  EXPECT_EQ(stopped.code, exit_code::interrupted);
  EXPECT_EQ(stopped.err, "the same command shows the list again\n");
  interrupted = false;
  server->on<argosy::v1::ListQueuesRequest, argosy::v1::ListQueuesResponse>(
      "Query.ListQueues", [](const auto&) { return argosy::v1::ListQueuesResponse{}; });
  const auto late = run({"get", "queues", "-w", "--timeout", "1ms"});
  EXPECT_EQ(late.code, exit_code::timed_out);
  EXPECT_EQ(late.err, "error: timed out\nthe same command shows the list again\n");
}

TEST_F(get_watch, prints_the_details_of_jobs_that_changed) {
  add_job(job_id(1), api::JobState::QUEUED);
  add_job(job_id(2), api::JobState::QUEUED);
  serve_jobs();
  int asked = 0;
  server->before = [&](std::string_view method) {
    if (method != "Query.ListJobs") return;
    ++asked;
    now_ns += 1'000'000'000;
    if (asked == 3) jobs[1].set_state(api::JobState::RUNNING);
    interrupted = asked == 4;
  };
  const auto got = run({"get", "jobs", "-w", "-o", "jsonl"});
  EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 3) << got.out;
  EXPECT_NE(got.out.find("\"state\":\"RUNNING\""), std::string::npos);
}

TEST_F(get_watch, tells_nodes_of_the_same_name_in_several_clusters_apart) {
  int asked = 0;
  server->on<argosy::v1::ListNodesRequest, argosy::v1::ListNodesResponse>(
      "Query.ListNodes", [&](const auto&) -> result<argosy::v1::ListNodesResponse> {
        interrupted = ++asked == 4;
        argosy::v1::ListNodesResponse out;
        for (const auto* cluster : {"a", "b"}) {
          auto& node = *out.add_nodes();
          node.set_cluster(cluster);
          node.set_name("n1");
          node.set_runs(cluster[0] == 'b' && asked > 2 ? 2 : 1);
        }
        return out;
      });
  EXPECT_EQ(run({"get", "nodes", "n1", "-w", "-o", "name"}).out,
            "node/a/n1\nnode/b/n1\nnode/b/n1\n");
}

TEST_F(get_watch, prints_no_row_for_what_the_table_does_not_show) {
  add_job(job_id(1), api::JobState::QUEUED);
  serve_jobs();
  int asked = 0;
  server->before = [&](std::string_view method) {
    if (method != "Query.ListJobs") return;
    jobs[0].set_priority(++asked);
    interrupted = asked == 3;
  };
  const auto lines = [&](const std::string& as) {
    asked = 0;
    interrupted = false;
    const auto got = run({"get", "jobs", "-w", "-o", as, "--no-headers"});
    return std::count(got.out.begin(), got.out.end(), '\n');
  };
  EXPECT_EQ(lines("table"), 1);
  EXPECT_EQ(lines("wide"), 3);
  EXPECT_EQ(lines("name"), 3);
  EXPECT_EQ(lines("jsonl"), 3);
}

TEST_F(get_watch, refuses_a_list_that_would_never_end) {
  const auto got = run({"get", "queues", "-w", "-o", "json"});
  EXPECT_EQ(got.code, exit_code::usage);
  EXPECT_NE(got.err.find("jsonl"), std::string::npos) << got.err;
}

}  // namespace argosy::ctl
