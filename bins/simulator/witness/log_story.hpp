// SPDX-License-Identifier: Apache-2.0
// The log story is what the log tells about jobs, event by event. It is the checker's own book of
// the rules that a log must obey; it shares nothing with the control plane but the decoded events.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bins/simulator/witness/acts_story.hpp"
#include "runtime/model/event.hpp"

namespace argosy::witness {

/// The story of one job as the log tells it.
struct job_story {
  std::string queue{};
  std::string client_id{};
  std::string gang{};
  std::vector<std::pair<std::string, std::int64_t>> requests{};
  std::uint32_t last_run = 0;  ///< The highest run number; 0 if it was never leased.
  bool active = false;         ///< The last run has not ended.
  bool stopping = false;       ///< A round has decided to preempt the active run.
  std::string node{};          ///< Where the active run is, as CLUSTER/NODE.
  std::string terminal{};      ///< The name of the event with which it ended; empty if it has not.
  std::string why{};           ///< The reason of that event.
  std::uint32_t terminals = 0;
};

/// A rule that was broken, with the promise that it belongs to.
struct finding {
  std::string promise;  ///< "D1" to "D6", or "acts" for what operators are promised.
  std::string text;

  friend bool operator==(const finding&, const finding&) = default;
};

/// Takes the events of the log in their order. Not thread-safe.
class log_story {
 public:
  /// `record` is the position in the log of the record that holds the event.
  void add(std::uint64_t record, const model::event& event);
  /// Ends the last record, whose gangs are then judged.
  void finish();

  [[nodiscard]] const std::map<std::string, job_story>& jobs() const { return jobs_; }
  [[nodiscard]] const std::vector<finding>& findings() const { return findings_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t runs() const { return runs_; }

 private:
  struct node_story {
    std::map<std::string, std::int64_t> capacity{};
    std::map<std::string, std::int64_t> used{};
  };
  /// A lease that took more than its node has. What its round preempts there may stand in later
  /// records, which make the room.
  struct overfull {
    std::uint64_t round = 0;
    std::string text{};
  };
  struct gang_story {
    std::uint32_t minimum = 0;        ///< How many members have to start together at first.
    bool started = false;             ///< An earlier record has leases of it.
    std::set<std::string> members{};  ///< All that were submitted.
    std::set<std::string> leased{};   ///< Those that were leased in the last record.
  };

  void submitted(const model::job_submitted& event);
  void leased(const model::job_leased& event);
  void run_over(const std::string& job, std::uint32_t run, std::string_view what);
  void terminal(const std::string& job, std::string_view what, std::string why);
  void nodes(const model::nodes_changed& event);
  void release(job_story& job);
  /// How much of the node's resource is taken by runs that nobody has begun to stop.
  [[nodiscard]] std::int64_t lasting(const std::string& node, const std::string& resource) const;
  void judge_room(const std::string& node);
  void decided(std::uint64_t round);
  void drained(const model::operation& drain);
  /// Judges what operators do, and what happens in spite of it.
  void act(const model::event& event);
  void judge_gangs();
  void judge_gang(const std::string& name, const gang_story& gang);
  void note(std::string promise, std::string text);

  std::map<std::string, job_story> jobs_;
  std::map<std::pair<std::string, std::string>, std::string> clients_;  ///< To the job's id.
  std::set<std::pair<std::string, std::string>> keys_;  ///< The keys of accepted requests.
  std::map<std::string, node_story> nodes_;
  std::map<std::pair<std::string, std::string>, overfull> overfull_;  ///< By node and resource.
  std::map<std::string, gang_story> gangs_;
  std::set<std::string> open_gangs_;  ///< Those of which this record has leases.
  acts_story acts_;
  std::vector<finding> findings_;
  std::uint64_t record_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t runs_ = 0;
};

}  // namespace argosy::witness
