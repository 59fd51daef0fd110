// SPDX-License-Identifier: Apache-2.0
// The machine of an agent: what argosy-agent runs, with simulated runs that end with it. It notes
// when each run was alive, for the verdict.
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
#include "bins/simulator/witness/traces.hpp"
#include "runtime/backends/simulated/simulated_backend.hpp"
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

  [[nodiscard]] std::optional<virtual_time::duration> due() override;
  void follow_time() override;

  /// Notes that the runs that are alive have lived until now.
  void note_alive();

 private:
  void launch() override;
  void let_go() override;
  [[nodiscard]] result<std::unique_ptr<backends::backend>> make_backend(backends::event_sink sink);
  void note(const model::run_event& event);

  const agent_size size_;
  witness::traces& seen_;
  const std::shared_ptr<store::memory_database> database_;
  std::shared_ptr<bus::connection> connection_;
  actors::bus_actor bus_;
  actors::remote_cluster_actor session_;
  actors::executor_store_actor store_;
  actors::local_executor_actor executor_;
  backends::simulated_backend* backend_ = nullptr;
  std::int64_t wall_offset_ns_ = 0;  ///< The backend adds this to the time since boot.
  std::uint64_t starts_ = 0;
  /// The runs that are alive: job and number, and which trace of the job is theirs.
  std::map<std::pair<std::string, std::uint32_t>, std::size_t> alive_;
  virtual_time::duration last_awake_{};
};

}  // namespace argosy::sim
