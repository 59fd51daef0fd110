// SPDX-License-Identifier: Apache-2.0
// Prints jobs with all that is known of them as JSON or YAML, as they come, however many they are.
#pragma once

#include <vector>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/verbs/session.hpp"

namespace argosy::ctl {

class details_printer {
 public:
  /// With `bare` the only job is printed as the object itself and not as a list. Session and client
  /// must outlive the printer.
  details_printer(session& s, client& server, bool bare) : s_(s), server_(server), bare_(bare) {}

  /// Takes the job; several hundred are asked for and printed together.
  [[nodiscard]] result<void> add(argosy::v1::JobSummary& job);
  /// Prints the jobs that are left.
  [[nodiscard]] result<void> finish();

 private:
  result<void> flush();
  void print(const std::string& item);

  session& s_;
  client& server_;
  bool bare_;
  std::size_t printed_ = 0;
  bool hides_values_ = false;  ///< The user does not see everything of others' jobs.
  std::vector<argosy::v1::JobSummary> waiting_;
};

/// Prints the details of jobs that are named by their ids.
[[nodiscard]] result<void> print_details_of(session& s, client& server,
                                            const std::vector<job_reference>& ids,
                                            bool bare = false);

}  // namespace argosy::ctl
