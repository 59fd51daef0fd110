// SPDX-License-Identifier: Apache-2.0
// This file declares whether a stored job meets conditions.
#pragma once

#include <string_view>

#include "messages/view/search/job_facts.hpp"
#include "runtime/base/result.hpp"
#include "runtime/model/job_search.hpp"

namespace argosy::view {

/// Whether the specification has to be read to judge the condition.
[[nodiscard]] constexpr bool needs_tags(model::job_field field) noexcept {
  return field == model::job_field::annotation || field == model::job_field::label;
}

/// Judges a condition that does not need tags. ec::corrupt when the record does not decode.
[[nodiscard]] result<bool> meets(const model::job_condition& condition, const job_facts& job);

/// Judges a condition on an annotation or a label.
[[nodiscard]] bool meets(const model::job_condition& condition, const model::job_tags& tags);

/// Reads annotations and labels from an encoded specification, but for annotations that repeat the
/// job's environment. ec::corrupt when it is none.
[[nodiscard]] result<model::job_tags> tags_of(std::string_view spec);

}  // namespace argosy::view
