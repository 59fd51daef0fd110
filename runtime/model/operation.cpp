// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/operation.hpp"

#include <array>

namespace argosy::model {

namespace {

constexpr std::array<std::string_view, 6> kind_names{"drain",        "cancel", "preempt",
                                                     "reprioritize", "hold",   "release"};
constexpr std::array<std::string_view, 4> operation_state_names{"running", "done", "stopped",
                                                                "failed"};

}  // namespace

std::string_view to_string(operation_kind kind) noexcept {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(operation_state state) noexcept {
  return operation_state_names[static_cast<std::size_t>(state)];
}

}  // namespace argosy::model
