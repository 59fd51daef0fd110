// SPDX-License-Identifier: Apache-2.0
// Hands calls over REST to the bus, and writes what comes back. The answer to a change, and one
// that is made from the log alone, tells in the header Argosy-Position which position of the log it
// has at least. A caller who says in it which one his answer has to have may get an answer that
// another has been given a moment before.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/bus/connection.hpp"
#include "runtime/rest/few_at_once.hpp"
#include "runtime/rest/pages.hpp"
#include "runtime/rest/shared_answers.hpp"

namespace httplib {
struct Request;
struct Response;
}  // namespace httplib

namespace argosy::rest {

inline constexpr const char* position_header = "Argosy-Position";

/// A call over REST, and who makes it.
struct asked_call {
  const plan& planned;
  const std::string& bytes;
  const bus::headers& who;   ///< These headers say who the caller is, and nothing else.
  const bus::headers& with;  ///< All headers of the request.
};

class calls {
 public:
  calls(std::shared_ptr<bus::connection> api, std::chrono::milliseconds answer_within,
        std::function<std::optional<std::uint64_t>()> position);

  void serve(const asked_call& of, const httplib::Request& from, httplib::Response& to);
  /// Gives up what is asked.
  void stop() noexcept { stopped_ = true; }

 private:
  shared_answers::outcome ask(const asked_call& of, std::chrono::milliseconds within, bool pack);

  const std::shared_ptr<bus::connection> api_;
  const std::chrono::milliseconds answer_within_;
  const std::function<std::optional<std::uint64_t>()> position_;
  std::atomic<bool> stopped_{false};
  few_at_once writing_;
  shared_answers shared_{{}};
};

}  // namespace argosy::rest
