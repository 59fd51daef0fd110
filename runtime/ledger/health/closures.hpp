// SPDX-License-Identifier: Apache-2.0
// The namespaces in which one cluster takes no runs for a while, since it has refused some for a
// reason that has nothing to do with them. A namespace is shut for a pause that grows; then one run
// tries it, and the others wait for what comes of that. If it is taken, all may follow; where a
// quota was used up, twice as many as before, since nobody knows how much room there is. Anybody
// may submit jobs to namespaces that are not there, so that few have room here. A part of a
// namespace, such as its jobs that have services, is shut as a namespace is. Pure; times are
// CLOCK_BOOTTIME.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/model/agent_run.hpp"
#include "runtime/model/job.hpp"
#include "runtime/model/node.hpp"

namespace argosy::ledger {

/// Whether the report tells of a run that its cluster refused, as it would every other one.
[[nodiscard]] bool is_refused_to_all(const model::run_report& report) noexcept;

struct closure_rules {
  boot_time pause_first = std::chrono::seconds{1};
  boot_time pause_most = std::chrono::minutes{5};  ///< It doubles up to this.
  /// The most with which a pause begins that follows soon after a run was taken.
  boot_time pause_again = std::chrono::seconds{15};
  /// A namespace that no run has tried for so long may be tried by preempting others.
  boot_time patience = std::chrono::minutes{5};
  /// One that no run has tried for so long is not wanted by anybody, and forgotten.
  boot_time untried_max = std::chrono::minutes{10};
  /// So many are shut or remembered at most. Each node carries the names of those that are shut.
  std::size_t namespaces_max = 64;
  /// A quota of which so many runs were taken at once is no longer believed to be used up.
  std::uint32_t trials_max = 1024;
};

/// A namespace that is shut, or tried again after that, as people see it.
struct closure {
  std::string name_space;     ///< Or a part of one (model/namespace_part.hpp).
  std::string kind;           ///< One of model::refusal_to_all.
  std::string why;            ///< The cluster's words, with the numbers of a quota.
  std::int64_t since_ns = 0;  ///< Unix time of the first refusal.
  boot_time until{};          ///< The end of the pause.
  std::uint32_t refusals = 0;
  bool tried = false;  ///< The pause is over, and nothing is known of the next runs yet.

  friend bool operator==(const closure&, const closure&) = default;
};

enum class entrance : std::uint8_t {
  open,
  waits,  ///< Others try the namespace just now.
  shut,
};

/// What comes of a refusal.
enum class closing : std::uint8_t {
  known,    ///< Nothing: the namespace is shut, or the run was sent before it was.
  shut,     ///< The namespace is shut only now.
  no_room,  ///< Nothing, since too many are: it has to count against its job.
};

class closures {
 public:
  explicit closures(closure_rules rules = {}) : rules_(rules) {}

  /// Whether a run may be sent now. One that may be sent and is goes on as one that tries.
  [[nodiscard]] entrance of(const std::string& name_space, const model::run_key& run) const;
  void sent(const std::string& name_space, const model::run_key& run);

  /// The cluster refused a run that was sent. Where there is no room, a namespace of which the
  /// cluster has taken runs displaces one that may not exist. `why` is cut.
  closing refused(const std::string& name_space, const model::run_key& run, const std::string& kind,
                  const std::string& why, std::int64_t time_ns, boot_time now);
  /// The cluster has taken it. Returns whether more runs may be sent than before.
  bool taken(const std::string& name_space, const model::run_key& run, boot_time now);
  /// The run has ended, or nobody knows what became of it: another one may try.
  void over(const model::run_key& run);
  /// Returns whether a namespace is shut no longer, or tried no longer.
  bool tick(boot_time now);

  /// The names of those that are shut.
  [[nodiscard]] std::vector<std::string> shut() const;
  /// Those that are tried, and how many runs may do that at once.
  [[nodiscard]] std::map<std::string, std::uint32_t> tried() const;
  /// Whether nothing is shut, tried or remembered.
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  /// Whether runs may preempt others to try the namespace. They try in free room first, since
  /// nobody should lose his place to a run that may be refused.
  [[nodiscard]] bool may_preempt(const std::string& name_space) const {
    return impatient_.contains(name_space);
  }
  /// All that are shut or tried.
  [[nodiscard]] std::vector<closure> all() const;

  /// What the log has to say of them, if it says `known` now: that, while no namespace is closed
  /// or opened.
  [[nodiscard]] std::vector<model::closed_namespace> record(
      const std::vector<model::closed_namespace>& known) const;
  /// A new leader begins with what the log says: a run may try each of them. All else is forgotten.
  void restore(const std::vector<model::closed_namespace>& record);

 private:
  enum class stage : std::uint8_t { shut, tried, passed };
  struct entry {
    closure what;
    stage at = stage::shut;
    boot_time pause{};
  };

  /// The runs that try a namespace.
  struct look {
    std::uint32_t size = 1;           ///< So many may try.
    std::uint32_t taken = 0;          ///< So many of them were taken.
    std::set<model::run_key> runs{};  ///< Nothing is known of these yet.
    /// If none tries by then, though some were taken, nobody waits, and the namespace is open.
    boot_time idle_at{};
  };

  [[nodiscard]] bool is_at(const std::string& name_space, stage at) const;
  [[nodiscard]] bool is_tried(const std::string& name_space) const {
    return is_at(name_space, stage::tried) && !is_at(name_space, stage::shut);
  }
  void open(const std::string& name_space, boot_time now);
  [[nodiscard]] bool is_known(const std::string& name_space) const;
  /// Returns whether there is room for the namespace now.
  bool make_room(const std::string& name_space);
  void forget(const std::string& name_space);
  void end_look(const std::string& name_space);
  void note_patience(boot_time now);

  closure_rules rules_;
  std::map<std::pair<std::string, std::string>, entry> entries_;  ///< By namespace and kind.
  std::map<std::string, look> looks_;  ///< By namespace, once a run tries it.
  /// Namespaces that are tried, but not by any run, and since when.
  std::map<std::string, boot_time> untried_;
  std::set<std::string> impatient_;
  std::set<std::string> real_;  ///< Namespaces of which the cluster has taken runs; not all.
};

/// The parts of its namespace that the run belongs to.
[[nodiscard]] std::vector<std::string> parts_of(const model::start_run& start);

// As the functions of closures, for all these parts.
[[nodiscard]] entrance entrance_of(const closures& in, const model::start_run& start);
void note_sent(closures& in, const model::start_run& start);
bool note_taken(closures& in, const model::start_run& start, boot_time now);
/// Shuts the part of which the report speaks: is_refused_to_all().
closing close_for(closures& in, const model::start_run& start, const model::run_report& report,
                  boot_time now);

}  // namespace argosy::ledger
