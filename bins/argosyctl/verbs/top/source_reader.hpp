// SPDX-License-Identifier: Apache-2.0
// Reads what a screen of `top` shows, by running the verb that it names with output of its own.
#pragma once

#include <atomic>
#include <memory>
#include <sstream>

#include "bins/argosyctl/output/console.hpp"
#include "bins/argosyctl/verbs/session.hpp"
#include "bins/argosyctl/verbs/top/screen_content.hpp"
#include "bins/argosyctl/verbs/top/screen_source.hpp"

namespace argosy::ctl {

class source_reader {
 public:
  /// Uses the environment and the server of `of`, which must be connected, from one thread. When
  /// `stop` becomes true, a call that waits for the server gives up soon.
  source_reader(const session& of, const std::atomic<bool>& stop);
  ~source_reader();

  [[nodiscard]] screen_content read(const screen_source& source);

 private:
  struct parsed_list;
  [[nodiscard]] result<void> read_list(const screen_source& source, screen_content& into);
  [[nodiscard]] result<void> read_text(const screen_source& source, screen_content& into);

  std::ostringstream out_;
  std::ostringstream err_;
  console console_;
  session session_;
  std::unique_ptr<parsed_list> parsed_;  ///< The list that was read last.
};

}  // namespace argosy::ctl
