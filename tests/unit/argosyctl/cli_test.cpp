// SPDX-License-Identifier: Apache-2.0
// Goal: mistakes are answered with one clear message and the right code, help knows
// every verb and nothing else, and the server is found as documented. Method: the whole command
// line against a scripted server.
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "bins/argosyctl/verbs/command.hpp"
#include "google/protobuf/empty.pb.h"
#include "runtime/bus/nats/nats_bus.hpp"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

class cli : public cli_fixture {
 protected:
  void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path} << text;
  }
};

TEST_F(cli, suggests_verbs_kinds_and_flags) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes{
      {{"wtach"}, "did you mean 'watch'?"},
      {{"get", "jbos"}, "did you mean 'jobs'?"},
      {{"get", "jobs", "--quue", "a"}, "did you mean '--queue'?"},
      {{"queue", "creat", "a"}, "did you mean 'create'?"},
      {{"get", "jobs", "-o", "jsn"}, "did you mean 'json'?"},
      {{"wait", "--for", "runing", "01"}, "did you mean 'running'?"}};
  for (const auto& [words, hint] : mistakes) {
    const auto got = run(words);
    EXPECT_EQ(got.code, exit_code::usage) << words.back();
    EXPECT_NE(got.err.find(hint), std::string::npos) << got.err;
    EXPECT_EQ(got.out, "");
  }
}

TEST_F(cli, a_flag_without_its_value_does_not_take_the_next_word) {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"get", "jobs", "--queue=", "--active"},
                                             {"cancel", "-q", "a", "--jobset=", "--yes"},
                                             {"run", "-q", "a", "--name=", "--", "true"},
                                             {"--timeout=", "get", "jobs"}}) {
    const auto got = run(words);
    EXPECT_EQ(got.code, exit_code::usage) << words[1];
    EXPECT_NE(got.err.find("has no value"), std::string::npos) << got.err;
  }
  EXPECT_EQ(run({"run", "-q", "a", "--print", "--", "make", "--jobs="}).code, exit_code::success);
  EXPECT_THAT(run({"run", "-q", "a", "-n", "jobs", "--print", "--", "make"}).out,
              ::testing::HasSubstr("namespace: jobs"));
}

TEST_F(cli, an_unknown_queue_is_not_found_wherever_it_is_named) {
  serve_jobs();
  server->always("Query.ListJobSets", argosy::v1::ListJobSetsResponse{});
  argosy::v1::ListQueuesResponse queues;
  queues.add_queues()->mutable_queue()->set_name("note");
  server->always("Query.ListQueues", queues);
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"get", "jobs", "-q", "nose"},
                                             {"get", "jobsets", "-q", "nose"},
                                             {"wait", "-q", "nose"},
                                             {"cancel", "-q", "nose", "--jobset", "s"},
                                             {"watch", "nose", "s"},
                                             {"queue", "delete", "nose"}}) {
    const auto got = run(words);
    EXPECT_EQ(got.code, exit_code::not_found) << words[0];
    EXPECT_NE(got.err.find("did you mean 'note'?"), std::string::npos) << got.err;
  }
  EXPECT_EQ(run({"get", "jobs", "-q", "a"}).code, exit_code::success);
}

TEST_F(cli, an_empty_value_is_not_taken_for_a_flag_that_is_absent) {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"cancel", "-e", "east", "--node", "", "-y"},
                                             {"cancel", "-e", "", "--node", "n1", "-y"},
                                             {"cancel", "-q", "a", "--pool", "", "-y"},
                                             {"cancel", "-q", "a", "--priority-class", "", "-y"},
                                             {"preempt", "-e", "east", "--node", "", "-y"},
                                             {"get", "jobs", "-q", ""},
                                             {"get", "jobs", "--jobset", ""},
                                             {"--server", "", "get", "jobs"},
                                             {"get", "jobs", "--server", ""},
                                             {"get", "jobs", "--context", ""},
                                             {"get", "jobs", "--timeout", ""},
                                             {"run", "-q", "a", "--image", "", "--", "true"},
                                             {"queue", "update", "a", "--labels", ""},
                                             {"queue", "update", ""},
                                             {"queue", "delete", ""},
                                             {"cluster", "cordon", ""},
                                             {"node", "drain", ""},
                                             {"logs", ""}}) {
    const auto got = run(words);
    EXPECT_EQ(got.code, exit_code::usage) << fmt::format("{}", fmt::join(words, " "));
    EXPECT_NE(got.err.find("empty"), std::string::npos) << got.err;
  }
  EXPECT_EQ(connects, 0);
}

TEST_F(cli, refuses_what_it_does_not_understand) {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{},
                                             {"get"},
                                             {"get", "jobs", "--timeout", "soon"},
                                             {"get", "jobs", "--timeout", "0"},
                                             {"version", "surplus"},
                                             {"cancel"},
                                             {"cancel", "-q", "a", "--jobset", ""},
                                             {"watch"},
                                             {"wait"},
                                             {"queue", "create"},
                                             {"queue", "create", "a", "--priority-factor", "0"},
                                             {"queue", "create", "a", "--labels", "x"},
                                             {"logs"},
                                             {"get", "jobs", "--color", "red"}})
    EXPECT_EQ(run(words).code, exit_code::usage) << fmt::format("{}", words.size());
  EXPECT_EQ(connects, 0);
}

TEST_F(cli, messages_are_harmless) {
  const auto got = run({"get\x1b[2J"});
  EXPECT_EQ(got.err.find('\x1b'), std::string::npos);
}

TEST_F(cli, help_has_every_verb) {
  const auto help = run({"--help"});
  EXPECT_EQ(help.code, exit_code::success);
  for (const auto& v : all_verbs()) {
    EXPECT_NE(help.out.find(v.name), std::string::npos) << v.name;
    const auto own = run({std::string{v.name}, "--help"});
    EXPECT_EQ(own.code, exit_code::success) << v.name;
    EXPECT_NE(own.out.find("argosyctl " + std::string{v.name}), std::string::npos) << own.out;
    EXPECT_NE(own.out.find("Examples:\n"), std::string::npos) << v.name;
  }
  EXPECT_EQ(run({"help"}).out, help.out);
  EXPECT_EQ(run({"help", "get", "jobs"}).out, run({"get", "jobs", "--help"}).out);
  EXPECT_NE(run({"get", "--help"}).out.find("Usage: argosyctl get KIND [flags]"),
            std::string::npos);
  EXPECT_EQ(help.out.find("__complete"), std::string::npos);
}

TEST_F(cli, help_has_topics_that_concern_all_verbs) {
  EXPECT_NE(run({"help", "exit-codes"}).out.find("124"), std::string::npos);
  EXPECT_NE(run({"help", "contexts"}).out.find("ARGOSY_CONTEXT"), std::string::npos);
  EXPECT_NE(run({"help", "output"}).out.find("thousandths of a core"), std::string::npos);
  EXPECT_EQ(run({"help", "weather"}).code, exit_code::usage);
}

TEST_F(cli, help_fits_the_terminal) {
  where.width = 60;
  const auto help = run({"get", "jobs", "--help"}).out;
  std::istringstream lines{help};
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.size() <= 60 || line.find("argosyctl") != std::string::npos ||
                line.starts_with("More:"))
        << line;
}

TEST_F(cli, words_of_other_systems_and_misspelt_ones_name_ours) {
  EXPECT_NE(run({"squeue"}).err.find("argosyctl get jobs"), std::string::npos);
  EXPECT_NE(run({"get", "pods"}).err.find("argosyctl get jobs"), std::string::npos);
  EXPECT_NE(run({"submti"}).err.find("submit"), std::string::npos);
  EXPECT_NE(run({"get", "jobs", "--quue", "a"}).err.find("--queue"), std::string::npos);
}

TEST_F(cli, finds_the_server_in_the_documented_order) {
  serve_jobs();
  variables.erase("ARGOSY_SERVER");
  const auto none = run({"get", "jobs"});
  EXPECT_EQ(none.code, exit_code::unreachable);
  for (const auto* place :
       {"--server", "ARGOSY_SERVER", "config.yaml", ".armadactl.yaml", "argosyd --dev"})
    EXPECT_NE(none.err.find(place), std::string::npos) << place;
  write(home / ".local/state/argosy/dev/server.url", "nats://dev:1\nmore\n");
  static_cast<void>(run({"get", "jobs"}));
  EXPECT_EQ(connected.url, "nats://dev:1");
  write(home / ".config/argosy/config.yaml",
        "currentContext: x\ncontexts:\n  x: {server: 'nats://x:1'}\n  y: {server: 'nats://y:1'}\n");
  static_cast<void>(run({"get", "jobs"}));
  EXPECT_EQ(connected.url, "nats://x:1");
  static_cast<void>(run({"get", "jobs", "--context", "y"}));
  EXPECT_EQ(connected.url, "nats://y:1");
  EXPECT_EQ(run({"get", "jobs", "--context", "z"}).code, exit_code::not_found);
  variables["ARGOSY_SERVER"] = "nats://env:1";
  static_cast<void>(run({"get", "jobs"}));
  EXPECT_EQ(connected.url, "nats://env:1");
  static_cast<void>(run({"--server", "nats://flag:1", "get", "jobs", "--timeout", "5s"}));
  EXPECT_EQ(connected.url, "nats://flag:1");
  EXPECT_EQ(connected.timeout, std::chrono::seconds{5});
}

TEST_F(cli, an_address_that_does_not_work_is_told_with_its_place) {
  variables.erase("ARGOSY_SERVER");
  connection = fail(ec::unreachable, "cannot connect at nats://x:1");
  const auto told = [this](std::vector<std::string> words) {
    words.insert(words.end(), {"--timeout", "1ms"});
    return run(words).err;
  };
  const auto file = home / ".config/argosy/config.yaml";
  write(home / ".local/state/argosy/dev/server.url", "nats://dev:1\n");
  EXPECT_EQ(told({"get", "jobs"}),
            "error: cannot connect at nats://x:1 (the address is that of the "
            "last argosyd --dev, in " +
                (home / ".local/state/argosy/dev/server.url").string() + ")\n");
  write(file, "currentContext: old\ncontexts: {old: {server: 'nats://x:1'}}\n");
  EXPECT_EQ(told({"get", "jobs"}),
            "error: cannot connect at nats://x:1 (the address is that of context 'old' in " +
                file.string() + ")\n");
  variables["ARGOSY_SERVER"] = "nats://x:1";
  EXPECT_EQ(told({"get", "jobs"}),
            "error: cannot connect at nats://x:1 (the address is that of ARGOSY_SERVER)\n");
  EXPECT_EQ(told({"get", "jobs", "--server", "nats://x:1"}),
            "error: cannot connect at nats://x:1\n");
}

TEST_F(cli, reads_the_contexts_of_armadactl) {
  serve_jobs();
  variables.erase("ARGOSY_SERVER");
  const auto file = home / ".armadactl.yaml";
  write(file,
        "currentContext: main\ncontexts:\n  main: {armadaUrl: 'nats://main:4222'}\n"
        "  other: {armadaUrl: 'tls://other:4222'}\n  grpc: {armadaUrl: 'localhost:50051'}\n");
  static_cast<void>(run({"get", "jobs"}));
  EXPECT_EQ(connected.url, "nats://main:4222");
  static_cast<void>(run({"get", "jobs", "-c", "other"}));
  EXPECT_EQ(connected.url, "tls://other:4222");
  connects = 0;
  const auto grpc = run({"get", "jobs", "--context", "grpc"});
  EXPECT_EQ(grpc.code, exit_code::usage);
  EXPECT_NE(grpc.err.find("over NATS and not over gRPC"), std::string::npos) << grpc.err;
  const auto missing = run({"get", "jobs", "--context", "absent"});
  EXPECT_EQ(missing.code, exit_code::not_found);
  EXPECT_NE(missing.err.find(".armadactl.yaml"), std::string::npos) << missing.err;
  EXPECT_EQ(connects, 0);
  write(home / ".config/argosy/config.yaml", "currentContext: x\ncontexts: {x: {server: 'x:1'}}\n");
  static_cast<void>(run({"get", "jobs"}));
  EXPECT_EQ(connected.url, "x:1");
  static_cast<void>(run({"get", "jobs", "--context", "other"}));
  EXPECT_EQ(connected.url, "tls://other:4222");
  static_cast<void>(run({"get", "jobs", "--armadaUrl", "nats://given:1"}));
  EXPECT_EQ(connected.url, "nats://given:1");
}

TEST_F(cli, an_armadactl_context_of_a_grpc_server_is_in_nobodys_way) {
  serve_jobs();
  variables.erase("ARGOSY_SERVER");
  write(home / ".armadactl.yaml",
        "currentContext: main\ncontexts:\n  main: {armadaUrl: 'localhost:50051'}\n");
  const auto none = run({"get", "jobs"});
  EXPECT_EQ(none.code, exit_code::unreachable);
  EXPECT_NE(none.err.find("localhost:50051"), std::string::npos) << none.err;
  write(home / ".local/state/argosy/dev/server.url", "nats://dev:1\n");
  static_cast<void>(run({"get", "jobs"}));
  EXPECT_EQ(connected.url, "nats://dev:1");
}

TEST_F(cli, a_configuration_file_that_is_named_is_the_only_one) {
  serve_jobs();
  variables["ARGOSY_SERVER"] = "nats://env:1";
  write(home / ".config/argosy/config.yaml",
        "currentContext: x\ncontexts: {x: {server: 'x:1'}, own: {server: 'own:1'}}\n");
  write(home / ".armadactl.yaml",
        "currentContext: m\ncontexts: {m: {armadaUrl: 'nats://home:1'}}\n");
  const auto given = (home / "given.yaml").string();
  const auto refused = [&](const std::vector<std::string>& more, const std::string& message) {
    std::vector<std::string> words{"get", "jobs", "--config", given};
    words.insert(words.end(), more.begin(), more.end());
    const auto got = run(words);
    EXPECT_NE(got.code, exit_code::success) << message;
    EXPECT_NE(got.err.find(given), std::string::npos) << got.err;
    EXPECT_NE(got.err.find(message), std::string::npos) << got.err;
  };
  connects = 0;
  refused({}, "cannot read");
  write(given, "contexts: {m: {armadaUrl: 'nats://given:1'}}\n");
  refused({}, "currentContext");
  refused({"--context", "own"}, "no context 'own'");
  write(given, "currentContext: m\ncontexts: {m: {armadaUrl: 'localhost:50051'}}\n");
  refused({}, "over NATS and not over gRPC");
  write(given, "contexts: [\n");
  refused({}, "given.yaml:2:1");
  EXPECT_EQ(connects, 0);
  write(given,
        "currentContext: m\ncontexts:\n  m: {armadaUrl: 'nats://given:1'}\n"
        "  n: {armadaUrl: 'nats://given:2'}\n");
  EXPECT_EQ(run({"get", "jobs", "--config", given}).code, exit_code::success);
  EXPECT_EQ(connected.url, "nats://given:1");
  EXPECT_EQ(run({"get", "jobs", "--config", given, "-c", "n"}).code, exit_code::success);
  EXPECT_EQ(connected.url, "nats://given:2");
  static_cast<void>(run({"get", "jobs", "--config", given, "--server", "nats://flag:1"}));
  EXPECT_EQ(connected.url, "nats://flag:1");
}

TEST_F(cli, an_address_that_is_not_of_nats_is_refused_wherever_it_is_given) {
  const auto refused = [this](const std::vector<std::string>& words) {
    const auto got = run(words);
    return got.code == exit_code::usage && got.err.find("NATS") != std::string::npos &&
           got.err.find("secret") == std::string::npos;
  };
  EXPECT_TRUE(refused({"get", "jobs", "--server", "http://secret@localhost:8080"}));
  EXPECT_TRUE(refused({"get", "jobs", "--armadaUrl", "localhost:50051"}));
  variables["ARGOSY_SERVER"] = "https://localhost";
  EXPECT_TRUE(refused({"get", "jobs"}));
  EXPECT_EQ(connects, 0);
}

TEST_F(cli, waits_for_the_server_until_the_time_out) {
  serve_jobs();
  add_job(job_id(1), api::JobState::SUCCEEDED);
  connection = fail(ec::unreachable, "nobody is there");
  EXPECT_EQ(run({"get", "jobs", "--timeout", "1ms"}).code, exit_code::unreachable);
  EXPECT_EQ(connects, 1);
  fails_before_connecting = 2;
  EXPECT_EQ(run({"get", "jobs"}).code, exit_code::success);
  EXPECT_EQ(connects, 4);
}

TEST_F(cli, says_once_that_it_waits_for_the_server) {
  serve_jobs();
  add_job(job_id(1), api::JobState::SUCCEEDED);
  connection = fail(ec::unreachable, "nobody is there");
  fails_before_connecting = 13;
  const auto got = run({"get", "jobs"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(got.err, "the server is away; waiting for it…\n") << "stderr is no terminal";
}

TEST_F(cli, does_not_wait_for_a_name_without_an_address) {
  connection = fail(ec::unreachable, std::string{bus::no_address_text} + " 'x'");
  EXPECT_EQ(run({"get", "jobs"}).code, exit_code::unreachable);
  EXPECT_EQ(connects, 1);
}

TEST_F(cli, verbs_that_wait_also_wait_for_the_server) {
  serve_jobs();
  add_job(job_id(1), api::JobState::SUCCEEDED);
  connection = fail(ec::unreachable, "nobody is there");
  connects = 1;
  fails_before_connecting = 2;
  EXPECT_EQ(run({"wait", job_id(1)}).code, exit_code::success);
  EXPECT_EQ(connects, 4);
}

TEST_F(cli, a_missing_argument_is_called_as_help_calls_it) {
  const auto got = run({"submit"});
  EXPECT_EQ(got.code, exit_code::usage);
  EXPECT_TRUE(got.err.starts_with("error: FILE is missing: ")) << got.err;
}

TEST_F(cli, names_of_verbs_are_names_like_others_behind_a_verb) {
  serve_jobs();
  server->always("QueueService.DeleteQueue", google::protobuf::Empty{});
  const auto described = run({"describe", "queu", "delete", "a"});
  EXPECT_EQ(described.code, exit_code::usage);
  EXPECT_NE(described.err.find("no kind 'queu' of 'describe'"), std::string::npos) << described.err;
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"get", "jobs", "queue", "delete", "a"}, {"cancel", "version", "delete", "a"}})
    EXPECT_EQ(run(words).code, exit_code::usage) << words[0];
  EXPECT_EQ(server->calls("QueueService.DeleteQueue"), 0);
  static_cast<void>(run({"watch", "queue", "logs", "--until=done", "--timeout", "1ms"}));
  const auto watched = server->nth<api::JobSetRequest>("Event.GetJobSetEvents");
  EXPECT_EQ(watched.queue(), "queue");
  EXPECT_EQ(watched.id(), "logs");
}

TEST_F(cli, a_bad_value_is_named_with_its_flag) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes{
      {{"get", "jobs", "-q"}, "--queue needs a value: QUEUE"},
      {{"get", "jobs", "--limit", "x"}, "--limit: 'x' is not a number"},
      {{"get", "jobs", "--limit", "-1"}, "--limit: '-1' is not a number in range"},
      {{"logs", "01k", "--tail", "-1"}, "--tail: '-1' is not a number in range"},
      {{"logs", "01k", "--tail", "18446744073709551616"}, "is not a number in range"},
      {{"queue", "create", "a", "--priority-factor", "much"}, "--priority-factor: 'much' is not"},
      {{"watch", "nightly"}, "argosyctl watch nightly SET"}};
  for (const auto& [words, message] : mistakes) {
    const auto got = run(words);
    EXPECT_EQ(got.code, exit_code::usage);
    EXPECT_NE(got.err.find(message), std::string::npos) << got.err;
  }
}

TEST_F(cli, two_dashes_end_the_flags) {
  serve_jobs();
  add_job(job_id(1), api::JobState::QUEUED);
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"get", "jobs", "-o", "name", "--", job_id(1)},
                                             {"get", "-o", "name", "--", "jobs", job_id(1)},
                                             {"get", "-o", "name", "--", job_id(1)},
                                             {"get", "jobs", job_id(1), "-o", "name", "--"}}) {
    const auto got = run(words);
    EXPECT_EQ(got.code, exit_code::success) << got.err;
    EXPECT_EQ(got.out, "job/" + job_id(1) + "\n");
  }
  const auto file = run({"submit", "--dry-run", "--", "-absent.yaml"});
  EXPECT_EQ(file.code, exit_code::usage);
  EXPECT_NE(file.err.find("cannot read -absent.yaml"), std::string::npos) << file.err;
  // Words that are replaced elsewhere are names of files here.
  EXPECT_NE(run({"submit", "--", "--jobId"}).err.find("cannot read --jobId"), std::string::npos);
  EXPECT_EQ(run({"version", "--", "-x"}).err.find("flag"), std::string::npos);
  EXPECT_EQ(run({"version", "--", "-x"}).code, exit_code::usage);
  EXPECT_NE(run({"run", "-q", "a", "--time", "1m", "--", "hostname"})
                .err.find("there is no flag '--time'"),
            std::string::npos);
  EXPECT_NE(run({"get", "jobs", "--quue", "--", "x"}).err.find("there is no flag '--quue'"),
            std::string::npos);
}

TEST_F(cli, completes_names_behind_two_dashes) {
  EXPECT_EQ(run({"__complete", "submit", "--", "--q"}).out, ":files\n");
  EXPECT_EQ(run({"__complete", "submit", "--", ""}).out, ":files\n");
}

TEST_F(cli, hidden_flags_stay_hidden) {
  const auto help = run({"get", "jobs", "--help"}).out;
  for (const auto* hidden : {"--armadaUrl", "--jobSet", "--config"})
    EXPECT_EQ(help.find(hidden), std::string::npos) << hidden;
  EXPECT_EQ(run({"__complete", "get", "jobs", "--arm"}).out, "");
}

TEST_F(cli, a_broken_configuration_is_reported_with_its_place) {
  variables.erase("ARGOSY_SERVER");
  write(home / ".config/argosy/config.yaml", "contexts: [\n");
  const auto got = run({"get", "jobs"});
  EXPECT_EQ(got.code, exit_code::usage);
  EXPECT_NE(got.err.find("config.yaml:2:1"), std::string::npos) << got.err;
}

TEST_F(cli, the_usual_format_can_be_set) {
  add_job(job_id(1), api::JobState::QUEUED);
  serve_jobs();
  variables["ARGOSY_OUTPUT"] = "name";
  EXPECT_EQ(run({"get", "jobs"}).out, "job/" + job_id(1) + "\n");
  variables["ARGOSY_OUTPUT"] = "mermaid";
  EXPECT_NE(run({"get", "jobs"}).out.find("JOB SET"), std::string::npos);
}

TEST_F(cli, a_usual_format_that_is_none_is_refused) {
  serve_jobs();
  variables["ARGOSY_OUTPUT"] = "jsonn";
  const auto got = run({"get", "jobs"});
  EXPECT_EQ(got.code, exit_code::usage);
  EXPECT_NE(got.err.find("ARGOSY_OUTPUT is 'jsonn'"), std::string::npos) << got.err;
  EXPECT_NE(got.err.find("did you mean 'json'?"), std::string::npos) << got.err;
  EXPECT_EQ(run({"get", "jobs", "-o", "json"}).code, exit_code::success) << "the flag counts";
}

TEST_F(cli, variables_that_nobody_reads_are_told) {
  serve_jobs();
  EXPECT_EQ(run({"get", "jobs"}).err.find("variable"), std::string::npos);
  variables["ARGOSY_SEVER"] = "nats://other:1";
  variables["ARGOSY_TIMEOUT"] = "5x";
  const auto got = run({"get", "jobs"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_NE(got.err.find("ARGOSY_SEVER names no setting; did you mean 'ARGOSY_SERVER'?"),
            std::string::npos)
      << got.err;
  EXPECT_NE(got.err.find("variable ARGOSY_TIMEOUT"), std::string::npos) << got.err;
}

TEST_F(cli, version_needs_no_server) {
  connection = fail(ec::unreachable, "nobody is there");
  const auto got = run({"version"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_TRUE(got.out.starts_with("argosyctl "));
  connection = {};
  argosy::v1::GetVersionResponse version;
  version.set_version("9.9");
  server->always("Query.GetVersion", version);
  EXPECT_NE(run({"version", "-o", "json"}).out.find("\"version\":\"9.9\""), std::string::npos);
}

}  // namespace argosy::ctl
