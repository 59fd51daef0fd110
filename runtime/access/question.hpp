// SPDX-License-Identifier: Apache-2.0
// What a caller may ask about his own rights, and the answer with its reason. The answers follow
// from the same table as the decisions about real calls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/access/action.hpp"
#include "runtime/access/principal.hpp"
#include "runtime/access/role.hpp"
#include "runtime/base/result.hpp"
#include "runtime/model/queue.hpp"

namespace argosy::access {

/// About an action, or about a permission alone.
struct question {
  action what = action::read;
  std::optional<permission> held{};  ///< Set: whether he has this, and `what` counts for nothing.
};

/// Reads the name of an action or of a permission. ec::invalid_argument says which there are.
[[nodiscard]] result<question> parse_question(std::string_view word);
/// All words that are understood, actions first.
[[nodiscard]] const std::vector<std::string>& question_words();

/// Whether the answer may depend on a queue.
[[nodiscard]] bool is_about_queues(const question& asked) noexcept;

struct verdict {
  bool allowed = false;
  std::string reason{};  ///< What allows it, or what is missing.
};

/// Whether he may do it everywhere.
[[nodiscard]] verdict judge(const principal& who, const question& asked);
/// Whether he may do it in this queue.
[[nodiscard]] verdict judge(const principal& who, const question& asked,
                            const model::queue_settings& queue);

/// The least role whose users a nats-server lets do it.
[[nodiscard]] role least_role(const question& asked) noexcept;

}  // namespace argosy::access
