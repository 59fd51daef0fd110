// SPDX-License-Identifier: Apache-2.0
// Sends the requests of a submission. The first one goes alone, since it meets most refusals; then
// several are under way at a time, in their order.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bins/argosyctl/client/client.hpp"

namespace argosy::ctl {

struct submit_request {
  std::string bytes;  ///< An encoded api.JobSubmitRequest.
  std::size_t jobs = 0;
  /// The idempotency key, by which the server knows the request when it is sent again.
  std::string key{};
};

/// A key of a submission may be so long.
inline constexpr std::size_t submission_key_bytes_max = 100;

/// Returns the headers under which the request is sent.
[[nodiscard]] header_list headers_of(const submit_request& request);

/// Gives the requests their keys, which follow from that of the submission, or none if it has none.
/// A repetition of it has to be divided into the same requests; one that is not is refused as a
/// conflict.
void give_keys(std::span<submit_request> requests, std::string_view key);

struct submission_events {
  /// Called on the calling thread, in the order of the requests, with one id for each job.
  std::function<void(std::size_t request, std::vector<std::string> ids)> on_accepted;
  /// Called with what the server notes beside an answer, before on_accepted; may be empty.
  std::function<void(const std::string& note)> on_note;
  /// This is asked every so often; true ends the submission. Answers that are under way are awaited
  /// for 400 ms more.
  std::function<bool()> stop;
};

/// What the server notes beside an answer to a submission; empty if nothing.
[[nodiscard]] std::string note_of(const reply& answer);

struct submission_error {
  error why;
  std::size_t request = 0;  ///< The request that was refused, or the first one without an answer.
  bool unknown = false;     ///< Whether that request was accepted is not known.
  /// The user stopped the submission, and none of the answers until then was a refusal.
  bool stopped = false;
  std::size_t first_unanswered = 0;
  /// How many requests from there on had no answer when the user stopped; 0 if all were answered.
  std::size_t unanswered = 0;
};

/// Returns nothing when all was accepted. Otherwise it returns the first refusal, even if the user
/// stopped the submission before that came. Nothing more is sent then; requests under way are
/// awaited and reported, too. A request without an answer is sent again within the time-out of
/// calls, perhaps behind later ones; all need keys.
[[nodiscard]] std::optional<submission_error> submit_all(client& server,
                                                         std::span<const submit_request> requests,
                                                         const submission_events& events);

}  // namespace argosy::ctl
