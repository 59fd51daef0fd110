// SPDX-License-Identifier: Apache-2.0
// Goal: ten times more submissions than can be under way cost no lease and no acknowledged job, and
// are refused with a time after which to try again (F39). Method: real processes, callers that
// never wait, and the witnesses of the jobs that run meanwhile.
#include "tests/support/chaos/overloaded_world.hpp"

namespace argosy::chaos {

namespace {

using overload = overloaded_world;

TEST_F(overload, for_some_seconds_costs_no_lease_and_no_job) {
  begin("3s");
  flooded_for(3s);
}

}  // namespace

}  // namespace argosy::chaos
