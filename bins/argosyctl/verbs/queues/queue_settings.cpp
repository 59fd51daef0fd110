// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/queues/queue_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>

#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/shared/empty_values.hpp"

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

using words = std::vector<std::string>;

/// Makes a function that replaces all names of a field. An empty word means nobody.
auto replaces(google::protobuf::RepeatedPtrField<std::string>* (api::Queue::*field)()) {
  return [field](const words& with, api::Queue& queue) -> result<void> {
    auto& names = *(queue.*field)();
    names.Clear();
    for (const auto& name : with)
      if (!name.empty()) add_once(names, name);
    return {};
  };
}

result<void> set_factor(double factor, api::Queue& queue) {
  if (!(factor > 0))
    return fail(ec::invalid_argument,
                fmt::format("--priority-factor must be a number above 0, not {}", factor));
  queue.set_priority_factor(factor);
  return {};
}

result<void> set_labels(const words& wanted, api::Queue& queue) {
  auto& labels = *queue.mutable_labels();
  for (const auto& text : wanted) {
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

result<void> set_limits(const words& wanted, api::Queue& queue) {
  auto& limits = *queue.mutable_resource_limits();
  limits.clear();
  for (const auto& text : wanted) {
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

template <class List>
std::string comma_list(const List& list) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::string fractions_text(const google::protobuf::Map<std::string, double>& fractions) {
  const std::map<std::string, double> sorted(fractions.begin(), fractions.end());
  std::string text;
  for (const auto& [resource, fraction] : sorted)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", resource, human_share(fraction));
  return text;
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

template <class Value>
CLI::Option* queue_settings_flags::add(
    CLI::App& app, const char* name, const char* what,
    std::function<result<void>(const Value&, api::Queue&)> apply) {
  const auto value = std::make_shared<Value>();
  auto* option = app.add_option(name, *value, what);
  flags_.push_back({option, [value, apply](api::Queue& queue) { return apply(*value, queue); }});
  return option;
}

void queue_settings_flags::add_options(CLI::App& app) {
  add<double>(app, "--priority-factor",
              "A queue with factor 2 gets half the share of one with factor 1; at least 1, or what "
              "api.priorityFactorMin of the control plane says",
              set_factor)
      ->type_name("F");
  const auto cordon = std::make_shared<bool>();
  flags_.push_back({app.add_flag("--cordon,!--uncordon", *cordon,
                                 "Start no jobs of this queue; --uncordon opens it again"),
                    [cordon](api::Queue& queue) -> result<void> {
                      queue.set_cordoned(*cordon);
                      return {};
                    }});
  const auto add_list = [&](const char* name, const char* type, const char* what, auto apply) {
    return add<words>(app, name, what, apply)
        ->type_name(type)
        ->delimiter(',')
        ->allow_extra_args(false);
  };
  add_list("--labels", "K=V", "Labels to add or change, separated by commas; KEY- removes one",
           set_labels);
  takes_empty(add_list(
      "--owners", "NAME",
      "The users that own the queue, separated by commas, in place of those that did; \"\" for "
      "none",
      replaces(&api::Queue::mutable_user_owners)));
  takes_empty(
      add_list("--retry-policies", "NAME",
               "The retry policies of the queue, of which the first one counts; \"\" for none",
               replaces(&api::Queue::mutable_retry_policies)));
  takes_empty(
      add_list("--resource-limits", "RESOURCE=PART",
               "The part, 0 to 1, of each resource of a pool that the queue's jobs of all priority "
               "classes may use together, in place of what was set; \"\" for none",
               set_limits));
  takes_empty(add_list("--group-owners", "NAME", "The same for groups",
                       replaces(&api::Queue::mutable_group_owners)));
}

bool queue_settings_flags::given() const {
  return std::ranges::any_of(flags_, [](const flag& each) { return each.option->count() > 0; });
}

result<void> queue_settings_flags::apply_to(api::Queue& queue) const {
  gather_owners(queue);
  for (const auto& each : flags_) {
    if (each.option->count() == 0) continue;
    if (auto applied = each.apply(queue); !applied) return applied;
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> queue_details(api::Queue queue) {
  gather_owners(queue);
  std::vector<std::pair<std::string, std::string>> out{
      {"Owners", comma_list(queue.user_owners())},
      {"Groups", comma_list(queue.group_owners())},
      {"Retries", comma_list(queue.retry_policies())}};
  for (const auto& permission : queue.permissions()) {
    std::string subjects;
    for (const auto& subject : permission.subjects())
      subjects +=
          fmt::format("{}{} {}", subjects.empty() ? "" : ", ", subject.kind(), subject.name());
    out.emplace_back("May", fmt::format("{}: {}", subjects, comma_list(permission.verbs())));
  }
  const auto& by_class = queue.resource_limits_by_priority_class_name();
  const std::map<std::string, api::PriorityClassResourceLimits> sorted(by_class.begin(),
                                                                       by_class.end());
  for (const auto& [name, limits] : sorted) {
    if (const auto text = fractions_text(limits.maximum_resource_fraction()); !text.empty())
      out.emplace_back("Limit", fmt::format("{}: {}", name, text));
    for (const auto& [pool, limit] : limits.maximum_resource_fraction_by_pool())
      out.emplace_back("Limit", fmt::format("{} in pool {}: {}", name, pool,
                                            fractions_text(limit.maximum_resource_fraction())));
  }
  return out;
}

void print_queue_done(session& s, const std::string& name, std::string_view what) {
  if (s.as == format::name)
    s.out.print_line("queue/" + escaped(name));
  else if (s.as == format::table)
    s.out.print_line(fmt::format("queue/{} {}", escaped(name), what));
  s.out.flush();
}

}  // namespace argosy::ctl
