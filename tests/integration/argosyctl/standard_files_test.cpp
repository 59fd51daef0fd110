// SPDX-License-Identifier: Apache-2.0
// Goal: a standard file that is closed, full or a folder is an error with a sentence, never a
// connection or a file of the program, and what was done all the same is told. Method: the shell
// starts argosyctl and argosyd with such files.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/integration/argosyctl/argosyctl_fixture.hpp"

namespace argosy::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class standard_files : public argosyctl {
 protected:
  void SetUp() override {
    argosyctl::SetUp();
    create_queue();
  }
  outcome shell(const std::string& line) const {
    return world.shell(world.write("line", "PATH=" ARGOSY_BIN_DIR ":$PATH\n" + line));
  }
};

TEST_F(standard_files, a_closed_stdin_is_no_empty_input) {
  for (const auto* line :
       {"argosyctl cancel - <&-", "argosyctl get jobs - <&-", "argosyctl submit - <&-",
        "argosyctl apply -f - <&-", "argosyctl cancel - </", "argosyctl submit - </",
        "argosyd hash-password <&-", "argosyd hash-password </"}) {
    const auto done = shell(line);
    EXPECT_EQ(done.code, 2) << line << ": " << done.err;
    EXPECT_THAT(done.err, HasSubstr("cannot read stdin: ")) << line;
    EXPECT_THAT(done.err, Not(HasSubstr("PING"))) << line;
  }
}

TEST_F(standard_files, a_stdout_that_takes_nothing_is_an_error) {
  for (const auto* line : {"argosyctl get queues >&-", "argosyctl get queues >/dev/full",
                           "argosyctl --help >/dev/full", "argosyctl version >&-",
                           "argosyd --version >/dev/full", "argosyd config print >&-"}) {
    const auto done = shell(line);
    EXPECT_EQ(done.code, 1) << line << ": " << done.err;
    EXPECT_THAT(done.err, HasSubstr("cannot write to stdout: ")) << line;
  }
}

TEST_F(standard_files, what_was_done_is_told_when_it_cannot_be_printed) {
  const auto file = job_file({"true", "true"});
  const auto sent = shell("argosyctl submit -o name " + file + " >/dev/full");
  EXPECT_EQ(sent.code, 1) << sent.err;
  EXPECT_THAT(sent.err, HasSubstr("2 jobs were submitted; their ids: argosyctl get jobs @last"));
  EXPECT_EQ(shell("argosyctl get jobs @last -o name | wc -l").out, "2\n");
  const auto made = shell("argosyctl queue create b >&-");
  EXPECT_EQ(made.code, 1);
  EXPECT_THAT(made.err, HasSubstr("what was asked for was carried out on the server"));
  const auto files = shell("argosyd init " + (world.folder() / "made").string() + " >&-");
  EXPECT_EQ(files.code, 1);
  EXPECT_THAT(files.err, HasSubstr("; the files were written"));
}

TEST_F(standard_files, a_server_without_them_serves_and_writes_nothing_into_its_files) {
  const auto folder = world.folder() / "second";
  std::filesystem::create_directory(folder);
  const auto done = shell("argosyd --dev --sim-clusters 1 --data-dir " + folder.string() +
                          " --ready-file " + folder.string() +
                          "/ready <&- >&- 2>&- &\n"
                          "for i in $(seq 200); do [ -s " +
                          folder.string() +
                          "/ready ] && break; sleep 0.1; done\n"
                          "readlink /proc/$!/fd/0 /proc/$!/fd/1 /proc/$!/fd/2; kill $!; wait $!");
  EXPECT_EQ(done.out, "/dev/null\n/dev/null\n/dev/null\n") << done.err;
  EXPECT_EQ(done.code, 0);
}

}  // namespace
}  // namespace argosy::testing
