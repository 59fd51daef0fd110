// SPDX-License-Identifier: Apache-2.0
// Which nodes a job's terms allow, resources aside, with the tolerations and the label value that
// the round adds to them. Verdicts are remembered for each profile of nodes.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "runtime/scheduling/engine/nodes/space.hpp"

namespace argosy::scheduling::engine {

/// What the round adds to a job's own terms.
struct added_terms {
  bool defaults = false;  ///< The pool's default tolerations.
  std::uint32_t away_class = 0;
  std::uint32_t away_mask = 0;    ///< Away types of that class whose tolerations were added.
  std::uint32_t label = none;     ///< In tables::label_names, with the value below.
  std::uint32_t value = none;     ///< In matching::values.
  std::uint32_t executor = none;  ///< Only nodes of this one.
};

/// Most away types that a class may have: each is a bit of the mask.
inline constexpr std::size_t away_types_max =
    std::numeric_limits<decltype(added_terms::away_mask)>::digits;

enum class verdict : std::uint8_t { unknown, fits, taint, selector, affinity };

/// What the nodes of a round carry of one label.
struct label_values {
  bool carried = false;                ///< By any node.
  std::vector<std::string> texts;      ///< Sorted; none is empty.
  std::vector<std::uint32_t> numbers;  ///< Of each, as added_terms::value.
  // Of a label that is not indexed, so that kinds do not tell its values apart:
  std::vector<std::uint32_t> of_node;                         ///< Number or `none`, by node.
  std::map<std::uint32_t, std::vector<std::uint32_t>> nodes;  ///< By number.
};

struct matcher {
  std::uint32_t terms = 0;
  added_terms added;
  std::vector<toleration> tolerations;   ///< The job's own and the added ones.
  std::vector<std::uint32_t> kinds;      ///< Kinds of nodes that can match at all.
  std::vector<std::uint8_t> by_profile;  ///< verdict; the unschedulable taint and node id aside.
  bool tolerates_shut = false;
  bool by_node = false;  ///< The verdict differs between nodes of one profile.
  /// Only these, ascending, and of them those that suit the matcher `base`; null: any node.
  const std::vector<std::uint32_t>* only = nullptr;
  std::uint32_t base = none;
};

class matching {
 public:
  matching(const space& nodes);

  /// The number of a matcher, made on first use.
  [[nodiscard]] std::uint32_t find(std::uint32_t terms, const added_terms& added);
  [[nodiscard]] const matcher& get(std::uint32_t number) const { return matchers_[number]; }

  /// Whether the node suits. Sets failed() if an invalid affinity rule had to be judged.
  [[nodiscard]] bool suits(std::uint32_t matcher, std::uint32_t node);
  [[nodiscard]] verdict judge(std::uint32_t matcher, std::uint32_t node);
  /// Every node of the kind suits, whatever else it carries.
  [[nodiscard]] bool suits_whole_kind(std::uint32_t matcher, std::uint32_t kind);
  /// All nodes of a profile have one verdict, and so can be judged together.
  [[nodiscard]] bool judges_profiles(std::uint32_t matcher, std::uint32_t kind) const {
    return !matchers_[matcher].by_node && kind_has_special_[kind] == 0;
  }
  /// Where profiles can be judged.
  [[nodiscard]] bool suits_profile(std::uint32_t matcher, std::uint32_t profile);
  /// Profiles of the round's nodes of a kind.
  [[nodiscard]] const std::vector<std::uint32_t>& profiles_of(std::uint32_t kind) const {
    return kind_profiles_[kind];
  }
  /// Soft taints of the kind that the matcher does not tolerate.
  [[nodiscard]] std::uint32_t soft_taints(std::uint32_t matcher, std::uint32_t kind) const;

  [[nodiscard]] bool has_soft_taints() const {
    return nodes_.conf.soft_taints_prefer &&
           std::find(kind_is_soft_.begin(), kind_is_soft_.end(), 1) != kind_is_soft_.end();
  }

  /// Values of a label on the round's nodes. Under `current` labels that are not indexed have none.
  [[nodiscard]] const label_values& values(std::uint32_t label);
  /// The number of config::default_uniformity_label, which no gang need have named.
  [[nodiscard]] std::uint32_t default_label() const;
  /// Executors of the round's nodes, in name order.
  [[nodiscard]] std::vector<std::uint32_t> executors() const;
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
  [[nodiscard]] bool holds(const affinity_rule& rule, const label_list& labels,
                           const std::string* node_id);
  [[nodiscard]] bool affinity_holds(const terms_record& terms, const label_list& labels,
                                    const std::string* node_id);

  const space& nodes_;
  std::vector<std::uint32_t> profile_;  ///< By node.
  std::vector<std::uint8_t> special_;   ///< By node: it is shut or barred.
  const tables& t_;
  std::vector<matcher> matchers_;
  using key = std::tuple<std::uint32_t, bool, std::uint32_t, std::uint32_t, std::uint32_t,
                         std::uint32_t, std::uint32_t>;
  absl::flat_hash_map<key, std::uint32_t> numbers_;
  std::vector<std::uint32_t> plain_;  ///< By terms: the matcher with the defaults only, + 1.
  std::vector<std::uint32_t> kinds_;  ///< Of the round's nodes, in order of first appearance.
  std::vector<std::vector<std::uint32_t>> kind_profiles_;  ///< By kind.
  std::vector<std::uint8_t> kind_has_special_;    ///< By kind: some node is shut or barred.
  std::vector<std::uint8_t> kind_is_soft_;        ///< By kind: it has soft taints.
  std::map<std::uint32_t, label_values> values_;  ///< By label.
  name_table value_names_;
  bool failed_ = false;
};

}  // namespace argosy::scheduling::engine
