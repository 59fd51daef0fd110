// SPDX-License-Identifier: Apache-2.0
// This file declares the words with which conditions on jobs are written, over the API and by
// people, and the checks of their values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/job_search.hpp"

namespace argosy::codec {

/// A field as users name it.
struct search_field {
  std::string_view name;  ///< "queue", "jobSet", "cpu".
  model::job_field field = model::job_field::queue;
  /// The resource that the field stands for, as "nvidia.com/gpu" for "gpu".
  std::string_view resource{};
};

/// Finds a field; case, '-' and '_' do not matter. ec::invalid_argument names the known ones.
[[nodiscard]] result<search_field> find_search_field(std::string_view name);

/// Finds a match by the word that the API has for it: "exact", "anyOf", "startsWith", ... An empty
/// one is "exact". `field` says whose match it is, and whether it has it.
[[nodiscard]] result<model::job_match> find_search_match(std::string_view word,
                                                         const search_field& field);

/// Makes a condition of values as users write them: quantities of resources, times as RFC 3339,
/// names of states. Checks that they are as many as the match needs. ec::invalid_argument.
[[nodiscard]] result<model::job_condition> make_condition(const search_field& field,
                                                          model::job_match match, std::string key,
                                                          const std::vector<std::string>& values);

/// Reads a time: RFC 3339, or a day "2026-11-24", as Unix nanoseconds. ec::invalid_argument.
[[nodiscard]] result<std::int64_t> parse_search_time(std::string_view text);

/// Finds a state by its name in any case. ec::invalid_argument names the known ones.
[[nodiscard]] result<model::job_state> parse_job_state(std::string_view name);

}  // namespace argosy::codec
