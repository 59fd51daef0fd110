// SPDX-License-Identifier: Apache-2.0
#include "messages/submit_file/pod_advice.hpp"

#include <optional>
#include <string>

#include "messages/submit_file/scalar.hpp"
#include "runtime/model/quantity.hpp"

namespace argosy::submit_file {

namespace {

using yaml::fail_at;
using yaml::node;

/// The pairs under a key; nothing when there are none.
std::optional<node> pairs_under(const std::optional<node>& parent, std::string_view key) {
  const auto found = parent ? parent->find(key) : std::nullopt;
  return found && found->is_mapping() && found->size() > 0 ? found : std::nullopt;
}

std::optional<std::int64_t> amount_of(std::string_view resource, const node& value) {
  const auto amount =
      model::parse_quantity(value.text(), model::unit_of(resource), model::request_max);
  return amount ? std::optional{*amount} : std::nullopt;
}

/// Every resource of `these` must stand among `those` as well.
void look_for_partners(const node& these, const std::optional<node>& those, const char* missing,
                       mistake_list& mistakes) {
  for (const auto& [name, value] : these.entries())
    if (!those || !those->find(name.text()))
      mistakes.note(fail_at(name, quoted(name.text()) + " has no " + missing +
                                      "; give requests and limits the same value"));
}

void look_at_amounts(const node& requests, const std::optional<node>& limits,
                     mistake_list& mistakes, remark_list& remarks) {
  for (const auto& [name, value] : requests.entries()) {
    const auto wanted = amount_of(name.text(), value);
    if (wanted && *wanted == 0 && name.text() == "cpu")
      remarks.add(value,
                  "a request of no cpu reserves none: the job may share a core with any "
                  "number of others");
    const auto limit = limits ? limits->find(name.text()) : std::nullopt;
    const auto allowed = limit ? amount_of(name.text(), *limit) : std::nullopt;
    if (wanted && allowed && *allowed < *wanted)
      mistakes.note(fail_at(*limit, "the limit " + quoted(limit->text()) + " of " +
                                        quoted(name.text()) + " is below the request " +
                                        quoted(value.text()) + "; give both the same value"));
  }
}

void look_at_container(const node& container, mistake_list& mistakes, remark_list& remarks) {
  if (!container.is_mapping()) return;
  const auto resources = container.find("resources");
  const auto requests = pairs_under(resources, "requests");
  const auto limits = pairs_under(resources, "limits");
  if (!requests && !limits)
    mistakes.note(fail_at(resources.value_or(container),
                          "the container has neither requests nor limits; give both under "
                          "`resources`, for example {cpu: 1, memory: 1Gi}"));
  if (requests) look_for_partners(*requests, limits, "limit", mistakes);
  if (limits) look_for_partners(*limits, requests, "request", mistakes);
  if (requests) look_at_amounts(*requests, limits, mistakes, remarks);
  const auto image = container.find("image");
  const auto command = container.find("command");
  if ((!image || image->text().empty()) && (!command || command->size() == 0))
    remarks.add(container,
                "the container has neither an image nor a command, so that no node can "
                "run it");
}

}  // namespace

void look_at_pod(const node& pod, mistake_list& mistakes, remark_list& remarks) {
  for (const auto* const list : {"containers", "initContainers"})
    if (const auto containers = pod.find(list))
      for (const auto container : containers->items())
        look_at_container(container, mistakes, remarks);
  const auto policy = pod.find("restartPolicy");
  if (policy && !policy->text().empty() && policy->text() != "Never")
    remarks.add(*policy, "restartPolicy " + quoted(policy->text()) +
                             " has no effect: the pod of a job is never restarted");
}

void look_at_priority(const node& priority, remark_list& remarks) {
  if (priority.plain() && priority.text().starts_with('-') &&
      priority.text().find_first_of("123456789") != std::string_view::npos)
    remarks.add(priority, "priority " + std::string{priority.text().substr(0, 60)} +
                              " counts as 0, the earliest place in the queue");
}

}  // namespace argosy::submit_file
