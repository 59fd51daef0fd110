// SPDX-License-Identifier: Apache-2.0
// This file declares what people are told of namespaces that clusters do not serve, or of which
// they take no jobs for a while.
#pragma once

#include <string>
#include <vector>

#include "messages/native/contact_board.hpp"
#include "messages/native/queue.hpp"

namespace argosy::actors {

/// At most a few lines; of a longer list the last line says how many more there are.
[[nodiscard]] std::vector<std::string> cut_lines(std::vector<std::string> lines, const char* what);

/// How many seconds are left until a run tries the namespace; 0: one does.
[[nodiscard]] std::uint32_t seconds_left(const ledger::closure& what, boot_time now);

/// One sentence on each cluster that takes no jobs of the namespace, which it does not serve or
/// where it was refused them, or such jobs as this one (model::entry_of()). A long list is cut.
[[nodiscard]] std::vector<std::string> obstacles_of(const std::string& entry,
                                                    const native::contact_board& contacts,
                                                    boot_time now);

/// One sentence on each cluster that takes no such job now: those that are out of contact, and
/// those of obstacles_of() its namespace.
[[nodiscard]] std::vector<std::string> obstacles_to(const model::job_header& job,
                                                    const native::contact_board& contacts,
                                                    boot_time now);
/// Returns the verdict on a job, with the clusters that keep it out if it waits for nodes which
/// take no new jobs.
[[nodiscard]] std::string verdict_with(const std::vector<std::string>& obstacles,
                                       const std::string& verdict);

/// A sentence for each namespace of these jobs that no known cluster serves, joined by "; ", or
/// which namespace was `taken` for those that name none, unless that is empty or Kubernetes'
/// default. Empty if there is nothing to say.
[[nodiscard]] std::string namespace_note(const native::submit_request& request,
                                         const std::string& taken,
                                         const native::contact_board& contacts);

/// Which fields of these jobs no cluster can carry out, as long as all that are known run
/// processes. Empty if there is nothing to say.
[[nodiscard]] std::string process_note(const native::submit_request& request,
                                       const native::contact_board& contacts);

}  // namespace argosy::actors
