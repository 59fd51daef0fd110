// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/question.hpp"

#include <algorithm>

#include "runtime/base/suggest.hpp"

namespace argosy::access {

namespace {

/// The action `read` has no name in the table, since no permission is called by it.
constexpr std::string_view read_word = "read";

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

verdict judge_permission(const principal& who, permission one) {
  const std::string name{to_string(one)};
  if (who.permissions.has(one))
    return {true, "user '" + display_name(who) + "' has the permission " + name};
  return {false, "user '" + display_name(who) + "' lacks the permission " + name};
}

/// By what the settings of the queue allow it to him; empty if they do not.
std::string granted_by(const principal& who, action what, const model::queue_settings& queue) {
  const auto place = "queue '" + queue.name + "'";
  const auto verb = rule_of(what).verb;
  const auto holds = [&](const model::queue_settings& part) { return may(who, what, part); };
  model::queue_settings one;
  one.owners = queue.owners;
  if (holds(one)) return "user '" + display_name(who) + "' owns " + place;
  one.owners.clear();
  for (const auto& group : queue.group_owners) {
    one.group_owners = {group};
    if (holds(one)) return "group '" + group + "' owns " + place;
  }
  one.group_owners.clear();
  for (const auto& entry : queue.permissions)
    for (const auto& subject : entry.subjects) {
      one.permissions.assign(1, {});
      one.permissions.front().subjects = {subject};
      one.permissions.front().verbs = entry.verbs;
      if (holds(one))
        return place + " gives the verb '" + std::string{verb} + "' to " +
               (subject.kind == "Group" ? "group '" : "user '") + subject.name + "'";
    }
  return {};
}

}  // namespace

const std::vector<std::string>& question_words() {
  static const auto words = [] {
    std::vector<std::string> out{std::string{read_word}};
    for (const auto& rule : action_rules())
      if (!rule.name.empty()) out.emplace_back(rule.name);
    for (std::size_t i = 0; i < permission_count; ++i)
      out.emplace_back(to_string(static_cast<permission>(i)));
    return out;
  }();
  return words;
}

result<question> parse_question(std::string_view word) {
  if (word == read_word) return question{action::read, {}};
  if (const auto what = parse_action(word)) return question{*what, {}};
  if (const auto held = parse_permission(word)) return question{action::read, *held};
  std::vector<std::string> actions{std::string{read_word}};
  for (const auto& rule : action_rules())
    if (!rule.name.empty()) actions.emplace_back(rule.name);
  return fail(ec::invalid_argument, "'" + std::string{word} + "' is no action and no permission" +
                                        did_you_mean(word, question_words()) +
                                        "; the actions are " + joined(actions));
}

bool is_about_queues(const question& asked) noexcept {
  return !asked.held && !rule_of(asked.what).verb.empty();
}

verdict judge(const principal& who, const question& asked) {
  if (asked.held) return judge_permission(who, *asked.held);
  if (asked.what == action::read) return {true, "every caller who is let in may read"};
  if (!may(who, asked.what)) return {false, refusal(who, asked.what, {}).detail};
  const auto& rule = rule_of(asked.what);
  return {true,
          "user '" + display_name(who) + "' has the permission " +
              (rule.everywhere ? std::string{to_string(*rule.everywhere)} : "for everything")};
}

verdict judge(const principal& who, const question& asked, const model::queue_settings& queue) {
  auto everywhere = judge(who, asked);
  if (everywhere.allowed || !is_about_queues(asked)) return everywhere;
  if (auto reason = granted_by(who, asked.what, queue); !reason.empty())
    return {true, std::move(reason)};
  return {false, refusal(who, asked.what, queue.name).detail};
}

role least_role(const question& asked) noexcept {
  if (asked.held) {
    for (const auto one : {role::viewer, role::submitter})
      if (granted_to(one).has(*asked.held)) return one;
    return role::operator_;
  }
  switch (asked.what) {
    case action::read:
    case action::watch:
      return role::viewer;
    case action::submit:
    case action::cancel:
    case action::preempt:
    case action::reprioritize:
    case action::read_logs:
    case action::report_spans:
      return role::submitter;
    default:
      return role::operator_;
  }
}

}  // namespace argosy::access
