// SPDX-License-Identifier: Apache-2.0
// Target: events in any order, and what they make of a control plane's state, log and store.
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <variant>

#include "tests/fuzz/event_script.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/world.hpp"

namespace argosy::fuzz {
namespace {

/// Leaves out what no control plane writes, whatever it is told: the id of a job is new, and the
/// numbers of calls, rounds and changes of settings grow.
class own_events {
 public:
  bool has(const model::event& event) {
    if (const auto* submitted = std::get_if<model::job_submitted>(&event.payload))
      return submitted_.insert(submitted->header->id).second;
    if (const auto* call = std::get_if<model::call_recorded>(&event.payload))
      return grows(0, call->number);
    if (const auto* round = std::get_if<model::round_decided>(&event.payload))
      return grows(1, round->number);
    if (const auto* settings = std::get_if<model::settings_changed>(&event.payload))
      return grows(2, settings->number);
    return true;
  }

 private:
  bool grows(std::size_t of, std::uint64_t number) {
    return number > last_[of] && (last_[of] = number) != 0;
  }

  std::set<ulid> submitted_;
  std::array<std::uint64_t, 3> last_{};
};

bool take_script(std::string_view input) {
  own_events own;
  world of;
  for (auto& events : events_of(input)) {
    std::erase_if(events, [&](const model::event& event) { return !own.has(event); });
    if (!events.empty()) of.add(events);
  }
  of.expect_that_nothing_is_lost();
  return true;
}

const registered applied{{.name = "applied_events",
                          .take = take_script,
                          .seeds = script_seeds,
                          .inputs = 600,
                          .memory_max = std::size_t{8} << 20}};

}  // namespace
}  // namespace argosy::fuzz
