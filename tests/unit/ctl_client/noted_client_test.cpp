// SPDX-License-Identifier: Apache-2.0
// Goal: a verb that cannot print its result says that something was carried out if, and only if,
// the server has changed something. Method: calls of each kind through the client that notes this.
#include "bins/argosyctl/client/noted_client.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "google/protobuf/empty.pb.h"
#include "runtime/bus/headers.hpp"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {
namespace {

class noted_client_test : public ::testing::Test {
 protected:
  std::shared_ptr<std::atomic<bool>> changed = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<scripted_server> server = std::make_shared<scripted_server>();
  noted_client noted{server, changed};

  /// Says whether a call is noted for whose answer is waited.
  bool notes(const std::string& method, const header_list& with = {}) {
    server->always(method, google::protobuf::Empty{});
    *changed = false;
    EXPECT_TRUE(noted.exchange(method, {}, repeatable::no, with)) << method;
    return *changed;
  }
  /// Says whether a call is noted whose answer comes later.
  bool notes_later(const std::string& method, const header_list& with = {}) {
    server->always(method, google::protobuf::Empty{});
    *changed = false;
    noted.start_exchange(method, {}, repeatable::no, with,
                         [](const result<reply>& got) { EXPECT_TRUE(got); });
    return *changed;
  }
};

TEST_F(noted_client_test, notes_what_changes_something) {
  for (const auto* method : {"Submit.SubmitJobs", "QueueService.CreateQueue", "Some.NewMethod"}) {
    EXPECT_TRUE(notes(method)) << method;
    EXPECT_TRUE(notes_later(method)) << method;
  }
}

TEST_F(noted_client_test, does_not_note_what_only_reads_or_shows) {
  for (const auto* method : {"Query.ListJobs", "Logs.Read", "Binoculars.Logs", "Diag.ReadLines"}) {
    EXPECT_FALSE(notes(method)) << method;
    EXPECT_FALSE(notes_later(method)) << method;
  }
  const header_list check{{std::string{bus::header::mode}, "check"}};
  EXPECT_FALSE(notes("Submit.SubmitJobs", check));
  EXPECT_FALSE(notes_later("Submit.SubmitJobs", check));
}

}  // namespace
}  // namespace argosy::ctl
