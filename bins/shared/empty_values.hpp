// SPDX-License-Identifier: Apache-2.0
// An option that is given "", as a shell makes of a variable that is not set, is refused: taken for
// one that is absent, it would widen a selection or choose another server.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

namespace argosy {

/// The name of a check that refuses nothing, by which such options are told from others.
inline constexpr const char* may_be_empty = "may be empty";

/// Lets "" be a value of the option, where it means none. Returns the option.
inline CLI::Option* takes_empty(CLI::Option* option) {
  return option->check(
      CLI::Validator{[](const std::string&) { return std::string{}; }, "", may_be_empty});
}

/// Throws CLI::ValidationError if an option of the app, or of a command that was chosen, is empty.
inline void refuse_empty(CLI::App& app) {
  const auto takes = [](CLI::Option& option) {
    try {
      return option.get_validator(may_be_empty) != nullptr;
    } catch (const CLI::OptionNotFound&) {
      return false;
    }
  };
  for (auto* option : app.get_options()) {
    if (!std::ranges::any_of(option->results(), &std::string::empty) || takes(*option)) continue;
    throw CLI::ValidationError{
        option->get_positional()
            ? "an empty word is no " + option->get_type_name()
            : option->get_name() + " is empty; write a value behind it, or leave the flag out",
        CLI::ExitCodes::ValidationError};
  }
  for (auto* chosen : app.get_subcommands()) refuse_empty(*chosen);
}

}  // namespace argosy
