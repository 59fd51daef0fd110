// SPDX-License-Identifier: Apache-2.0
// The files of one submission: they are read and checked and divided into requests, and the refusal
// of a request is explained by the file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bins/argosyctl/client/submission.hpp"
#include "bins/argosyctl/verbs/session.hpp"
#include "messages/submit_file/job_file.hpp"

namespace argosy::ctl {

struct named_file {
  std::string name;  ///< The name of the file; "stdin" if it was read from there.
  submit_file::job_file content;
  /// The text as it was read, which shows where a refused job stands; may be empty.
  std::string text;
};

/// Reads and checks all files; "-" is stdin. Mistakes and remarks of every file are printed, a line
/// each. False when there was a mistake.
[[nodiscard]] bool read_job_files(session& s, const std::vector<std::string>& names,
                                  const submit_file::job_file_options& options,
                                  std::vector<named_file>& files);

/// The file and the jobs that a request is made from.
struct request_origin {
  const named_file* file = nullptr;
  std::vector<std::size_t> jobs;
};

struct divided_files {
  std::vector<submit_request> requests;
  std::vector<request_origin> origins;  ///< One for each request.
  std::size_t jobs = 0;
};

/// Divides the files into requests of at most this many bytes, in their order, whose keys follow
/// from that of the submission. The files must outlive the requests.
[[nodiscard]] result<divided_files> divide_files(const std::vector<named_file>& files,
                                                 std::size_t bytes_max, std::string_view key = {});

/// Checks what was given as --idempotency-key.
[[nodiscard]] result<void> check_key(const std::string& key);

/// The server's message with the place and the names of the file instead of those of the request.
[[nodiscard]] std::string placed(const error& why, const request_origin& origin);

/// Says how many jobs were accepted ("7 of 9 jobs were accepted"), and how many more perhaps were,
/// because the user did not wait for it.
[[nodiscard]] std::string how_far(std::size_t accepted, const submission_error& failed,
                                  std::span<const request_origin> origins);

}  // namespace argosy::ctl
