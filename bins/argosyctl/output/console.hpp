// SPDX-License-Identifier: Apache-2.0
// Where output goes. Results go to stdout; errors, hints and progress go to stderr, hints and
// progress only when that is a terminal. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "bins/argosyctl/output/exit_code.hpp"

namespace argosy::ctl {

/// What a piece of text means; colours follow from it.
enum class look : std::uint8_t { plain, good, bad, warning, faint, strong };

struct terminal {
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colours = false;
  std::size_t width = 0;   ///< Columns; 0 when output must not be cut.
  std::size_t height = 0;  ///< Lines; 0 when unknown.
};

[[nodiscard]] std::string painted(std::string_view text, look as, bool colours);

class console {
 public:
  console(std::ostream& out, std::ostream& err, const terminal& where)
      : out_(out), err_(err), terminal_(where) {}

  [[nodiscard]] const terminal& where() const noexcept { return terminal_; }
  [[nodiscard]] terminal& where() noexcept { return terminal_; }

  /// Exactly this, to stdout.
  void print(std::string_view text);
  void print_line(std::string_view text);
  void flush() { out_.flush(); }
  /// False once stdout has refused something (disk full).
  [[nodiscard]] bool good() const { return out_.good(); }

  /// "error: …" to stderr, made harmless.
  void error_line(std::string_view text);
  /// A fact that is not a result ("3 jobs were over already"), to stderr.
  void notice(std::string_view text);
  /// Advice, to stderr, only on a terminal.
  void hint(std::string_view text);
  /// Replaces the line that shows progress; empty removes it. Only on a terminal.
  void status(std::string_view text);

  /// Replaces on stdout, which must be a terminal, what the last call drew. Lines that the terminal
  /// has no room for are left out, and counted.
  void redraw(const std::string& lines);

  [[nodiscard]] std::string paint(std::string_view text, look as) const {
    return painted(text, as, terminal_.colours);
  }

 private:
  void clear_status();

  std::ostream& out_;
  std::ostream& err_;
  terminal terminal_;
  std::string status_;
  std::string drawn_;
  std::size_t drawn_lines_ = 0;  ///< Of the terminal, on which long lines take several.
};

/// Prints the error and says how it leaves the program.
exit_code report(console& to, const error& err);

}  // namespace argosy::ctl
