// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/queues/queue_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"

namespace argosy::ctl {

namespace {

/// The verbs that owners may do. The server shows owners as a permission with these verbs.
constexpr std::array<std::string_view, 5> owner_verbs{"submit", "cancel", "preempt", "reprioritize",
                                                      "watch"};

bool is_of_owners(const api::Queue::Permissions& permission) {
  return std::equal(permission.verbs().begin(), permission.verbs().end(), owner_verbs.begin(),
                    owner_verbs.end());
}

void add_once(google::protobuf::RepeatedPtrField<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) *names.Add() = name;
}

/// Replaces the names. An empty word means nobody.
void replace(google::protobuf::RepeatedPtrField<std::string>& names,
             const std::vector<std::string>& with) {
  names.Clear();
  for (const auto& name : with)
    if (!name.empty()) add_once(names, name);
}

}  // namespace

void gather_owners(api::Queue& queue) {
  auto& permissions = *queue.mutable_permissions();
  for (const auto& permission : permissions) {
    if (!is_of_owners(permission)) continue;
    for (const auto& subject : permission.subjects())
      add_once(
          subject.kind() == "Group" ? *queue.mutable_group_owners() : *queue.mutable_user_owners(),
          subject.name());
  }
  permissions.erase(std::remove_if(permissions.begin(), permissions.end(), is_of_owners),
                    permissions.end());
}

void queue_settings_flags::add_options(CLI::App& app) {
  factor_option_ = app.add_option("--priority-factor", factor_,
                                  "1 or more; a queue with factor 2 gets half the share of one "
                                  "with factor 1")
                       ->type_name("F");
  cordon_option_ = app.add_flag("--cordon,!--uncordon", cordon_,
                                "Start no jobs of this queue; --uncordon opens it again");
  const auto add_list = [&](const char* flag, std::vector<std::string>& into, const char* what) {
    return takes_empty(app.add_option(flag, into, what)->delimiter(',')->allow_extra_args(false));
  };
  labels_option_ = app.add_option("--labels", labels_,
                                  "Labels to add or change, separated by commas; KEY- removes one")
                       ->delimiter(',')
                       ->allow_extra_args(false)
                       ->type_name("K=V");
  owners_option_ = add_list("--owners", owners_,
                            "The users that own the queue, separated by commas, in place of those "
                            "that did; \"\" for none")
                       ->type_name("NAME");
  policies_option_ = add_list("--retry-policies", retry_policies_,
                              "The retry policies of the queue, of which the first one counts; "
                              "\"\" for none")
                         ->type_name("NAME");
  limits_option_ = add_list("--resource-limits", limits_,
                            "The part, 0 to 1, of each resource of a pool that the queue's jobs of "
                            "all priority classes may use together, in place of what was set; "
                            "\"\" for none")
                       ->type_name("RESOURCE=PART");
  groups_option_ =
      add_list("--group-owners", group_owners_, "The same for groups")->type_name("NAME");
}

bool queue_settings_flags::given() const {
  return factor_option_->count() + cordon_option_->count() + labels_option_->count() +
             owners_option_->count() + groups_option_->count() + policies_option_->count() +
             limits_option_->count() >
         0;
}

result<void> queue_settings_flags::apply_labels(api::Queue& queue) const {
  auto& labels = *queue.mutable_labels();
  for (const auto& text : labels_) {
    const auto equals = text.find('=');
    if (equals == std::string::npos && text.size() > 1 && text.ends_with('-')) {
      labels.erase(text.substr(0, text.size() - 1));
      continue;
    }
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      return fail(
          ec::invalid_argument,
          fmt::format("--labels: '{}' is not of the form key=value, nor key- to remove it", text));
    labels[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return {};
}

result<void> queue_settings_flags::apply_limits(api::Queue& queue) const {
  if (limits_option_->count() == 0) return {};
  auto& limits = *queue.mutable_resource_limits();
  limits.clear();
  for (const auto& text : limits_) {
    if (text.empty()) continue;
    const auto equals = text.find('=');
    const auto digits = equals == std::string::npos ? std::string{} : text.substr(equals + 1);
    double part = -1;
    const auto* end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, part);
    if (equals == 0 || read.ec != std::errc{} || read.ptr != end || !(part >= 0 && part <= 1))
      return fail(
          ec::invalid_argument,
          fmt::format("--resource-limits: '{}' is not of the form resource=part with a part "
                      "from 0 to 1, for example cpu=0.5",
                      text));
    limits[text.substr(0, equals)] = part;
  }
  return {};
}

void queue_settings_flags::apply_owners(api::Queue& queue) const {
  gather_owners(queue);
  if (owners_option_->count() > 0) replace(*queue.mutable_user_owners(), owners_);
  if (groups_option_->count() > 0) replace(*queue.mutable_group_owners(), group_owners_);
}

result<void> queue_settings_flags::apply_to(api::Queue& queue) const {
  if (factor_option_->count() > 0) {
    if (!(factor_ >= 1))
      return fail(ec::invalid_argument,
                  fmt::format("--priority-factor must be 1 or more, not {}", factor_));
    queue.set_priority_factor(factor_);
  }
  if (cordon_option_->count() > 0) queue.set_cordoned(cordon_);
  apply_owners(queue);
  if (policies_option_->count() > 0) replace(*queue.mutable_retry_policies(), retry_policies_);
  if (auto applied = apply_limits(queue); !applied) return applied;
  return apply_labels(queue);
}

void print_queue_done(session& s, const std::string& name, std::string_view what) {
  if (s.as == format::name)
    s.out.print_line("queue/" + escaped(name));
  else if (s.as == format::table)
    s.out.print_line(fmt::format("queue/{} {}", escaped(name), what));
  s.out.flush();
}

}  // namespace argosy::ctl
