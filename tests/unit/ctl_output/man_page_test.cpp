// SPDX-License-Identifier: Apache-2.0
// Goal: the man pages have every verb and flag that the help texts have, and are valid roff.
// Method: they are written into a folder by the command line and read.
#include <gmock/gmock.h>

#include <fstream>

#include "bins/argosyctl/complete/man_page.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class man_pages : public cli_fixture {
 protected:
  std::string page(const std::string& name) const {
    std::ifstream in{home / "man" / (name + ".1")};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
};

TEST_F(man_pages, each_verb_has_one_with_all_below_it) {
  const auto done = run({"help", "--man", (home / "man").string()});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  for (const auto& verb : all_verbs())
    EXPECT_THAT(page("argosyctl-" + std::string{verb.name}), HasSubstr(".SH NAME")) << verb.name;
  EXPECT_THAT(page("argosyctl"),
              AllOf(HasSubstr(".TP\n\\fBsubmit\\fR\n"), HasSubstr(".SH \"EXIT\\-CODES\""),
                    HasSubstr("\\fBargosyctl\\-apply\\fR(1)")));
  EXPECT_THAT(page("argosyctl-config"),
              AllOf(HasSubstr(".SH \"CONFIG SET\\-CONTEXT\""),
                    HasSubstr("\\fB\\-\\-credentials FILE\\fR"), Not(HasSubstr("armadaUrl"))));
  EXPECT_EQ(run({"help", "--man", "/dev/null/x"}).code, exit_code::usage);
}

TEST(man_page, text_is_not_taken_for_commands_of_roff) {
  CLI::App app{".dot at the begin. More\n'and a quote\\", "argosyctl"};
  app.footer(".a-b");
  const auto text = man_page(app, "1.0-x");
  EXPECT_THAT(text, AllOf(HasSubstr("\n\\&.dot"), HasSubstr("\n\\&'and a quote\\e\n"),
                          HasSubstr("  .a\\-b"), HasSubstr("\"1.0\\-x\"")));
}

}  // namespace argosy::ctl
