// SPDX-License-Identifier: Apache-2.0
// The flags by which login and `config set-context` say how to log in. Secrets are read from files,
// from stdin or from the terminal, never from the command line, which every user can see.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bins/argosyctl/client/contexts.hpp"
#include "bins/argosyctl/verbs/command.hpp"

namespace argosy::ctl {

class context_flags {
 public:
  void add_options(CLI::App& app);
  /// Whether any of them was given.
  [[nodiscard]] bool given() const;
  /// Sets what the flags name; another kind of proof than before replaces that one. A password that
  /// no flag names is asked for. ec::invalid_argument for flags that exclude each other, and for
  /// files that cannot be read.
  [[nodiscard]] result<void> apply_to(context& one, session& s) const;

 private:
  [[nodiscard]] result<std::string> secret_of(const std::string& file, session& s) const;
  [[nodiscard]] result<void> apply_proof(context& one, session& s) const;
  void add_field(CLI::App& app, const char* flag, std::string context::*field, const char* help,
                 const char* type);

  std::string user_;
  std::string password_file_;
  std::string token_file_;
  std::string credentials_;
  bool no_login_ = false;
  /// A flag that sets one field of a context. Its value "" takes the field back.
  struct field_flag {
    CLI::Option* option;
    std::string context::*field;
    bool is_file;
  };
  std::vector<field_flag> fields_;
};

/// Checks the context, its address and that its files can be used.
[[nodiscard]] result<void> check_context(const context& one);

/// Makes the parts of `config` that deal with contexts.
void define_contexts(CLI::App& config, command_set& commands);

}  // namespace argosy::ctl
