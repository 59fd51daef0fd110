// SPDX-License-Identifier: Apache-2.0
// Reads the output of pods that have ended, so that it outlives them: of each container the
// beginning, and where that is not all, the end. The first lines are read soon after the container
// has begun, since a kubelet that rotates the output gives only its newest file. Pure: its owner
// sends what is due and brings the answers.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
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
  /// The pauses of a node that goes on failing, and of a namespace that denies, grow to this.
  boot_time pause_max = std::chrono::minutes{1};
};

/// What is to be kept of one container.
struct saved_output {
  model::run_key run;
  std::string container;
  bool first = false;  ///< Its output is the run's.
  std::string bytes;
  bool cut = false;  ///< They are the beginning and the end of more.
};

/// The first lines of one container.
struct output_head {
  model::run_key run;
  std::string container;
  log_beginning beginning{};  ///< Without a time: it was empty when it was looked at in time.
  std::string bytes{};        ///< Empty unless the first line was seen.
};

/// Stands in what is kept where something is missing.
inline constexpr const char* output_gap = "\n[some of the output was not kept here]\n";

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
  std::vector<output_head> heads;    ///< To be given to restore() when the agent begins anew.
  /// The containers whose first lines nobody needs any more.
  std::vector<std::pair<model::run_key, std::string>> heads_of_no_use;
};

class output_saver {
 public:
  /// So many requests for first lines are under way at most, beside the others.
  static constexpr std::size_t heads_max = 4;

  explicit output_saver(saver_rules rules) : rules_(rules) {}

  /// To be called before anything else: an earlier agent has read these.
  void restore(output_head known);

  /// The run has ended; these are the containers of its pod, and `first` is the name of that whose
  /// output is the run's.
  void add(const model::run_key& run, const std::vector<pod_place>& containers,
           const std::string& first, boot_time now);
  /// No other runs are there.
  void keep_only(const std::set<model::run_key>& runs);
  /// These containers of the run have begun, or had been told before. `wall_ns` is the Unix time by
  /// the clock of the API server, which is taken for that of their nodes.
  void began(const model::run_key& run, const std::vector<pod_place>& running, std::int64_t wall_ns,
             boot_time now);
  /// The pod should go: its output is not waited for where it cannot be read.
  void hurry(const model::run_key& run, boot_time now);
  /// Nothing else is left of the run.
  void drop(const model::run_key& run);
  [[nodiscard]] log_beginning beginning(const model::run_key& run, const std::string& container,
                                        boot_time now) const;
  /// What was read of an output, with its first lines if it does not begin with them.
  [[nodiscard]] saved_output with_head(saved_output read) const;
  void answered(std::uint64_t number, const result<kube::answer>& answer, boot_time now);
  /// Hands over what has to be done since the last call.
  [[nodiscard]] saver_step take(boot_time now);
  [[nodiscard]] boot_time next_due() const;

 private:
  struct task {
    saved_output saved;
    pod_place place;
    std::vector<std::string> sources;  ///< Its namespace and its node, as failing_ has them.
    bool end = false;                  ///< The beginning was read, and the end is.
    std::uint32_t tries = 0;
    boot_time due{};
    boot_time until{};  ///< From then on a failure is the last one.
  };

  /// The first lines of one container.
  struct head {
    pod_place place;
    std::uint32_t tries = 0;
    boot_time due = boot_time::max();
    boot_time in_time = boot_time::max();  ///< Until then nothing was rotated away.
    bool looked = false;                   ///< An answer came in time.
    log_beginning beginning{};
    std::string bytes;

    /// Whether an answer that comes now does not show where the output began.
    [[nodiscard]] bool is_late(boot_time now) const { return !looked && now > in_time; }
    /// Whether its beginning counts as unseen while the output seems to be empty.
    [[nodiscard]] bool is_unseen_while_empty(boot_time now) const;
  };
  using head_key = std::pair<model::run_key, std::string>;

  void set_due(const head_key& key, head& one, boot_time due);
  void take_heads(boot_time now);
  void head_answered(const head_key& key, const result<kube::answer>& answer, boot_time now);
  /// When a node that failed, or a namespace that denied, is asked again. It has one place then, so
  /// that the others have the rest.
  struct pausing {
    boot_time due{};
    boot_time pause{};
  };

  /// Whether its node or namespace has failed again after a pause.
  [[nodiscard]] bool goes_on_failing(const task& one) const;
  /// When the request may be sent: never for as long as the one place of its source is taken.
  [[nodiscard]] boot_time may_go(const task& one) const;
  /// When take() has something to do with it.
  [[nodiscard]] boot_time next_due(const task& one) const;
  /// Returns whether the source of the failure failed before.
  bool note_failure(const task& one, bool denied, boot_time now);
  /// Keeps what was read of it, and reads no more.
  void give_up(task one);
  void finish(const task& one);

  saver_rules rules_;
  std::deque<task> waiting_;
  std::map<std::uint64_t, task> under_way_;
  std::map<std::string, pausing> failing_;      ///< The sources whose last answer was none.
  std::map<model::run_key, std::size_t> left_;  ///< The containers of each run that are not read.
  std::map<head_key, head> heads_;
  std::set<std::pair<boot_time, head_key>> heads_due_;
  std::map<std::uint64_t, head_key> heads_asked_;
  std::set<model::run_key> dropped_;  ///< Those whose outputs are still being read.
  std::uint64_t last_number_ = 0;
  saver_step step_;
};

}  // namespace argosy::backends
