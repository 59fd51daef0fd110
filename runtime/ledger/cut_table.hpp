// SPDX-License-Identifier: Apache-2.0
// The cut_table says by which QUEUEs or NODEs, its sources, rounds may go. A source is asked for
// its changes, or given its part of a plan, and has a bounded time to answer. One that does not
// answer is silent: rounds leave it aside and the others go on, until what it then answers says all
// that it did. So no round goes by a source that did something of which the rounds do not know. The
// COORDINATOR owns it; it is not thread-safe. Times are CLOCK_BOOTTIME, given by the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/clock.hpp"

namespace argosy::ledger {

class cut_table {
 public:
  /// What the sources in `expected` do is not known before each of them has answered once, so that
  /// nobody goes without them: until then none is silent, and is_whole() is false.
  explicit cut_table(std::set<std::string> expected = {}) : expected_(std::move(expected)) {}

  /// The source has something to tell.
  void changed(const std::string& source);
  /// How many sources ask() would name.
  [[nodiscard]] std::size_t to_ask() const noexcept { return to_ask_; }
  /// Those who have something to tell and owe no answer; each of them owes one now.
  [[nodiscard]] std::vector<std::string> ask(boot_time now);
  /// The source owes the answer to its part of a plan. It must owe none.
  void given(const std::string& source, boot_time now);
  /// How many sources owe an answer for which the cycle waits.
  [[nodiscard]] std::size_t awaited() const noexcept { return awaited_; }

  /// The answer to a cut came. Returns whether the cycle waits for it. The source is silent no
  /// more.
  bool told(const std::string& source);
  /// The answer to a part came. Returns whether the cycle waits for it. A silent source stays so
  /// until it has told what it did.
  bool accepted(const std::string& source);
  /// The answer to a cut will not come. If the source lives, it is silent and will be asked again;
  /// otherwise it is forgotten. Returns whether the cycle waits for it.
  bool lost(const std::string& source, bool lives);
  /// The wait is over: all that owe an answer are silent now. Returns those who became so.
  std::vector<std::string> stop_waiting();

  [[nodiscard]] bool is_whole() const noexcept { return expected_.empty(); }
  /// Whether the source has something to tell or owes something.
  [[nodiscard]] bool knows(const std::string& source) const { return sources_.contains(source); }
  [[nodiscard]] bool is_silent(const std::string& source) const { return silent_.contains(source); }
  /// The silent sources, and since when each of them owes an answer.
  [[nodiscard]] const std::map<std::string, boot_time>& silent() const noexcept { return silent_; }

 private:
  enum class duty : std::uint8_t { none, cut, part };

  struct source_state {
    bool has_news = false;
    duty owes = duty::none;
    boot_time since{};  ///< It owes since then.

    [[nodiscard]] bool can_be_asked() const noexcept { return has_news && owes == duty::none; }
  };

  /// Changes the state of a source, and counts again whether it can be asked.
  template <class Change>
  void change(const std::string& source, Change how);
  bool answered(const std::string& source);

  std::map<std::string, source_state> sources_;
  std::map<std::string, boot_time> silent_;
  std::set<std::string> expected_;
  std::size_t to_ask_ = 0;
  std::size_t awaited_ = 0;
};

}  // namespace argosy::ledger
