// SPDX-License-Identifier: Apache-2.0
// The flags by which queue create and queue update set up a queue, and how describe shows them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bins/argosyctl/verbs/session.hpp"
#include "messages/proto/api/submit.pb.h"

namespace argosy::ctl {

class queue_settings_flags {
 public:
  void add_options(CLI::App& app);

  /// Whether one of the flags was given.
  [[nodiscard]] bool given() const;

  /// Changes the settings that flags name: --owners and --group-owners are the owners from then on,
  /// --labels adds and replaces, "key-" removes. ec::invalid_argument for a value that makes no
  /// sense.
  [[nodiscard]] result<void> apply_to(api::Queue& queue) const;

 private:
  struct flag {
    CLI::Option* option = nullptr;
    std::function<result<void>(api::Queue& queue)> apply;
  };

  /// Adds a flag for a value of the type that `apply` takes.
  template <class Value>
  CLI::Option* add(CLI::App& app, const char* name, const char* what,
                   std::function<result<void>(const Value&, api::Queue&)> apply);

  std::vector<flag> flags_;
};

/// The lines of describe for the settings that have no column.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> queue_details(api::Queue queue);

/// Moves the owners, whom the server shows as a permission with every verb, back to the fields in
/// which they are set.
void gather_owners(api::Queue& queue);

/// Prints "queue/a created", or the name with -o name.
void print_queue_done(session& s, const std::string& name, std::string_view what);

}  // namespace argosy::ctl
