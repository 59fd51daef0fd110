// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/queue_codec.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "messages/codec/log/log_values.hpp"
#include "runtime/base/suggest.hpp"
#include "runtime/model/retry_policy.hpp"

namespace argosy::codec {

namespace {

constexpr std::size_t text_size_max = 1'024;
constexpr std::size_t settings_size_max = 256 * 1'024;
/// Far beyond any that means something, and small enough for sums and quotients of factors.
constexpr double priority_factor_max = 1e12;
/// The verbs that a permission of a queue may name.
constexpr std::array<std::string_view, 5> queue_verbs{"submit", "cancel", "preempt", "reprioritize",
                                                      "watch"};

failure refuse(const std::string& why) {
  return fail(ec::invalid_argument, why);
}

using texts = google::protobuf::RepeatedPtrField<std::string>;

std::vector<std::string> texts_of(const texts& in) {
  return {in.begin(), in.end()};
}

template <class Message>
void add_permission(const model::queue_permission& permission, Message& out) {
  auto& target = *out.add_permissions();
  for (const auto& subject : permission.subjects) {
    auto& item = *target.add_subjects();
    item.set_kind(subject.kind);
    item.set_name(subject.name);
  }
  for (const auto& verb : permission.verbs) target.add_verbs(verb);
}

/// Writes the fields that have one name and form in the API and in the log.
template <class Message>
void put_alike(const model::queue_settings& from, Message& out) {
  out.set_name(from.name);
  out.set_priority_factor(from.priority_factor);
  out.set_cordoned(from.cordoned);
  for (const auto& permission : from.permissions) add_permission(permission, out);
  codec::to_wire(from.labels, *out.mutable_labels());
  for (const auto& policy : from.retry_policies) out.add_retry_policies(policy);
}

template <class Message>
void take_alike(const Message& in, model::queue_settings& out) {
  out.name = model::queue_name{in.name()};
  out.priority_factor = in.priority_factor();
  out.cordoned = in.cordoned();
  for (const auto& permission : in.permissions()) {
    auto& target = out.permissions.emplace_back();
    for (const auto& subject : permission.subjects())
      target.subjects.push_back({subject.kind(), subject.name()});
    target.verbs = texts_of(permission.verbs());
  }
  out.labels = codec::from_wire(in.labels());
  out.retry_policies = texts_of(in.retry_policies());
}

result<void> check_text(const std::string& text, const std::string& place) {
  return model::validate_printable(text, place, text_size_max);
}

result<void> check_texts(const std::vector<std::string>& all, const std::string& place) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (auto valid = check_text(all[i], place + "[" + std::to_string(i) + "]"); !valid)
      return valid;
  return {};
}

/// Fails unless the name is one of those that are known.
template <class Names>
result<void> check_known(const std::string& name, const Names& known, const std::string& place,
                         const std::string& kind) {
  if (std::ranges::find(known, name) != known.end()) return {};
  std::string list;
  for (const auto& each : known) list += (list.empty() ? "" : ", ") + std::string{each};
  return refuse(place + " names " + kind + " '" + name + "', which is none of " + list +
                did_you_mean(name, std::vector<std::string_view>{known.begin(), known.end()}));
}

result<void> check_resources(const std::map<std::string, double>& fractions,
                             const limit_names& known, const std::string& place) {
  for (const auto& [resource, fraction] : fractions)
    if (auto valid = check_known(resource, known.resources, place, "the resource"); !valid)
      return valid;
  return {};
}

result<std::map<std::string, double>> read_fractions(
    const google::protobuf::Map<std::string, double>& in, const std::string& place) {
  std::map<std::string, double> out;
  for (const auto& [resource, fraction] : in) {
    if (auto valid = check_text(resource, "a name in " + place); !valid) return fail(valid.error());
    if (!(fraction >= 0 && fraction <= 1))
      return refuse(place + "[\"" + resource + "\"] must be between 0 and 1");
    out[resource] = fraction;
  }
  return out;
}

result<void> read_limits(const api::Queue& in, model::queue_settings& out) {
  for (const auto& [name, limit] : in.resource_limits_by_priority_class_name()) {
    if (auto valid = check_text(name, "a name in resource_limits_by_priority_class_name"); !valid)
      return valid;
    const auto place = "resource_limits_by_priority_class_name[\"" + name + "\"]";
    auto& target = out.limits[name];
    auto fractions =
        read_fractions(limit.maximum_resource_fraction(), place + ".maximum_resource_fraction");
    if (!fractions) return fail(fractions.error());
    target.fraction = std::move(*fractions);
    const auto pools_place = place + ".maximum_resource_fraction_by_pool";
    for (const auto& [pool, by_pool] : limit.maximum_resource_fraction_by_pool()) {
      if (auto valid = check_text(pool, "a name in " + pools_place); !valid) return valid;
      auto inner =
          read_fractions(by_pool.maximum_resource_fraction(), pools_place + "[\"" + pool + "\"]");
      if (!inner) return fail(inner.error());
      target.fraction_by_pool[pool] = std::move(*inner);
    }
  }
  return {};
}

result<void> check_permissions(const std::vector<model::queue_permission>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto place = "permissions[" + std::to_string(i) + "]";
    for (std::size_t j = 0; j < all[i].subjects.size(); ++j) {
      const auto& subject = all[i].subjects[j];
      if (subject.kind != "User" && subject.kind != "Group")
        return refuse(place + ".subjects: the kind is 'User' or 'Group'");
      const auto here = place + ".subjects[" + std::to_string(j) + "].name";
      if (auto valid = check_text(subject.name, here); !valid) return valid;
    }
    if (auto valid = check_texts(all[i].verbs, place + ".verbs"); !valid) return valid;
    for (const auto& verb : all[i].verbs)
      if (auto valid = check_known(verb, queue_verbs, place + ".verbs", "the verb"); !valid)
        return valid;
  }
  return {};
}

/// The permission that says what owners may do.
model::queue_permission permission_of_owners(const model::queue_settings& settings) {
  model::queue_permission out;
  for (const auto& name : settings.owners) out.subjects.push_back({"User", name});
  for (const auto& name : settings.group_owners) out.subjects.push_back({"Group", name});
  out.verbs.assign(queue_verbs.begin(), queue_verbs.end());
  return out;
}

}  // namespace

result<model::queue_settings> from_wire(const api::Queue& in) {
  if (auto valid = model::validate_queue_name(in.name(), "queue name"); !valid)
    return fail(valid.error());
  model::queue_settings out;
  take_alike(in, out);
  if (!(out.priority_factor > 0 && out.priority_factor <= priority_factor_max))
    return refuse("the priority factor of queue '" + out.name +
                  "' must be a number above 0, and at most 1000000000000");
  out.owners = texts_of(in.user_owners());
  out.group_owners = texts_of(in.group_owners());
  if (auto valid = check_texts(out.owners, "user_owners"); !valid) return fail(valid.error());
  if (auto valid = check_texts(out.group_owners, "group_owners"); !valid)
    return fail(valid.error());
  for (const auto& [key, value] : out.labels) {
    if (key.empty() || value.empty()) return refuse("labels need a key and a value");
    for (const auto* text : {&key, &value})
      if (auto valid = check_text(*text, "a text in labels"); !valid) return fail(valid.error());
  }
  if (auto valid = check_permissions(out.permissions); !valid) return fail(valid.error());
  std::erase(out.permissions, permission_of_owners(out));
  if (auto read = read_limits(in, out); !read) return fail(read.error());
  auto total = read_fractions(in.resource_limits(), "resource_limits");
  if (!total) return fail(total.error());
  out.total_limit = std::move(*total);
  if (auto valid = check_texts(out.retry_policies, "retry_policies"); !valid)
    return fail(valid.error());
  out.retry_policies = model::each_once(out.retry_policies);
  if (const auto bytes = in.ByteSizeLong(); bytes > settings_size_max)
    return fail(ec::too_large, "the settings of queue '" + in.name() + "' have " +
                                   std::to_string(bytes) + " bytes; at most " +
                                   std::to_string(settings_size_max) + " are allowed");
  return out;
}

result<void> check_limit_names(const model::queue_settings& settings, const limit_names& known) {
  if (auto valid = check_resources(settings.total_limit, known, "resource_limits"); !valid)
    return valid;
  for (const auto& [name, limit] : settings.limits) {
    const std::string field = "resource_limits_by_priority_class_name";
    if (auto valid = check_known(name, known.priority_classes, field, "the priority class"); !valid)
      return valid;
    const auto place = field + "[\"" + name + "\"]";
    if (auto valid = check_resources(limit.fraction, known, place); !valid) return valid;
    for (const auto& [pool, fractions] : limit.fraction_by_pool)
      if (auto valid = check_resources(fractions, known, place); !valid) return valid;
  }
  return {};
}

void to_wire(const model::queue_settings& settings, api::Queue& out, owner_form owners) {
  if (owners == owner_form::fields) {
    for (const auto& name : settings.owners) out.add_user_owners(name);
    for (const auto& name : settings.group_owners) out.add_group_owners(name);
  } else if (!settings.owners.empty() || !settings.group_owners.empty()) {
    add_permission(permission_of_owners(settings), out);
  }
  put_alike(settings, out);
  out.mutable_resource_limits()->insert(settings.total_limit.begin(), settings.total_limit.end());
  for (const auto& [name, limit] : settings.limits) {
    auto& target = (*out.mutable_resource_limits_by_priority_class_name())[name];
    target.mutable_maximum_resource_fraction()->insert(limit.fraction.begin(),
                                                       limit.fraction.end());
    for (const auto& [pool, fractions] : limit.fraction_by_pool)
      (*target.mutable_maximum_resource_fraction_by_pool())[pool]
          .mutable_maximum_resource_fraction()
          ->insert(fractions.begin(), fractions.end());
  }
}

void to_wire(const model::queue_settings& settings, log::v1::QueueSettings& out) {
  for (const auto& owner : settings.owners) out.add_owners(owner);
  for (const auto& group : settings.group_owners) out.add_group_owners(group);
  put_alike(settings, out);
  out.mutable_total_limit()->insert(settings.total_limit.begin(), settings.total_limit.end());
  for (const auto& [name, limit] : settings.limits) {
    auto& target = (*out.mutable_limits())[name];
    target.mutable_fraction()->insert(limit.fraction.begin(), limit.fraction.end());
    for (const auto& [pool, fractions] : limit.fraction_by_pool)
      (*target.mutable_fraction_by_pool())[pool].mutable_by_resource()->insert(fractions.begin(),
                                                                               fractions.end());
  }
}

model::queue_settings from_wire(const log::v1::QueueSettings& in) {
  model::queue_settings out;
  take_alike(in, out);
  out.owners = texts_of(in.owners());
  out.group_owners = texts_of(in.group_owners());
  out.total_limit = {in.total_limit().begin(), in.total_limit().end()};
  for (const auto& [name, limit] : in.limits()) {
    auto& target = out.limits[name];
    target.fraction = {limit.fraction().begin(), limit.fraction().end()};
    for (const auto& [pool, fractions] : limit.fraction_by_pool())
      target.fraction_by_pool[pool] = {fractions.by_resource().begin(),
                                       fractions.by_resource().end()};
  }
  return out;
}

}  // namespace argosy::codec
