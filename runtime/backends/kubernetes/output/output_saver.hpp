// SPDX-License-Identifier: Apache-2.0
// Reads the output of pods that have ended, so that it outlives them: of each container the
// beginning, and where that is not all, the end. Pure: its owner sends what is due and brings the
// answers.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/backends/kubernetes/output/pod_output.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/base/result.hpp"
#include "runtime/kube/api.hpp"
#include "runtime/model/agent.hpp"

namespace argosy::backends {

struct saver_rules {
  std::uint64_t run_bytes_max = std::uint64_t{1} << 20;  ///< Each container has as many.
  std::size_t at_a_time_max = 8;                         ///< Requests; the others wait here.
  std::uint32_t tries_max = 3;                           ///< So many at least.
  /// How long it is tried after the run has ended: as long as the pod stays anyway.
  boot_time patience{};
  boot_time pause = std::chrono::seconds{5};  ///< Before a request that failed is sent again.
};

/// What is to be kept of one container.
struct saved_output {
  model::run_key run;
  std::string container;
  bool first = false;  ///< Its output is the run's.
  std::string bytes;
  bool cut = false;  ///< They are the beginning and the end of more.
};

/// The beginning and the end of an output that is longer than so many bytes.
[[nodiscard]] saved_output ends_of(saved_output whole, std::uint64_t bytes_max);

struct saver_request {
  std::uint64_t number = 0;
  kube::request request;
};

struct saver_step {
  std::vector<saver_request> requests;
  std::vector<saved_output> outputs;
  std::vector<model::run_key> done;  ///< Runs of which all was read that could be.
};

class output_saver {
 public:
  explicit output_saver(saver_rules rules) : rules_(rules) {}

  /// The run has ended; these are the containers of its pod, and `first` is the name of that whose
  /// output is the run's.
  void add(const model::run_key& run, const std::vector<pod_place>& containers,
           const std::string& first, boot_time now);
  void answered(std::uint64_t number, const result<kube::answer>& answer, boot_time now);
  /// Hands over what has to be done since the last call.
  [[nodiscard]] saver_step take(boot_time now);
  [[nodiscard]] boot_time next_due() const;

 private:
  struct task {
    saved_output saved;
    pod_place place;
    bool end = false;  ///< The beginning was read, and the end is.
    std::uint32_t tries = 0;
    boot_time due{};
    boot_time until{};  ///< From then on a failure is the last one.
  };

  /// Whether its node has failed to answer and is being asked: it has one place then, so that the
  /// others have the rest.
  [[nodiscard]] bool has_to_wait(const task& one) const;
  [[nodiscard]] bool gives_up(const task& one, boot_time now);
  void finish(const task& one);

  saver_rules rules_;
  std::deque<task> waiting_;
  std::map<std::uint64_t, task> under_way_;
  std::set<std::string> failing_;               ///< The nodes whose last answer was none.
  std::map<model::run_key, std::size_t> left_;  ///< The containers of each run that are not read.
  std::uint64_t last_number_ = 0;
  saver_step step_;
};

}  // namespace argosy::backends
