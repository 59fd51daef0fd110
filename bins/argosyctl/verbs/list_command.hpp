// SPDX-License-Identifier: Apache-2.0
// This file declares what the kinds of `get` share: they show what there is, once, or with -w again
// and again. Bound below `describe`, the same kind shows each thing with all its columns, one on a
// line, and its details.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/listing.hpp"

namespace argosy::ctl {

class list_command : public command {
 public:
  explicit list_command(CLI::App& app) : list_command(app, goes_on::by_flag) {}
  std::vector<std::string> formats() const override {
    if (details_) return {"table", "json", "yaml", "name"};
    return {"table", "wide", "json", "jsonl", "yaml", "name", "csv", "cols="};
  }
  bool waits() const final { return watch_; }
  std::string_view timeout_help() const final {
    if (details_) return command::timeout_help();
    return "Longest time for a request, retries included; 30s if it is not given. With -w: end "
           "after this time, with exit code 124";
  }
  result<exit_code> run(session& s) override;
  /// Fetches what there is now, for another verb that shows it in its own way.
  [[nodiscard]] result<listing> look(session& s, client& server) { return fetch(s, server); }

 protected:
  /// Says whether the user asks by a flag to go on, or the kind decides that itself.
  enum class goes_on : std::uint8_t { by_flag, by_kind };
  list_command(CLI::App& app, goes_on how);
  /// Makes run() go on, as the flag does.
  void go_on() noexcept { watch_ = true; }

  /// Prints all there is without keeping it, if the kind can; returns whether it did. It is not
  /// called with -w.
  virtual result<bool> stream(session&, client&) { return false; }
  /// Fetches what there is now; it is not sorted yet.
  virtual result<listing> fetch(session& s, client& server) = 0;
  /// Prints the list, or with -w the rows that changed, in the format that was asked for.
  virtual result<void> print(session& s, client& server, const listing& items);
  [[nodiscard]] bool watching() const noexcept { return watch_; }
  /// Whether it is a kind of `describe`.
  [[nodiscard]] bool describes() const noexcept { return details_; }

 private:
  result<exit_code> follow(session& s, client& server);
  result<exit_code> describe(session& s, client& server);

  bool watch_ = false;
  bool details_ = false;  ///< It is a kind of `describe`, not of `get`.
};

}  // namespace argosy::ctl
