// SPDX-License-Identifier: Apache-2.0
// Goal: `argosy-sim round` takes every option that it is documented to take, prints one line for
// each file whatever becomes of the others, and says what is wrong with its input. Method: the
// program itself on small files.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/process/child.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using json = nlohmann::ordered_json;

/// The digest of no decisions.
constexpr std::string_view nothing_sha256 =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// One node of 4 cpu with a job of 1 cpu; two queues with jobs of 2 cpu, one that never fits and
/// one like it, and half a gang.
const std::string plain_world =
    "N 0 n e 4000 1000 0 - -\nQ a 1\nQ b 1\n"
    "J r a std 0 1 1000 0 0 - - - - 1 -\nR r 0 1 1000\n"
    "J x a std 0 1 2000 0 0 - - - - 1 -\nJ y b std 0 2 1000 0 0 - - - - 1 -\n"
    "J z1 b std 0 3 9000 0 0 - - - - 1 -\nJ z2 b std 0 4 9000 0 0 - - - - 1 -\n"
    "J g b std 0 5 1000 0 0 - - - gang 2 -\n";

/// An invalid rule fails Armada's round, and so preset current's.
const std::string failing_world =
    "N 0 n e 4000 1000 0 zone=z -\nQ a 1\nJ x a std 0 1 1000 0 0 - - zone:In: - 1 -\n";

class sim_round : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream{folder / name, std::ios::binary} << text;
    return folder / name;
  }

  outcome sim(std::vector<std::string> words) {
    words.insert(words.begin(), {std::string(ARGOSY_BIN_DIR) + "/argosy-sim", "round"});
    auto done = run({std::move(words), {}}, folder, std::chrono::seconds{60});
    EXPECT_FALSE(done.timed_out);
    return done;
  }

  /// Runs the program, expects success, and gives its lines.
  std::vector<json> answers(std::vector<std::string> words) {
    const auto done = sim(std::move(words));
    EXPECT_EQ(done.code, 0) << done.err;
    std::vector<json> list;
    for (const auto& line : lines_of(done.out)) list.push_back(json::parse(line));
    return list;
  }

  temp_folder temp;
  std::filesystem::path folder = temp.path();
};

TEST_F(sim_round, prints_every_figure) {
  const auto got = answers({write("w.snap", plain_world)});
  ASSERT_EQ(got.size(), 1u);
  std::vector<std::string> keys;
  for (const auto& [key, value] : got[0].items()) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("file", "nodes", "queues", "running", "queued", "load_seconds",
                                "round_seconds", "scheduled", "rescheduled", "preempted", "failed",
                                "skipped", "peak_rss_bytes", "decisions_sha256"));
  EXPECT_EQ(got[0]["nodes"], 1);
  EXPECT_EQ(got[0]["queues"], 2);
  EXPECT_EQ(got[0]["running"], 1);
  EXPECT_EQ(got[0]["queued"], 5);
  EXPECT_EQ(got[0]["scheduled"], 2);
  EXPECT_EQ(got[0]["rescheduled"], 1);
  EXPECT_EQ(got[0]["preempted"], 0);
  EXPECT_EQ(got[0]["failed"], 1);   // This is z1. Half a gang was not tried.
  EXPECT_EQ(got[0]["skipped"], 1);  // This is z2, whose key was known.
  EXPECT_EQ(got[0]["round_seconds"].size(), 1u);
  EXPECT_GT(got[0]["peak_rss_bytes"], 1'000'000);
  EXPECT_EQ(got[0]["decisions_sha256"].get<std::string>().size(), 64u);
}

TEST_F(sim_round, writes_the_decisions_that_it_hashes) {
  const auto file = write("w.snap", plain_world);
  const auto out = (folder / "out").string();
  const auto got = answers({file, "--decisions", out});
  EXPECT_EQ(content_of(out), "S x n 1000\nS y n 1000\n");
  const auto sum = run({{"/usr/bin/sha256sum", out}, {}}, folder, std::chrono::seconds{10});
  EXPECT_EQ(sum.out.substr(0, 64), got[0]["decisions_sha256"].get<std::string>());
}

TEST_F(sim_round, repeats_on_the_same_snapshot) {
  const auto got = answers({write("w.snap", plain_world), "--repeat", "3"});
  EXPECT_EQ(got[0]["round_seconds"].size(), 3u);
  EXPECT_EQ(got[0]["scheduled"], 2);
}

TEST_F(sim_round, takes_several_files_in_order_and_a_folder_for_their_decisions) {
  const auto one = write("one.snap", plain_world);
  const auto two = write("two.snap", "N 0 n e 4000 1000 0 - -\nQ a 1\n");
  const auto out = folder / "decisions";
  const auto got = answers({one, two, "--decisions", out.string()});
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0]["file"], one);
  EXPECT_EQ(got[1]["file"], two);
  EXPECT_EQ(content_of(out / "one.dec"), "S x n 1000\nS y n 1000\n");
  EXPECT_EQ(content_of(out / "two.dec"), "");
  EXPECT_EQ(got[1]["decisions_sha256"], nothing_sha256);
}

TEST_F(sim_round, uses_a_folder_that_is_there_for_one_file_too) {
  std::filesystem::create_directory(folder / "d");
  answers({write("w.snap", plain_world), "--decisions", (folder / "d").string()});
  EXPECT_EQ(content_of(folder / "d" / "w.dec"), "S x n 1000\nS y n 1000\n");
}

TEST_F(sim_round, goes_on_after_a_round_that_fails) {
  const auto bad = write("bad.snap", failing_world);
  const auto good = write("good.snap", plain_world);
  const auto got = answers({bad, good});
  ASSERT_EQ(got.size(), 2u);
  EXPECT_THAT(got[0]["error"].get<std::string>(), HasSubstr("node affinity"));
  EXPECT_EQ(got[0]["decisions_sha256"], nothing_sha256);
  EXPECT_EQ(got[0]["scheduled"], 0);
  EXPECT_FALSE(got[1].contains("error"));
  EXPECT_EQ(got[1]["scheduled"], 2);
}

TEST_F(sim_round, presets_differ) {
  const auto file = write("bad.snap", failing_world);
  EXPECT_TRUE(answers({file, "--preset", "current"})[0].contains("error"));
  for (const char* name : {"argosy", "unified", "classic", "lottery"})
    EXPECT_FALSE(answers({file, "--preset", name})[0].contains("error")) << name;
  const auto done = sim({file, "--preset", "armada"});
  EXPECT_EQ(done.code, 2);
  EXPECT_THAT(done.err, HasSubstr("no preset 'armada'; there are argosy, current"));
}

TEST_F(sim_round, options_set_keys_and_c_lines_win_over_them) {
  const auto full =
      "N 0 n e 2000 1000 0 - -\nQ a 1\nQ b 1\n"
      "J r1 a std 0 1 1000 0 0 - - - - 1 -\nR r1 0 1 1000\n"
      "J r2 a std 0 1 1000 0 0 - - - - 1 -\nR r2 0 1 1000\nJ x b std 0 1 1000 0 0 - - - - 1 -\n";
  const auto file = write("full.snap", full);
  EXPECT_EQ(answers({file})[0]["preempted"], 1);
  EXPECT_EQ(answers({file, "--protected-fraction", "9"})[0]["preempted"], 0);
  const auto fixed = write("fixed.snap", "C protectedFractionOfFairShare 0\n" + std::string(full));
  EXPECT_EQ(answers({fixed, "--protected-fraction", "9"})[0]["preempted"], 1);
  const auto deep = write("deep.snap",
                          "N 0 n e 2000 1000 0 - -\nQ a 1\nJ big a std 0 1 9000 0 0 - - - - 1 -\n"
                          "J small a std 0 2 1000 0 0 - - - - 1 -\n");
  EXPECT_EQ(answers({deep})[0]["scheduled"], 1);
  EXPECT_EQ(answers({deep, "--lookback", "1"})[0]["scheduled"], 0);
  const auto wide = write("wide.snap", "C maxQueueLookback 0\n" + content_of(deep));
  EXPECT_EQ(answers({wide, "--lookback", "1"})[0]["scheduled"], 1);
}

TEST_F(sim_round, takes_a_scheduling_section_as_configuration) {
  const auto file = write("w.snap", plain_world);
  const auto classes =
      "priorityClasses: [{name: std, priority: 7, preemptible: true}]\n"
      "defaultPriorityClassName: std\n";
  const auto alone = write("alone.yaml", std::string("preset: argosy\n") + classes);
  EXPECT_EQ(answers({file, "--config", alone})[0]["scheduled"], 2);
  const auto limited = write("limited.yaml", std::string("maxNewDecisions: 1\n") + classes);
  const auto out = (folder / "out").string();
  EXPECT_EQ(answers({file, "--config", limited, "--decisions", out})[0]["scheduled"], 1);
  EXPECT_EQ(content_of(out), "S y n 7\n");
  const auto wrong = sim({file, "--config", write("wrong.yaml", "presett: argosy\n")});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("wrong.yaml:1:1: unknown key 'presett'"));
  const auto clash = sim({file, "--config", write("clash.yaml", "nodeOrder: [bestFit]\n")});
  EXPECT_EQ(clash.code, 2);
  EXPECT_THAT(clash.err, HasSubstr("scheduling.nodeOrder: noPreemption must come first"));
}

TEST_F(sim_round, names_the_file_and_line_of_bad_input_and_goes_on) {
  const auto good = write("good.snap", plain_world);
  const auto bad = write("bad.snap", "N 0 n e 4000 1000 0 - -\nQ a one\n");
  const auto done = sim({(folder / "absent.snap").string(), bad, folder.string(), good});
  EXPECT_EQ(done.code, 2);
  EXPECT_THAT(done.err, HasSubstr("absent.snap"));
  EXPECT_THAT(done.err, HasSubstr("bad.snap: line 2: 'one' is not a number"));
  EXPECT_THAT(done.err, HasSubstr("cannot read '" + folder.string() + "'"));
  const auto lines = lines_of(done.out);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(json::parse(lines[0])["scheduled"], 2);
}

TEST_F(sim_round, takes_names_that_are_no_utf8_and_goes_on) {
  const auto file = write("odd\xff.snap", plain_world);
  // One gang id in two queues fails Armada's round, with a message that names the gang.
  std::string text = "N 0 n e 8000 1000 0 - -\nQ a 1\nQ b 1\n";
  for (const std::string job : {"a1", "a2", "b1", "b2"})
    text +=
        "J " + job + " " + job[0] + " std 0 1 1000 0 0 - - - g\xff 2 -\nR " + job + " 0 5 1000\n";
  const auto got = answers({file, write("gang.snap", text), write("last.snap", plain_world)});
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0]["scheduled"], 2);
  EXPECT_THAT(got[0]["file"].get<std::string>(), HasSubstr("/odd\xef\xbf\xbd.snap"));
  EXPECT_THAT(got[1]["error"].get<std::string>(), HasSubstr("g\xef\xbf\xbd"));
  EXPECT_EQ(got[2]["scheduled"], 2);
}

TEST_F(sim_round, refuses_files_whose_decisions_would_overwrite_each_other) {
  for (const char* name : {"one", "two"}) std::filesystem::create_directory(folder / name);
  const auto first = write("one/x.snap", plain_world);
  const auto second = write("two/x.text", plain_world);
  const auto other = write("y.snap", plain_world);
  const auto out = folder / "d";
  const auto done = sim({first, other, second, "--decisions", out.string()});
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.err,
              HasSubstr("the decisions of '" + first + "' and '" + second + "' would both go to '" +
                        (out / "x.dec").string() + "'; rename one, or decide them apart"));
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(answers({first, second}).size(), 2u);
}

TEST_F(sim_round, names_the_line_of_a_priority_below_0) {
  const auto file = write("low.snap", "C priorityClass np=-5:f:default:-\n");
  const auto done = sim({file});
  EXPECT_EQ(done.code, 2);
  EXPECT_THAT(done.err,
              HasSubstr(file + ": line 1: '-5' is not a whole number from 0 to 2147483647"));
}

TEST_F(sim_round, decides_an_empty_world) {
  const auto got = answers({write("empty.snap", "")});
  EXPECT_EQ(got[0]["nodes"], 0);
  EXPECT_EQ(got[0]["decisions_sha256"], nothing_sha256);
}

TEST_F(sim_round, refuses_decisions_that_cannot_be_written) {
  const auto file = write("w.snap", plain_world);
  for (const auto& out : {(folder / "no" / "where").string(), std::string(300, 'x')}) {
    const auto done = sim({file, "--decisions", out});
    EXPECT_EQ(done.code, 2);
    EXPECT_THAT(done.err, HasSubstr("cannot write '" + out + "'"));
  }
}

TEST_F(sim_round, refuses_arguments_that_it_does_not_know) {
  EXPECT_EQ(sim({}).code, 2);
  EXPECT_EQ(sim({"--presett", "argosy", "f"}).code, 2);
  EXPECT_EQ(sim({write("w.snap", plain_world), "--repeat", "many"}).code, 2);
}

}  // namespace
}  // namespace argosy::testing
