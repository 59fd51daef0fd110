// SPDX-License-Identifier: Apache-2.0
// Searches for jobs by what they are, and what they find. Conditions come checked: a match fits its
// field, and has the values that it needs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/model/job.hpp"

namespace argosy::model {

/// A property of jobs. Of cluster, node, pool and exit code it is that of the last run.
enum class job_field : std::uint8_t {
  id,
  queue,
  job_set,
  owner,
  name_space,
  priority_class,
  cluster,
  node,
  pool,
  gang,
  name,
  reason,
  annotation,  ///< The one that the condition's key names.
  label,       ///< The same.
  state,
  priority,  ///< From here on they are numbers.
  submitted,
  changed,
  exit_code,
  resource,  ///< The amount requested of the one that the condition's key names.
};

[[nodiscard]] constexpr bool is_number(job_field field) noexcept {
  return field >= job_field::priority;
}

enum class job_match : std::uint8_t {
  any_of,  ///< Equal to one of the values.
  starts_with,
  contains,
  exists,  ///< The job has an annotation or label of this name, or a text that is not empty.
  greater,
  less,
  at_least,
  at_most,
};

struct job_condition {
  job_field field = job_field::queue;
  job_match match = job_match::any_of;
  bool negated = false;
  std::string key{};
  std::vector<std::string> texts{};  ///< What a text field is compared with.
  std::vector<std::int64_t>
      numbers{};                    ///< What a number is compared with, in the unit of the record.
  std::vector<job_state> states{};  ///< What field state is compared with.

  friend bool operator==(const job_condition&, const job_condition&) = default;
};

struct job_conditions {
  std::vector<job_condition> all;
  /// Only jobs of sets that have a job which has not ended.
  bool active_job_sets = false;
};

struct job_order {
  job_field by = job_field::id;
  bool ascending = false;
};

/// Where a page ended: the place of its last job in the order.
struct search_place {
  std::string sort_key{};  ///< Empty in the order of ids.
  ulid id;

  friend auto operator<=>(const search_place&, const search_place&) = default;
};

/// Which jobs are wanted, and which of them first.
struct job_query {
  job_conditions conditions;
  job_order order;
  std::uint32_t limit = 1'000;
  std::uint64_t skip = 0;  ///< How many jobs are passed over at the beginning.
  std::optional<search_place> after;
};

/// What a specification says of a job besides its pod.
struct job_tags {
  std::map<std::string, std::string> annotations;
  std::map<std::string, std::string> labels;
};

struct found_job {
  job_record record;
  job_tags tags;
};

enum class group_order : std::uint8_t { count, name, submitted, changed };

/// By which field jobs are counted, and which groups come first.
struct group_query {
  job_conditions conditions;
  job_field by = job_field::queue;
  std::string key{};  ///< Which annotation or label it is.
  group_order order = group_order::count;
  bool ascending = false;
  std::uint32_t limit = 1'000;
  std::uint64_t skip = 0;  ///< How many groups are passed over at the beginning.
};

struct job_group {
  std::string name;
  std::uint64_t count = 0;
  std::map<job_state, std::uint64_t> jobs;
  std::int64_t submitted_ns = 0;        ///< When the first was submitted.
  std::int64_t changed_first_ns = 0;    ///< The earliest of the times when its jobs last changed,
  std::int64_t changed_last_ns = 0;     ///< the latest,
  std::int64_t changed_average_ns = 0;  ///< and their average.
};

}  // namespace argosy::model
