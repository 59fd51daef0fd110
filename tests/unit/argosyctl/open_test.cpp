// SPDX-License-Identifier: Apache-2.0
// Goal: open prints where the web page is, and where a job is there. Method: the whole command line
// against a scripted server, with the file that argosyd --dev leaves.
#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

namespace {

using ::testing::HasSubstr;

class open_verb : public cli_fixture {
 protected:
  void leave_address(const std::string& text) {
    variables["XDG_STATE_HOME"] = home.string();
    variables.erase("ARGOSY_SERVER");
    const auto folder = home / "argosy" / "dev";
    std::filesystem::create_directories(folder);
    std::ofstream{folder / "server.url"} << text;
  }
};

TEST_F(open_verb, prints_the_page_of_the_last_dev_server) {
  leave_address("nats://127.0.0.1:4\nhttp://127.0.0.1:5\ngrpc://127.0.0.1:6\n");
  EXPECT_EQ(run({"open"}).out, "http://127.0.0.1:5/\n");
  EXPECT_EQ(run({"open", job_id(7)}).out, "http://127.0.0.1:5/#/job/" + job_id(7) + "\n");
}

TEST_F(open_verb, finds_the_job_of_a_beginning) {
  add_job(job_id(1), api::JobState::QUEUED);
  serve_jobs();
  const auto got = run({"open", job_id(1).substr(0, 25), "--page", "https://a.example.com/x"});
  EXPECT_EQ(got.out, "https://a.example.com/x/#/job/" + job_id(1) + "\n") << got.err;
}

TEST_F(open_verb, says_what_to_set_when_no_page_is_known) {
  leave_address("nats://127.0.0.1:4\nhttp://127.0.0.1:5\n");
  const auto other = run({"open", "--server", "nats://10.0.0.1:4222"});
  EXPECT_EQ(other.code, exit_code::not_found);
  EXPECT_THAT(other.err, HasSubstr("ARGOSY_PAGE"));
  variables["ARGOSY_PAGE"] = "https://argosy.example.com";
  EXPECT_EQ(run({"open", "--server", "nats://10.0.0.1:4222"}).out, "https://argosy.example.com/\n");
  EXPECT_EQ(run({"open", "--page", "file:///etc/passwd"}).code, exit_code::usage);
}

}  // namespace

}  // namespace argosy::ctl
