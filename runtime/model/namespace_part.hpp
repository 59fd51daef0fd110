// SPDX-License-Identifier: Apache-2.0
// The jobs of a namespace that a cluster may refuse apart from the others: those that have services
// or ingresses, whose quota is full, and those of one owner, who lacks a right. A part is a text
// without characters that separate texts elsewhere: "jobs" are all jobs of namespace `jobs`,
// "jobs+services" those that have services, "jobs+@alice" those of alice, and "jobs+services@alice"
// those of alice that have services. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::model {

/// What jobs may have attached, by Kubernetes' names of them.
inline constexpr const char* attached_services = "services";
inline constexpr const char* attached_ingresses = "ingresses";

/// The parts that a job belongs to, that of its whole namespace first. None is of its owner if that
/// is empty.
[[nodiscard]] std::vector<std::string> parts_of(const std::string& name_space,
                                                const std::vector<std::string>& attached,
                                                std::string_view owner);
/// The same as one text, by which concerns() knows the job: "jobs+services+@alice". Of the parts of
/// its owner it has those that `wants` takes.
template <class Wanted>
[[nodiscard]] std::string entry_of(const std::string& name_space,
                                   const std::vector<std::string>& attached, std::string_view owner,
                                   const Wanted& wants) {
  auto out = name_space;
  for (const auto& each : parts_of(name_space, attached, owner))
    if (each.size() > name_space.size() && (each.find('@') == std::string::npos || wants(each)))
      out += each.substr(name_space.size());
  return out;
}

/// Whether the job of this entry, which may be the name of its namespace alone, is of the part.
[[nodiscard]] bool concerns(std::string_view part, std::string_view entry) noexcept;

/// The namespace of a part or an entry.
[[nodiscard]] std::string_view namespace_in(std::string_view part) noexcept;
/// "with services", "of user alice", "of user alice with services"; empty for a whole namespace.
[[nodiscard]] std::string whose_jobs(std::string_view part);

/// The owner of the jobs of a part; empty: it is of any.
[[nodiscard]] std::string owner_in(std::string_view part);

/// The category of a refusal to all jobs of a part: "quota/services", "rights/@" for those of the
/// owner of the run, "rights/services@". Nothing if the run is of no such part.
[[nodiscard]] std::optional<std::string> part_refused(const std::string& category,
                                                      const std::string& name_space,
                                                      const std::vector<std::string>& attached,
                                                      std::string_view owner);
/// The kind of such a category, "quota".
[[nodiscard]] std::string_view kind_of_refusal(std::string_view category) noexcept;
/// Whether a refusal of this category concerns all runs of the namespace, or of a part of it.
[[nodiscard]] bool is_refused_to_all(std::string_view category) noexcept;
/// Whether it concerns the one run, which another cluster may take.
[[nodiscard]] bool is_refusal_of_run(std::string_view category) noexcept;

}  // namespace argosy::model
