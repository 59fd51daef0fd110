// SPDX-License-Identifier: Apache-2.0
// Goal: what the agent's own settings give to pods fails no job where a node does not know it.
// Method: pods that wait for such a runtime class or secret, and for those of their jobs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/backends/kubernetes/trouble/pod_trouble.hpp"
#include "runtime/model/agent_run.hpp"

namespace argosy::backends {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

struct own_settings : ::testing::Test {
  own_settings() {
    own.runtime_classes = {"gvisor"};
    own.pull_secrets = {"registry"};
  }
  void warn(const char* reason, const char* message) {
    events.add({"jobs", "p", {}, true, reason, message, 299s});
  }
  pod_trouble after(boot_time span) const {
    trouble_facts facts;
    facts.pod = &view;
    facts.events = &events;
    facts.own = &own;
    return check_pod(facts, limits, span);
  }

  pod_view view;
  pod_events events;
  trouble_rules limits;
  own_objects own;
};

TEST_F(own_settings, a_runtime_class_that_no_node_has_is_the_clusters) {
  view.wait = pod_wait::creating;
  warn("FailedCreatePodSandBox", "no runtime for \"runsc\" is configured");
  EXPECT_EQ(after(300s).reason, model::reason_refused_here) << "the job names the class itself";
  view.runtime_class = "gvisor";
  EXPECT_EQ(after(299s).action, trouble_action::note);
  EXPECT_EQ(after(300s).action, trouble_action::give_back);
  EXPECT_EQ(after(300s).reason, model::reason_cluster_refused);
  EXPECT_EQ(after(300s).category, model::refusal_to_all::server);
  EXPECT_THAT(after(300s).message, HasSubstr("podDefaults of the agent names it"));
}

TEST_F(own_settings, a_pull_secret_that_is_not_there_is_the_clusters) {
  view.wait = pod_wait::image;
  view.wait_reason = "ImagePullBackOff";
  view.wait_message = "container 'main' waits with reason ImagePullBackOff";
  EXPECT_EQ(after(300s).action, trouble_action::fail);
  warn("FailedToRetrieveImagePullSecret", "Unable to retrieve some image pull secrets (mine)");
  EXPECT_EQ(after(300s).action, trouble_action::fail) << "that of the job";
  warn("FailedToRetrieveImagePullSecret", "Unable to retrieve some image pull secrets (registry)");
  EXPECT_EQ(after(300s).action, trouble_action::give_back);
  EXPECT_EQ(after(300s).category, model::refusal_to_all::server);
  view.wait_reason = "InvalidImageName";
  EXPECT_EQ(after(300s).action, trouble_action::fail) << "no secret mends that";
}

}  // namespace
}  // namespace argosy::backends
