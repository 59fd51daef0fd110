// SPDX-License-Identifier: Apache-2.0
// Sends the requests of a submission: the first alone, since it meets most refusals, then several
// at a time in their order.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bins/argosyctl/client/client.hpp"

namespace argosy::ctl {

struct submit_request {
  std::string bytes;  ///< An encoded api.JobSubmitRequest.
  std::size_t jobs = 0;
};

struct submission_events {
  /// On the calling thread, in the order of the requests; one id for each job.
  std::function<void(std::size_t request, std::vector<std::string> ids)> on_accepted;
  /// Asked every so often; true ends the submission. Answers that are under way are still waited
  /// for, for 400 ms.
  std::function<bool()> stop;
};

struct submission_error {
  error why;
  std::size_t request = 0;  ///< The one that was refused, or the first without an answer.
  /// The user stopped it, and nothing that was answered by then was refused.
  bool stopped = false;
  std::size_t first_unanswered = 0;
  std::size_t unanswered = 0;  ///< Sent from there on when the user stopped it; else all answered.
};

/// Nothing when all was accepted. Otherwise the first refusal, even if the user stopped it before
/// that came; then nothing more is sent; what was under way is waited for and reported, too. A
/// request that the server surely did not take is sent again within the time-out of calls, perhaps
/// behind later ones.
[[nodiscard]] std::optional<submission_error> submit_all(client& server,
                                                         std::span<const submit_request> requests,
                                                         repeatable again,
                                                         const submission_events& events);

}  // namespace argosy::ctl
