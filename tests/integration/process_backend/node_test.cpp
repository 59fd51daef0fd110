// SPDX-License-Identifier: Apache-2.0
// Goal: a machine with runs is one node, however its settings call it meanwhile.
// Method: the backend is closed while a run lives, and opened again with another name.
#include "tests/integration/process_backend/process_fixture.hpp"

namespace argosy::backends {

class process_node : public process_fixture {};

TEST_F(process_node, stays_the_node_on_which_its_runs_began) {
  open();
  const auto run = start(command({"sleep", "1000"}));
  running(run);
  close();
  config_.node_name = "elsewhere";
  open({run});
  EXPECT_EQ(backend_->nodes().front().name, "here");
  stop(run);
  end_of(run);
  wait_until([&] { return !lives(folder(run)); }, "the end of the shim");
  close();
  open({run});
  EXPECT_EQ(backend_->nodes().front().name, "elsewhere");
}

}  // namespace argosy::backends
