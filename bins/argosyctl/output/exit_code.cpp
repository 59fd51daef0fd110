// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/output/exit_code.hpp"

namespace argosy::ctl {

exit_code exit_code_of(const error& err) {
  switch (err.code) {
    case ec::none:
      return exit_code::success;
    case ec::invalid_argument:
    case ec::too_large:
      return exit_code::usage;
    case ec::not_found:
      return exit_code::not_found;
    case ec::denied:
      return err.detail.find("could not find queue") == std::string::npos ? exit_code::denied
                                                                          : exit_code::not_found;
    case ec::unreachable:
    case ec::no_responders:
    case ec::timeout:
    case ec::unavailable:
      return exit_code::unreachable;
    case ec::already_exists:
    case ec::conflict:
      return exit_code::conflict;
    case ec::overloaded:
    case ec::out_of_space:
    case ec::corrupt:
    case ec::fenced:
    case ec::cancelled:
    case ec::internal:
      break;
  }
  return exit_code::server_error;
}

exit_code exit_code_of(api::JobState state) {
  switch (state) {
    case api::JobState::FAILED:
      return exit_code::job_failed;
    case api::JobState::CANCELLED:
      return exit_code::job_cancelled;
    case api::JobState::PREEMPTED:
      return exit_code::job_preempted;
    case api::JobState::REJECTED:
      return exit_code::job_rejected;
    default:
      return exit_code::success;
  }
}

std::string_view exit_code_help() {
  return "Exit codes:\n"
         "  0 success                        7 only a part of a bulk request was done\n"
         "  1 error on the server's side     8 some of the output is gone\n"
         "  2 wrong arguments or content    10 a waited job failed\n"
         "  3 not found                     11 a waited job was cancelled\n"
         "  4 not permitted                 12 a waited job was preempted\n"
         "  5 server unreachable            13 a waited job was rejected\n"
         "  6 exists already, or conflict  124 waiting timed out\n"
         "                                 130 interrupted\n"
         "                                 141 the reader of the output was gone\n";
}

}  // namespace argosy::ctl
