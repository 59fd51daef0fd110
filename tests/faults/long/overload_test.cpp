// SPDX-License-Identifier: Apache-2.0
// Goal: five minutes of ten times more submissions than can be under way cost no lease and no
// acknowledged job (F39). Method: that of tests/faults/overload.
#include "tests/support/chaos/overloaded_world.hpp"

namespace argosy::chaos {

namespace {

using overload = overloaded_world;

TEST_F(overload, for_five_minutes_costs_no_lease_and_no_job) {
  // A busy machine may stand still for longer than the shortest leases allow.
  begin("6s");
  flooded_for(5min);
}

}  // namespace

}  // namespace argosy::chaos
