// SPDX-License-Identifier: Apache-2.0
// Goal: while a run waits on its cluster, whoever asks reads what it waits for: in lists, in the
// description of the job and in its explanation, and the last note counts.
// Method: a control plane in virtual time with a scripted agent that tells notes.
#include <gmock/gmock.h>

#include "messages/proto/argosy/explain.pb.h"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

struct waiting_runs : control_plane_test {
  waiting_runs() {
    start();
    create_queue("a");
    agent = &add_agent("c", {node_of("n", 4)});
    (*agent)->starts_runs = false;
    id = submit("a").at(0);
    pass(2s);
  }

  void say(run_phase phase, const std::string& note) {
    agent->say(id, phase, note);
    pass(1s);
  }
  std::vector<std::string> explained() {
    v1::ExplainJobRequest request;
    request.set_job_id(id);
    const auto told = ask<v1::JobExplanation>("Explain.ExplainJob", request);
    return {told.notes().begin(), told.notes().end()};
  }

  scripted_agent* agent = nullptr;
  std::string id;
};

namespace {

TEST_F(waiting_runs, say_what_they_wait_for_while_they_do) {
  say(run_phase::accepted, "the API server does not take the pod for now");
  EXPECT_EQ(job(id).state(), api::LEASED);
  EXPECT_EQ(job(id).reason(), "the API server does not take the pod for now");
  say(run_phase::pending, {});
  say(run_phase::pending, "at 10:00:00 UTC: container 'main' waits with reason ErrImagePull");
  EXPECT_EQ(job(id).state(), api::PENDING);
  EXPECT_EQ(job(id).reason(), "at 10:00:00 UTC: container 'main' waits with reason ErrImagePull");
  EXPECT_THAT(explained(), ElementsAre("its run: at 10:00:00 UTC: container 'main' waits "
                                       "with reason ErrImagePull"));
  EXPECT_THAT(describe(id).summary().note(), HasSubstr("does not take the pod for now; at 10"));
}

TEST_F(waiting_runs, have_no_reason_once_they_run_and_keep_the_notes) {
  say(run_phase::pending, "it waits");
  say(run_phase::running, {});
  EXPECT_EQ(job(id).reason(), "");
  EXPECT_EQ(job(id).note(), "it waits");
  say(run_phase::running, "node 'n' has fallen silent");
  EXPECT_EQ(job(id).state(), api::RUNNING);
  EXPECT_THAT(explained(), ElementsAre("its run: node 'n' has fallen silent"));
}

TEST_F(waiting_runs, tell_the_notes_also_after_a_restart) {
  say(run_phase::pending, "it waits for its image");
  crash();
  start();
  EXPECT_EQ(job(id).reason(), "it waits for its image");
}

}  // namespace
}  // namespace argosy::tests
