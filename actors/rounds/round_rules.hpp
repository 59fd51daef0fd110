// SPDX-License-Identifier: Apache-2.0
// This file declares what the COORDINATOR and its ROUNDs are given beside the common configuration:
// pools with settings of their own, counters, and where a round is kept whose plan failed its
// self-check.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "actors/interfaces/rounds/round.hpp"
#include "messages/probes/pool_probe.hpp"
#include "messages/probes/round_probe.hpp"
#include "runtime/base/at_work.hpp"
#include "runtime/scheduling/pool_state.hpp"

namespace argosy::actors {

struct round_rules {
  /// The configurations by pool; a pool that is not named here has the common one.
  std::map<std::string, std::shared_ptr<const scheduling::config>> pools;
  /// Counts the rounds and what they decided.
  std::shared_ptr<probes::round_probe> counters = std::make_shared<probes::round_probe>();
  /// Has what the last round of each pool said.
  std::shared_ptr<probes::pool_probe> shares = std::make_shared<probes::pool_probe>();
  /// Which rounds are decided a second time from their snapshot alone.
  scheduling::verification verify = scheduling::verification::sampled;
  /// Saves a round whose plan failed its self-check, or differed when it was decided a second time;
  /// it is told why. It is called on the ROUND's thread, may block and must not throw. When it is
  /// null, such rounds are not saved.
  std::function<void(const native::round_request&, const std::string& why)> keep;
  /// Where a round notes itself and the job that it tries, so that a crash can be blamed on them;
  /// may be null.
  std::shared_ptr<work_slot> work;
  /// A round that would be saved ends the process. Only tests set this.
  bool abort_on_violation = false;
  /// Decides instead of scheduling::schedule(), unless null. Only tests of what becomes of a plan
  /// set it.
  std::function<scheduling::plan(const native::round_request&)> decide;
};

}  // namespace argosy::actors
