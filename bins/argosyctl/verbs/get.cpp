// SPDX-License-Identifier: Apache-2.0
// The verb get: get KIND [NAME…].
#include "bins/argosyctl/verbs/get.hpp"

#include <fmt/format.h>

#include "bins/argosyctl/output/human.hpp"

namespace argosy::ctl {

namespace {

using amounts = google::protobuf::RepeatedPtrField<argosy::log::v1::Amount>;

const argosy::log::v1::Amount* find_amount(const std::string& resource, const amounts& list) {
  for (const auto& item : list)
    if (item.resource() == resource) return &item;
  return nullptr;
}

}  // namespace

CLI::App& add_kind(CLI::App& verb, const std::string& name, const std::string& summary,
                   const std::vector<std::string>& aliases) {
  auto* sub = verb.add_subcommand(name, summary);
  for (const auto& alias : aliases) sub->alias(alias);
  sub->group("Kinds");
  sub->allow_extras();
  return *sub;
}

std::string amount_of(const std::string& resource, const amounts& list) {
  const auto* item = find_amount(resource, list);
  return item == nullptr ? std::string{} : human_amount(resource, item->amount());
}

std::string used_of(const std::string& resource, const amounts& used, const amounts& total) {
  const auto* all = find_amount(resource, total);
  if (all == nullptr) return {};
  const auto* part = find_amount(resource, used);
  return fmt::format("{}/{}", human_amount(resource, part == nullptr ? 0 : part->amount()),
                     human_amount(resource, all->amount()));
}

std::string closed_text(const google::protobuf::Map<std::string, std::uint32_t>& nodes_of,
                        std::uint32_t nodes) {
  std::string text;
  for (const auto& [name, count] :
       std::map<std::string, std::uint32_t>(nodes_of.begin(), nodes_of.end()))
    text += fmt::format("{}{} on {} of {}", text.empty() ? "" : ", ", name, count, nodes);
  return text;
}

std::string other_amounts(const amounts& list) {
  std::string text;
  for (const auto& item : list) {
    if (item.resource() == "cpu" || item.resource() == "memory") continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", item.resource(),
                        human_amount(item.resource(), item.amount()));
  }
  return text;
}

void define_get(CLI::App& app, command_set& commands) {
  define_get_jobs(app, commands);
  define_get_job_sets(app, commands);
  define_get_queues(app, commands);
  define_get_clusters(app, commands);
  define_get_control_plane(app, commands);
  define_get_policies(app, commands);
  define_get_operations(app, commands);
  define_get_rounds(app, commands);
  app.footer(
      "argosyctl get jobs -q team-a --active\n"
      "argosyctl get 01k9x2 -o json\n"
      "argosyctl get queues");
}

}  // namespace argosy::ctl
