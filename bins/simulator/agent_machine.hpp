// SPDX-License-Identifier: Apache-2.0
// The machine of an agent: what argosy-agent runs, with simulated runs, which on every other
// machine outlive their agent. It notes when each run was alive, for the verdict.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "actors/agent/executor.hpp"
#include "actors/api/bus.hpp"
#include "actors/link/cluster_proxy.hpp"
#include "bins/simulator/machine.hpp"
#include "bins/simulator/shims.hpp"
#include "bins/simulator/witness/traces.hpp"
#include "runtime/store/in_memory.hpp"

namespace argosy::sim {

struct agent_size {
  std::uint32_t nodes = 8;
  std::int64_t cores = 16;
};

class agent_machine final : public machine {
 public:
  /// `seen` outlives it.
  agent_machine(std::size_t number, surroundings& around, agent_size size, witness::traces& seen);
  ~agent_machine() override;

  /// The name of its cluster; the first has number 1.
  [[nodiscard]] static std::string name_of(std::size_t number) {
    return "agent" + std::to_string(number);
  }

  [[nodiscard]] std::optional<virtual_time::duration> due() override;
  void follow_time() override;

  /// Kills its process, boots the machine, which ends all runs, and starts a process after a while.
  void reboot(virtual_time::duration away);
  /// One of the runs ends with the shim that holds it.
  void kill_shim(std::uint64_t which) { shims_.kill_one(which); }
  /// Notes that the runs that are alive have lived until now.
  void note_alive();

 private:
  void launch() override;
  void let_go() override;
  [[nodiscard]] backends::simulated_config make_runs();
  void end_runs(bool leave_traces);
  void note(const model::run_event& event);

  const agent_size size_;
  const bool keeps_runs_;
  witness::traces& seen_;
  const std::shared_ptr<store::memory_database> database_;
  std::shared_ptr<bus::connection> connection_;
  actors::bus_actor bus_;
  actors::remote_cluster_actor session_;
  actors::executor_store_actor store_;
  actors::local_executor_actor executor_;
  std::int64_t wall_offset_ns_;  ///< The runs' events have the time since boot with this added.
  std::uint64_t starts_ = 0;
  std::uint64_t boots_ = 1;
  /// The runs that are alive: job and number, and which trace of the job is theirs.
  std::map<std::pair<std::string, std::uint32_t>, std::size_t> alive_;
  virtual_time::duration last_awake_{};
  shims shims_;
};

}  // namespace argosy::sim
