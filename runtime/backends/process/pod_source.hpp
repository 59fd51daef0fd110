// SPDX-License-Identifier: Apache-2.0
// Where a backend of processes gets from what a pod with images needs. All functions may be called
// from any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/backends/backend.hpp"
#include "runtime/backends/run/records.hpp"

namespace argosy::backends {

struct ready_pod {
  pod_plan pod;
  /// As long as it lives, the files of the pod's images stay. A run's folder holds them as well.
  std::shared_ptr<const void> hold;
};

class pod_source {
 public:
  using taker = std::function<void(result<ready_pod>)>;

  virtual ~pod_source() = default;

  /// Makes everything ready for a run, which may take as long as its images' way over the network.
  /// `done` is called once, by another thread, unless shutdown() comes before. Of the
  /// errors ec::invalid_argument, ec::denied and ec::not_found blame the job, all others the
  /// machine.
  virtual void prepare(run_launch run, taker done) = 0;
  /// A run of an earlier agent has these devices.
  virtual void hold(const model::run_key& run, const std::vector<std::string>& devices) = 0;
  /// Nothing of the run is alive any more.
  virtual void release(const model::run_key& run) = 0;
  /// Gives back room of the disk that no run needs. Returns false if there is none.
  virtual bool make_room() = 0;
  virtual void shutdown() = 0;
};

}  // namespace argosy::backends
