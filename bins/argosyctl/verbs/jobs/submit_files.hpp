// SPDX-License-Identifier: Apache-2.0
// The files of one submission: read and checked, divided into requests, and what a refusal of one
// of these means in terms of the file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bins/argosyctl/client/submission.hpp"
#include "messages/submit_file/job_file.hpp"

namespace argosy::ctl {

struct named_file {
  std::string name;  ///< "stdin" for that.
  submit_file::job_file content;
  std::string text;  ///< As it was read, for the places of what the server refuses; may be empty.
};

/// Where the jobs of a request come from.
struct request_origin {
  const named_file* file = nullptr;
  std::vector<std::size_t> jobs;
};

struct divided_files {
  std::vector<submit_request> requests;
  std::vector<request_origin> origins;  ///< One for each request.
  std::size_t jobs = 0;
};

/// Requests of at most so many bytes, in the order of the files, which must outlive them.
[[nodiscard]] result<divided_files> divide_files(const std::vector<named_file>& files,
                                                 std::size_t bytes_max);

/// "Look with argosyctl get jobs …": where the jobs of a request would be.
[[nodiscard]] std::string where_to_look(const request_origin& origin);

/// The server's message with the place in the file instead of the one in the request.
[[nodiscard]] std::string placed(const error& why, const request_origin& origin);

/// "7 of 9 jobs were accepted", and what is not known because the user did not wait for it.
[[nodiscard]] std::string how_far(std::size_t accepted, const submission_error& failed,
                                  std::span<const request_origin> origins);

}  // namespace argosy::ctl
