// SPDX-License-Identifier: Apache-2.0
// Goal: whoever is on call sees what the actors do, changes levels of the log, and takes an archive
// away that has no secrets in it. Method: the whole command line against a scripted server; the
// archive is unpacked in memory.
#include <gmock/gmock.h>
#include <zlib.h>

#include <fstream>
#include <map>
#include <sstream>

#include "messages/proto/argosy/audit.pb.h"
#include "messages/proto/argosy/diag.pb.h"
#include "messages/proto/argosy/settings.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

class actors_top_verb : public cli_fixture {
 protected:
  void SetUp() override {
    server->on<argosy::v1::ReadActorsRequest, argosy::v1::ReadActorsResponse>(
        "Diag.ReadActors", [this](const auto& request) -> result<argosy::v1::ReadActorsResponse> {
          ++readings;
          argosy::v1::ReadActorsResponse out;
          if (request.type() == "absent") return out;
          out.set_time_ns(readings * second_ns);
          out.set_all(30);
          for (std::uint64_t id = 1; id <= 25; ++id) {
            auto& actor = *out.add_actors();
            actor.set_type("argosy.queue");
            actor.set_id(id);
            actor.set_handled(100 + 10 * static_cast<std::uint64_t>(readings) * id);
            actor.set_processing_ns(readings * second_ns / 4);
          }
          auto& busy = *out.mutable_actors(0);
          busy.set_message("place");
          busy.set_busy_ns(31 * second_ns);
          busy.set_oldest_ns(40 * second_ns);
          busy.set_depth(3);
          return out;
        });
  }

  std::int64_t readings = 0;
};

TEST_F(actors_top_verb, shows_what_each_actor_is_at_and_how_fast_it_goes) {
  const auto done = run({"actors", "top", "--once", "--limit", "2"});
  ASSERT_EQ(done.code, exit_code::success) << done.err;
  std::istringstream lines{done.out};
  std::string title;
  std::string first;
  std::getline(lines, title);
  std::getline(lines, first);
  EXPECT_THAT(title, AllOf(HasSubstr("OLDEST"), HasSubstr("DOING"), HasSubstr("MSGS/S")));
  EXPECT_THAT(first, AllOf(StartsWith("queue"), HasSubstr("place"), HasSubstr("31.0 s"),
                           HasSubstr("40.0 s"), HasSubstr("10.0"), HasSubstr("25.0%")));
  EXPECT_EQ(std::count(done.out.begin(), done.out.end(), '\n'), 3);
  EXPECT_THAT(done.err, HasSubstr("2 of 30 actors are shown"));
  EXPECT_EQ(readings, 2) << "rates are what happened between two of them";
}

TEST_F(actors_top_verb, sorts_by_any_column) {
  const auto done = run({"actors", "top", "--once", "--limit", "1", "--sort-by=-MSGS/S",
                         "--no-headers", "-o", "cols=ID"});
  ASSERT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(done.out, "25\n");
}

TEST_F(actors_top_verb, gives_scripts_all_of_the_answer_at_once) {
  const auto done = run({"actors", "top", "-o", "json"});
  ASSERT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_THAT(done.out, AllOf(StartsWith("{\"items\":["), HasSubstr("\"busyNs\":\"31000000000\""),
                              HasSubstr("\"id\":\"25\"")));
  EXPECT_EQ(readings, 1);
}

TEST_F(actors_top_verb, goes_on_at_a_terminal_until_ctrl_c) {
  where.out_is_terminal = true;
  where.width = 120;
  where.height = 10;
  server->before = [this](std::string_view) {
    if (readings == 3) interrupted = true;
  };
  const auto done = run({"actors", "top"});
  EXPECT_EQ(done.code, exit_code::interrupted);
  EXPECT_EQ(readings, 4);
  EXPECT_THAT(done.out, HasSubstr("place"));
}

TEST_F(actors_top_verb, says_where_the_types_are_listed) {
  const auto done = run({"actors", "top", "--type", "absent", "--once"});
  EXPECT_EQ(done.code, exit_code::not_found);
  EXPECT_THAT(done.err, HasSubstr("argosyctl actors graph"));
}

class loglevel_verb : public cli_fixture {
 protected:
  void SetUp() override {
    argosy::v1::ReadLogLevelsResponse levels;
    auto& one = *levels.add_levels();
    one.set_component("journal");
    one.set_level("debug");
    one.set_changed(true);
    one.set_left_ns(600 * second_ns);
    server->always("Diag.ReadLogLevels", levels);
    server->always("Diag.SetLogLevel", argosy::v1::SetLogLevelResponse{});
  }
};

TEST_F(loglevel_verb, reads_the_levels_and_changes_nothing) {
  const auto done = run({"diag", "loglevel"});
  ASSERT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_THAT(done.out,
              AllOf(HasSubstr("journal"), HasSubstr("debug"), HasSubstr("yes"), HasSubstr("10m")));
  EXPECT_EQ(server->calls("Diag.SetLogLevel"), 0U);
}

TEST_F(loglevel_verb, changes_levels_of_parts_or_of_all_for_a_time) {
  const auto done = run({"diag", "loglevel", "journal=debug", "warning", "--for", "10m"});
  ASSERT_EQ(done.code, exit_code::success) << done.err;
  ASSERT_EQ(server->calls("Diag.SetLogLevel"), 2U);
  const auto part = server->nth<argosy::v1::SetLogLevelRequest>("Diag.SetLogLevel", 0);
  EXPECT_EQ(part.component(), "journal");
  EXPECT_EQ(part.level(), "debug");
  EXPECT_EQ(part.duration_ns(), 600 * second_ns);
  const auto all = server->nth<argosy::v1::SetLogLevelRequest>("Diag.SetLogLevel", 1);
  EXPECT_EQ(all.component(), "");
  EXPECT_EQ(all.level(), "warning");
}

TEST_F(loglevel_verb, asks_nothing_of_the_server_when_a_word_is_wrong) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"=debug"},
                                             {"journal="},
                                             {"journal=debug", "--for", "soon"},
                                             {"--for", "10m"},
                                             {"journal=debug", "--for", "0s"}}) {
    auto all = words;
    all.insert(all.begin(), {"diag", "loglevel"});
    EXPECT_EQ(run(all).code, exit_code::usage) << words.front();
  }
  EXPECT_TRUE(server->requests.empty());
}

/// What gzip made of it.
std::string unpacked(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out(1 << 20, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

/// The files of an archive by their names without the folder.
std::map<std::string, std::string> files_of(const std::string& tar) {
  std::map<std::string, std::string> out;
  for (std::size_t at = 0; at + 512 <= tar.size() && tar[at] != '\0';) {
    const std::string path = tar.c_str() + at;
    const auto size = std::stoul(tar.substr(at + 124, 11), nullptr, 8);
    out[path.substr(path.find('/') + 1)] = tar.substr(at + 512, size);
    at += 512 + (size + 511) / 512 * 512;
  }
  return out;
}

class support_bundle_verb : public cli_fixture {
 protected:
  void SetUp() override {
    using namespace argosy::v1;
    GetSettingsResponse settings;
    auto& users = *settings.add_settings();
    users.set_name("access.users");
    users.set_value("[{name: ann, passwordHash: $6$salt$" + secret + "}]");
    auto& token = *settings.add_settings();
    token.set_name("access.token");
    token.set_value(secret);
    server->always("Settings.Get", settings);
    ReadLinesResponse lines;
    lines.add_lines("connected to nats://argosyd:" + secret + "@h:4222");
    lines.add_lines(R"({"message":"asked","authorization":"Bearer )" + secret + "\"}");
    lines.add_lines("the key is -----BEGIN PRIVATE KEY-----\\n" + secret);
    server->always("Diag.ReadLines", lines);
    ReadMetricsResponse metrics;
    metrics.set_text("argosy_leader 1\n");
    server->always("Diag.ReadMetrics", metrics);
    ReadActorsResponse actors;
    actors.add_actors()->set_type("argosy.queue");
    server->always("Diag.ReadActors", actors);
    ReadSpansResponse spans;
    auto& span = *spans.add_spans();
    span.set_trace_id(std::string(16, '\1'));
    span.set_span_id(7);
    span.set_name("submit");
    (*span.mutable_attributes())["password"] = secret;
    server->always("Diag.ReadSpans", spans);
    server->always("Query.GetVersion", GetVersionResponse{});
    server->refuse("Trace.GetGraph", {ec::denied, "asked with password=" + secret});
  }

  const std::string secret = "hunter2hunter2hunter2";
  const std::string file = (temp.path() / "bundle.tar.gz").string();
};

TEST_F(support_bundle_verb, has_what_helps_and_no_secret) {
  const auto done = run({"support-bundle", file});
  ASSERT_EQ(done.code, exit_code::partial) << "the graph is missing: " << done.err;
  EXPECT_EQ(done.out, file + "\n");
  std::ifstream in{file, std::ios::binary};
  std::ostringstream bytes;
  bytes << in.rdbuf();
  const auto tar = unpacked(bytes.str());
  EXPECT_EQ(tar.find(secret), std::string::npos);
  EXPECT_EQ(done.err.find(secret), std::string::npos) << done.err;
  const auto files = files_of(tar);
  for (const auto* name : {"settings.txt", "log.txt", "metrics.txt", "actors.json", "version.json",
                           "trace.perfetto.json", "argosyctl.txt", "missing.txt"})
    EXPECT_THAT(files, Contains(Key(name)));
  EXPECT_EQ(files.at("metrics.txt"), "argosy_leader 1\n");
  EXPECT_THAT(files.at("settings.txt"), HasSubstr("access.token: [redacted]\n"));
  EXPECT_THAT(files.at("trace.perfetto.json"), HasSubstr("\"traceEvents\""));
  EXPECT_THAT(files.at("missing.txt"), HasSubstr("graph.json: Trace.GetGraph failed"));
  EXPECT_EQ(std::filesystem::status(file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(support_bundle_verb, lacks_what_was_named_and_is_not_there) {
  for (const auto* method : {"Diag.ReadLogLevels", "Settings.ListChanges", "Query.ListClusters",
                             "Query.ListPools", "Query.ListNodes", "Query.ListQueues",
                             "Query.ListOperations", "SchedulerReporting.GetSchedulingReport"})
    server->refuse(method, {ec::denied, "may not"});
  const auto allowed = run({"support-bundle", file});
  EXPECT_EQ(allowed.code, exit_code::success) << allowed.err;
  std::filesystem::remove(file);
  const auto got = run({"support-bundle", "--data-dir", file + ".none", file});
  EXPECT_EQ(got.code, exit_code::partial);
  EXPECT_THAT(got.err, HasSubstr("data-dir: "));
}

TEST_F(support_bundle_verb, asks_no_nats_server_in_clear_text_over_the_network) {
  const auto got = run({"support-bundle", "--nats-monitor", "http://far.example:8222", file});
  EXPECT_EQ(got.code, exit_code::usage);
  EXPECT_THAT(got.err, HasSubstr("--nats-monitor: 'http://far.example:8222' is neither https"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(support_bundle_verb, writes_over_no_file) {
  std::ofstream{file} << "mine";
  const auto done = run({"support-bundle", file});
  EXPECT_EQ(done.code, exit_code::usage);
  EXPECT_THAT(done.err, HasSubstr("cannot make the file"));
  std::ifstream in{file};
  std::string content;
  in >> content;
  EXPECT_EQ(content, "mine");
}

}  // namespace

}  // namespace argosy::ctl
