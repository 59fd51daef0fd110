// SPDX-License-Identifier: Apache-2.0
// The flags by which queue create and queue update set up a queue.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
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
  [[nodiscard]] result<void> apply_labels(api::Queue& queue) const;
  [[nodiscard]] result<void> apply_limits(api::Queue& queue) const;
  void apply_owners(api::Queue& queue) const;

  double factor_ = 1;
  bool cordon_ = false;
  std::vector<std::string> labels_;
  std::vector<std::string> owners_;
  std::vector<std::string> group_owners_;
  std::vector<std::string> retry_policies_;
  std::vector<std::string> limits_;
  CLI::Option* factor_option_ = nullptr;
  CLI::Option* cordon_option_ = nullptr;
  CLI::Option* labels_option_ = nullptr;
  CLI::Option* owners_option_ = nullptr;
  CLI::Option* groups_option_ = nullptr;
  CLI::Option* policies_option_ = nullptr;
  CLI::Option* limits_option_ = nullptr;
};

/// Moves the owners, whom the server shows as a permission with every verb, back to the fields in
/// which they are set.
void gather_owners(api::Queue& queue);

/// Prints "queue/a created", or the name with -o name.
void print_queue_done(session& s, const std::string& name, std::string_view what);

}  // namespace argosy::ctl
