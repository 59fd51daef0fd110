// SPDX-License-Identifier: Apache-2.0
// The columns behind a snapshot. Written by snapshot alone, read by the round. Indexes are slots:
// the slot of a removed job is used again after the next settle(), and other entries keep their
// numbers until compact().
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/base/ulid.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/node_changes.hpp"
#include "runtime/scheduling/plan.hpp"
#include "runtime/scheduling/rows.hpp"
#include "runtime/scheduling/settled_list.hpp"

namespace argosy::scheduling {

__extension__ using wide = __int128;

__extension__ using unsigned_wide = unsigned __int128;

/// The cutoff of a bound job that counts at every priority.
inline constexpr std::int32_t every_row = std::numeric_limits<std::int32_t>::max();

/// Debian's absl has a string_view of its own, so look-ups without a copy need this hash.
struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>{}(text);
  }
};

/// Mixes all bits, since absl's tables look at the low ones first, and consecutive ids differ in
/// few bits.
struct id_hash {
  std::size_t operator()(const ulid& id) const noexcept {
    std::uint64_t half[2];
    std::memcpy(half, id.bytes.data(), sizeof half);
    const auto product =
        static_cast<unsigned_wide>(half[0] ^ 0x9e3779b97f4a7c15u) * (half[1] ^ 0xff51afd7ed558ccdu);
    const auto folded =
        static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    return (folded ^ (folded >> 32)) * 0xc4ceb9fe1a85ec53u >> 7 ^ folded;
  }
};

using text_map = absl::flat_hash_map<std::string, std::uint32_t, text_hash, std::equal_to<>>;

/// Gives names numbers, which hold for as long as the table lives.
class name_table {
 public:
  std::uint32_t intern(std::string_view name);
  [[nodiscard]] std::uint32_t find(std::string_view name) const;  ///< `none` if unknown.
  [[nodiscard]] const std::string& name(std::uint32_t number) const { return names_[number]; }
  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }

 private:
  std::deque<std::string> names_;
  text_map numbers_;
};

/// Selector, tolerations and affinity, interned apart from requests.
struct terms_record {
  label_list selector;  ///< Sorted by label.
  std::vector<toleration> tolerations;
  std::vector<affinity_term> affinity;
  bool valid = true;        ///< Whether all affinity rules are valid.
  bool names_node = false;  ///< Whether it asks for node_id_label, which differs on every node.
  bool tries = false;       ///< Whether jobs try a namespace that a cluster has closed.
};

struct shape_record {
  std::uint32_t terms = 0;
  std::uint32_t class_name = 0;  ///< The class's number in tables::class_names.
  /// The class's place in config::classes; unknown names have that of the default class.
  std::uint32_t class_index = 0;
};

/// What nodes with equal labels (their id aside) and taints share, as matching sees them.
struct profile_record {
  label_list labels;  ///< The labels sorted by name, without the node's id.
  std::vector<taint> taints;
};

/// What nodes with equal indexed labels and taints share. Nodes of one kind are searched in one
/// order.
struct kind_record {
  std::vector<taint> taints;
  label_list labels;
};

struct node_record {
  std::string id;
  std::uint32_t executor = none;
  std::uint32_t pool = none;
  std::uint32_t profile = 0;
  std::uint32_t kind = 0;
  bool present = false;
  bool unschedulable = false;
  bool quarantined = false;
  std::vector<std::uint32_t> jobs;    ///< The jobs running here, stopping ones not among them.
  std::vector<std::int32_t> cutoffs;  ///< The distinct cutoffs of these jobs.
  /// What the jobs of each cutoff need together: the node resources for each of `cutoffs`.
  std::vector<std::int64_t> bound;
  std::vector<std::uint32_t> counts;  ///< The number of jobs with each cutoff.
  std::uint32_t stopping = 0;  ///< The number of runs that are stopping here; none is among `jobs`.
  /// What the stopping runs hold together; empty if there are none.
  std::vector<std::int64_t> stopping_need;
};

struct job_record {
  ulid id;
  std::int64_t submit_ns = 0;
  std::int64_t created_ns = 0;
  std::uint32_t queue = none;  ///< `none`: the slot is free.
  std::uint32_t shape = 0;
  std::uint32_t gang = none;  ///< The place in tables::gangs.
  std::uint32_t gang_terms = none;
  std::uint32_t node = none;
  std::int32_t run_priority = 0;
  std::uint32_t priority = 0;
  std::uint16_t pools = 0;  ///< The place in tables::pool_sets.
  std::uint16_t run_pool = 0;
  bool running = false;  ///< Has a run that is not stopping.
  /// Has a run that is stopping: the run holds room, and a round takes no other notice of it.
  bool stopping = false;

  [[nodiscard]] bool live() const noexcept { return queue != none; }
  [[nodiscard]] bool has_run() const noexcept { return running || stopping; }
};

/// One gang id in one queue, with its live jobs.
struct gang_record {
  std::uint32_t queue = none;
  std::uint32_t name = none;
  std::vector<std::uint32_t> members;
};

/// What a member declares about its gang.
struct gang_terms_record {
  std::uint32_t cardinality = 1;
  std::uint32_t minimum = 1;
  std::uint32_t label = none;  ///< The label's number in tables::label_names.
};

/// Cardinality, minimum and label.
using gang_terms_key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

/// What a round needs of a job without touching its record, in the order of its queue.
struct queued_entry {
  std::uint32_t job = 0;
  std::uint32_t shape = 0;
  std::uint32_t gang = none;

  friend bool operator==(const queued_entry& a, const queued_entry& b) { return a.job == b.job; }
};

struct running_entry {
  std::uint32_t job = 0;
  std::uint32_t shape = 0;
  std::uint32_t node = none;
  std::int32_t run_priority = 0;
  std::uint32_t gang = none;

  friend bool operator==(const running_entry& a, const running_entry& b) { return a.job == b.job; }
};

/// What queued jobs have in common that wait for the same: equal shapes, in the same pools.
struct alike_key {
  std::uint32_t shape = none;  ///< `none` for the members of gangs.
  std::uint16_t pools = 0;     ///< The place in tables::pool_sets.

  friend bool operator==(const alike_key&, const alike_key&) = default;
  template <class Hash>
  friend Hash AbslHashValue(Hash hash, const alike_key& key) {
    return Hash::combine(std::move(hash), key.shape, key.pools);
  }
};

/// What running jobs have in common that use the same: equal shapes, in the same pool, all or none
/// of them in gangs.
struct running_key {
  std::uint32_t shape = 0;
  std::uint16_t pool = 0;
  bool in_gang = false;

  friend bool operator==(const running_key&, const running_key&) = default;
  template <class Hash>
  friend Hash AbslHashValue(Hash hash, const running_key& key) {
    return Hash::combine(std::move(hash), key.shape, key.pool, key.in_gang);
  }
};

/// A sum over the jobs of a queue that have one class name: those running in a pool, or those
/// queued for a pool set.
struct usage_record {
  std::uint32_t class_name = 0;
  std::uint32_t pool = 0;
  std::uint64_t jobs = 0;
  std::vector<wide> sum;  ///< The requests together, for all resources.
};

struct queue_record {
  std::string name;
  bool configured = false;
  bool cordoned = false;
  double factor = 1.0;
  std::vector<queue_limit> limits;
  fraction_list total_limit;
  settled_list<queued_entry> queued;
  /// The same jobs apart, each list in the order of the queue.
  absl::flat_hash_map<alike_key, settled_list<std::uint32_t>> queued_alike;
  std::vector<alike_key> dirty_alike;
  settled_list<running_entry> running;
  /// How many of these there are of each kind.
  absl::flat_hash_map<running_key, std::uint32_t> running_alike;
  bool dirty = false;
  std::vector<usage_record> running_usage;
  std::vector<usage_record> queued_usage;
};

/// Where a queued job stands in queue_record::queued_alike.
[[nodiscard]] inline alike_key alike_key_of(const job_record& job) {
  return {job.gang == none ? job.shape : none, job.pools};
}

struct tables {
  /// Changes when numbers of nodes or shapes get another meaning.
  identity numbering;
  config conf;  ///< Only the keys on which the columns depend are read.
  std::uint32_t node_dims = 0;
  std::uint32_t dims = 0;  ///< The number of node resources, which come first, and floating ones.
  std::vector<std::string> dim_names;

  name_table pools;
  name_table executors;
  name_table class_names;
  name_table label_names;
  name_table gang_names;
  /// Each set is sorted. Set 0 stands for every pool.
  std::vector<std::vector<std::uint32_t>> pool_sets;

  std::vector<terms_record> terms;
  std::vector<shape_record> shapes;
  /// The requests of each shape, `dims` amounts for each.
  std::vector<std::int64_t> shape_amounts;
  std::vector<profile_record> profiles;
  std::vector<kind_record> kinds;
  std::vector<gang_terms_record> gang_terms;
  text_map terms_numbers;
  text_map shape_numbers;
  text_map profile_numbers;
  text_map kind_numbers;
  absl::flat_hash_map<gang_terms_key, std::uint32_t> gang_terms_numbers;

  std::vector<node_record> nodes;  ///< In order of creation.
  std::vector<std::int64_t> node_total;
  std::vector<std::int64_t> node_held;
  text_map node_numbers;
  std::vector<std::uint32_t> nodes_by_id;
  std::vector<std::uint32_t> node_rank;  ///< Each node's place in nodes_by_id.
  std::size_t nodes_ranked = 0;
  /// How many nodes have jobs of each cutoff.
  std::map<std::int32_t, std::uint32_t> cutoff_nodes;
  node_changes changed_nodes;

  std::vector<job_record> jobs;
  std::vector<std::uint32_t> free_jobs;
  /// The slots that may be used again after the next settle().
  std::vector<std::uint32_t> freed_jobs;
  absl::flat_hash_map<ulid, std::uint32_t, id_hash> job_numbers;
  std::size_t queued = 0;
  std::size_t running = 0;  ///< The number of running jobs, stopping ones included.
  /// The sum over the stopping runs of each pool; the class is not looked at.
  std::vector<usage_record> stopping_usage;

  std::vector<queue_record> queues;
  text_map queue_numbers;
  std::vector<std::uint32_t> queues_by_name;
  std::vector<std::uint32_t> dirty_queues;

  std::vector<gang_record> gangs;
  std::vector<std::uint32_t> free_gangs;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> gang_numbers;
  bool settled = true;

  [[nodiscard]] const std::int64_t* amounts(std::uint32_t shape) const {
    return shape_amounts.data() + std::size_t{shape} * dims;
  }
  [[nodiscard]] const priority_class& class_of(const job_record& job) const {
    return conf.classes[shapes[job.shape].class_index];
  }
};

/// The key of a gang in tables::gang_numbers.
[[nodiscard]] inline std::uint64_t gang_key(std::uint32_t queue, std::uint32_t name) {
  return (std::uint64_t{queue} << 32) | name;
}

/// Jobs with a smaller rank come first in their queue. Higher classes do if the configuration
/// orders by class at all.
[[nodiscard]] std::int32_t class_rank(const tables& t, const job_record& job);

/// The order of the queued jobs of one queue, and that of its running jobs.
[[nodiscard]] bool queued_before(const tables& t, std::uint32_t a, std::uint32_t b);
[[nodiscard]] bool running_before(const tables& t, std::uint32_t a, std::uint32_t b);

}  // namespace argosy::scheduling
