// SPDX-License-Identifier: Apache-2.0
#include "actors/caf_error.hpp"

#include <caf/deep_to_string.hpp>
#include <caf/sec.hpp>

namespace argosy::actors {

caf::error to_caf(const error& err) {
  return caf::make_error(err.code, err.detail);
}

error from_caf(const caf::error& err) {
  if (err.category() == caf::atom("argosy")) {
    error out{static_cast<ec>(err.code()), {}};
    if (err.context().match_elements<std::string>())
      out.detail = err.context().get_as<std::string>(0);
    return out;
  }
  if (err == caf::sec::request_timeout)
    return {ec::timeout, "the server did not answer in time; whether it took effect is unknown"};
  if (err == caf::sec::request_receiver_down || err == caf::sec::cannot_open_port)
    return {ec::unavailable, "a part of the server is starting or stopping; try again"};
  return {ec::internal, "internal failure: " + caf::to_string(err)};
}

}  // namespace argosy::actors
