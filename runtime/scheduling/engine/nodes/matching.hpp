// SPDX-License-Identifier: Apache-2.0
// This file tells which nodes a job's terms allow, resources aside, with the tolerations and the
// label value that the round adds to them. Verdicts are remembered for each profile of nodes.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "runtime/scheduling/engine/nodes/node_columns.hpp"

namespace argosy::scheduling::engine {

/// What the round adds to a job's own terms.
struct added_terms {
  bool defaults = false;  ///< Whether the pool's default tolerations are added.
  std::uint32_t away_class = 0;
  /// One bit for each away type of that class whose tolerations are added.
  std::uint32_t away_mask = 0;
  /// The number in tables::label_names of the label that must have `value`.
  std::uint32_t label = none;
  std::uint32_t value = none;     ///< The number of the value, see label_values::numbers.
  std::uint32_t executor = none;  ///< The executor whose nodes alone match.
  /// Nodes are for room that other jobs have. It matters only for terms_record::tries.
  bool to_preempt = false;
};

/// The largest number of away types in a class, since each is a bit of the mask.
inline constexpr std::size_t away_types_max =
    std::numeric_limits<decltype(added_terms::away_mask)>::digits;

enum class verdict : std::uint8_t { unknown, fits, taint, selector, affinity };

/// What the nodes of a round carry of one label.
struct label_values {
  bool carried = false;                ///< Whether any node carries the label.
  std::vector<std::string> texts;      ///< The values, sorted; none is empty.
  std::vector<std::uint32_t> numbers;  ///< The number of each value, as in added_terms::value.
  // The next two are filled for labels that are not indexed, whose values kinds do not tell apart.
  std::vector<std::uint32_t> of_node;  ///< The number of each node's value, or `none`.
  std::map<std::uint32_t, std::vector<std::uint32_t>> nodes;  ///< The nodes that carry each value.
};

struct matcher {
  std::uint32_t terms = 0;
  added_terms added;
  std::vector<toleration> tolerations;  ///< The job's own and the added ones.
  std::vector<std::uint32_t> kinds;     ///< Kinds of nodes that can match at all.
  /// The verdict about each profile, without regard to the unschedulable taint and the node id.
  std::vector<std::uint8_t> by_profile;
  bool tolerates_shut = false;
  bool by_node = false;  ///< The verdict differs between nodes of one profile.
  /// If set, only those of these nodes match that suit the matcher `base`. Ascending.
  const std::vector<std::uint32_t>* only = nullptr;
  std::uint32_t base = none;
};

class matching {
 public:
  explicit matching(const node_columns& nodes);
  /// Another round begins. Returns false if so much is remembered that it is better to begin anew.
  [[nodiscard]] bool begin_round() const;

  /// The number of the matcher for these terms, which is made on first use.
  [[nodiscard]] std::uint32_t find(std::uint32_t terms, const added_terms& added);
  [[nodiscard]] const matcher& get(std::uint32_t number) const { return matchers_[number]; }

  /// Whether the node suits. Sets failed() if an invalid affinity rule had to be judged.
  [[nodiscard]] bool suits(std::uint32_t matcher, std::uint32_t node);
  [[nodiscard]] verdict judge(std::uint32_t matcher, std::uint32_t node);
  /// Whether every node of the kind suits, whatever labels it carries that are not indexed.
  [[nodiscard]] bool suits_whole_kind(std::uint32_t matcher, std::uint32_t kind);
  /// Whether all nodes of a profile have the same verdict, so that they can be judged together.
  [[nodiscard]] bool judges_profiles(std::uint32_t matcher, std::uint32_t kind) const {
    return !matchers_[matcher].by_node && kind_has_special_[kind] == 0;
  }
  /// Whether the profile's nodes suit. Only for kinds for which judges_profiles() is true.
  [[nodiscard]] bool suits_profile(std::uint32_t matcher, std::uint32_t profile);
  /// The profiles of the round's nodes of a kind.
  [[nodiscard]] const std::vector<std::uint32_t>& profiles_of(std::uint32_t kind) const {
    return kind_profiles_[kind];
  }
  /// The number of soft taints of the kind that the matcher does not tolerate.
  [[nodiscard]] std::uint32_t soft_taints(std::uint32_t matcher, std::uint32_t kind) const;

  [[nodiscard]] bool has_soft_taints() const {
    return nodes_.conf.soft_taints_prefer &&
           std::find(kind_is_soft_.begin(), kind_is_soft_.end(), 1) != kind_is_soft_.end();
  }

  /// The values of a label on the round's nodes. Under `current` labels that are not indexed have
  /// none.
  [[nodiscard]] const label_values& values(std::uint32_t label);
  /// The number of config::default_uniformity_label; it need not be among the labels that gangs
  /// name.
  [[nodiscard]] std::uint32_t default_label() const;
  /// The executors of the round's nodes, in name order.
  [[nodiscard]] const std::vector<std::uint32_t>& executors();
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  [[nodiscard]] bool is_indexed(std::uint32_t label) const;
  void read_kinds(label_values& into, const std::string& label);
  void read_nodes(label_values& into, const std::string& label);
  /// Fills in a new matcher, or one that a value confines to the nodes that carry it.
  void make(std::uint32_t number, std::uint32_t terms, const added_terms& added);
  void confine(std::uint32_t number, std::uint32_t terms, const added_terms& added);
  [[nodiscard]] bool suits_kind(const matcher& m, const kind_record& kind) const;
  [[nodiscard]] const std::string& label_name(std::uint32_t label) const;
  [[nodiscard]] bool tolerated(const matcher& m, const taint& spot) const;
  [[nodiscard]] verdict judge_profile(const matcher& m, const profile_record& profile,
                                      const std::string* node_id);
  [[nodiscard]] bool affinity_holds(const terms_record& terms, const label_list& labels,
                                    const std::string* node_id);

  const node_columns& nodes_;
  std::vector<std::uint32_t> profile_;  ///< The profile of each node.
  std::vector<std::uint8_t> special_;   ///< Whether each node is shut or barred.
  const tables& t_;
  std::vector<matcher> matchers_;
  using key = std::tuple<std::uint32_t, bool, std::uint32_t, std::uint32_t, std::uint32_t,
                         std::uint32_t, std::uint32_t, bool>;
  absl::flat_hash_map<key, std::uint32_t> numbers_;
  /// For each terms_record, the number + 1 of the matcher that adds only the default tolerations.
  std::vector<std::uint32_t> plain_;
  /// The kinds of the round's nodes, in order of first appearance.
  std::vector<std::uint32_t> kinds_;
  std::vector<std::vector<std::uint32_t>> kind_profiles_;  ///< The profiles of each kind.
  /// Whether some node of each kind is shut or barred.
  std::vector<std::uint8_t> kind_has_special_;
  std::vector<std::uint8_t> kind_is_soft_;        ///< Whether each kind has soft taints.
  std::map<std::uint32_t, label_values> values_;  ///< The values of each label.
  std::vector<std::uint32_t> executors_;          ///< The result of executors(), once asked for.
  name_table value_names_;
  bool failed_ = false;
};

}  // namespace argosy::scheduling::engine
