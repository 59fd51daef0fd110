// SPDX-License-Identifier: Apache-2.0
// Conditions on jobs as a person writes them: terms with blanks between them, all of which a job
// has to meet.
//
//   state:failed,preempted  queue:research  -jobSet:test*  cpu>=8  memory<64Mi  age>2h
//   owner:me  reason:"*out of memory*"  annotation.team:ocean  label.run:*
//
// A '-' before a term negates it. ':' and '=' mean equality, ',' divides alternatives, a '*' at an
// end stands for any text, a '*' alone for any text that is not empty. '"' keeps blanks, commas and
// asterisks as they are. The states "active" and "ended" stand for all of their kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/job_search.hpp"

namespace argosy::codec {

/// What the text means besides what stands in it.
struct search_context {
  std::int64_t now_ns = 0;  ///< Unix time; ages are taken back from it.
  std::string caller{};     ///< Who is meant by "me".
};

/// ec::invalid_argument names the term, and what to write instead.
[[nodiscard]] result<std::vector<model::job_condition>> parse_search_text(
    std::string_view text, const search_context& context);

}  // namespace argosy::codec
