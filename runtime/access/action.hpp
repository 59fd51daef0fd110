// SPDX-License-Identifier: Apache-2.0
// What callers may do: each method of the API is an action, which asks for a permission that holds
// for every queue, or for a verb on the queue that it is about.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/access/principal.hpp"
#include "runtime/base/error.hpp"
#include "runtime/model/queue.hpp"

namespace argosy::access {

enum class action : std::uint8_t {
  read,  ///< Reads jobs, queues, nodes and reports, which every caller may.
  submit,
  cancel,
  preempt,
  reprioritize,
  watch,
  read_logs,
  write_queue,
  delete_queue,
  cordon_queue,
  cancel_anywhere,   ///< Cancels all jobs of a queue, a cluster or a node.
  preempt_anywhere,  ///< Preempts all jobs of a queue, a cluster or a node.
  update_executors,
  create_retry_policy,
  update_retry_policy,
  delete_retry_policy,
  cordon_nodes,
  execute,
  report_spans,
  read_audit,
  change_settings,
  /// Sees the values of the environment in specifications of others' jobs. No method is that, but
  /// answers show them or not.
  view_specifications,
  unlisted,  ///< A method that is in no list yet, which takes every permission.
};

struct action_rule {
  action what = action::unlisted;
  std::string_view name;  ///< As users name it: "submit".
  /// Who has it may do the action everywhere. No action but `read` lacks it, and `unlisted`.
  std::optional<permission> everywhere;
  /// Who has this verb on the queue may do it there; empty: no verb is enough.
  std::string_view verb;
};

/// All actions, in the order of the enumeration.
[[nodiscard]] const std::array<action_rule, 23>& action_rules() noexcept;
[[nodiscard]] const action_rule& rule_of(action what) noexcept;
/// By the name that users give it; `read` and `unlisted` have none.
[[nodiscard]] std::optional<action> parse_action(std::string_view name) noexcept;

/// What the method does, "Service.Method", as its row in methods.hpp says.
[[nodiscard]] action action_of(std::string_view method) noexcept;

/// Whether he may do it in every queue.
[[nodiscard]] bool may(const principal& who, action what) noexcept;
/// Whether he may do it in this queue. Owners have every verb.
[[nodiscard]] bool may(const principal& who, action what, const model::queue_settings& queue);
/// Whether he sees the values of the environment of jobs with this owner, whatever their queue
/// says. If not, he sees them all the same if the queue lets him by view_specifications.
[[nodiscard]] bool sees_environment(const principal& who, std::string_view owner) noexcept;
/// The owner of the jobs that `who` sees anywhere: his own name, or a text that is no name.
[[nodiscard]] std::string sees_jobs_of(const principal& who);

/// Whether he could do it in some queue, so that the queue has to be asked.
[[nodiscard]] bool may_somewhere(const principal& who, action what) noexcept;

/// ec::denied with a sentence that says what is missing. `queue` is empty where none is named.
[[nodiscard]] error refusal(const principal& who, action what, const std::string& queue);

/// The name of the principal for people and for the record: "anonymous" if he has none.
[[nodiscard]] std::string display_name(const principal& who);

}  // namespace argosy::access
