// SPDX-License-Identifier: Apache-2.0
// Mischief carries out the faults of a plan in a simulated world.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "bins/simulator/agent_machine.hpp"
#include "bins/simulator/control_plane.hpp"
#include "bins/simulator/fault_plan.hpp"
#include "bins/simulator/user_end.hpp"

namespace argosy::sim {

/// Whom faults befall. All of it outlives the mischief.
struct victims {
  std::vector<control_plane*> planes{};
  std::vector<agent_machine*> agents{};
  std::vector<machine*> machines{};  ///< All of them.
  std::vector<user_end*> ends{};
};

class mischief {
 public:
  /// `around` outlives it.
  mischief(surroundings& around, victims of) : around_(around), of_(std::move(of)) {}

  /// Lets the fault happen when it is due.
  void arrange(const fault& what);
  /// When links are whole again, disks well and machines awake.
  [[nodiscard]] virtual_time::duration over() const noexcept { return over_; }
  /// Until when an answer may tell of a store or a log that was ill when it was sent.
  [[nodiscard]] virtual_time::duration excused_until() const noexcept { return excused_until_; }
  [[nodiscard]] const std::map<fault_kind, std::uint64_t>& counts() const noexcept {
    return counts_;
  }

 private:
  void happen(const fault& what);
  void harm_link(const fault& what);
  void harm_disk(const fault& what);
  void harm_log(const fault& what);
  /// Does something to the link of a machine, or of a user.
  template <class State>
  void set_link(std::uint64_t which, const State& to);
  [[nodiscard]] machine& any_machine(std::uint64_t which) const {
    return *of_.machines[which % of_.machines.size()];
  }
  /// Mostly the one that leads.
  [[nodiscard]] control_plane& any_plane(std::uint64_t which) const;
  [[nodiscard]] agent_machine& any_agent(std::uint64_t which) const {
    return *of_.agents[which % of_.agents.size()];
  }
  void aim(machine& at, const fault& what);
  void ail(machine& one, const fault& what);

  surroundings& around_;
  const victims of_;
  virtual_time::duration over_{};
  virtual_time::duration excused_until_{};
  std::map<fault_kind, std::uint64_t> counts_;
};

}  // namespace argosy::sim
