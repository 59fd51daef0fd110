// SPDX-License-Identifier: Apache-2.0
// Decides where output goes. Results go to stdout; errors, hints and progress go to stderr, hints
// and progress only when that is a terminal. One thread uses it at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "bins/argosyctl/output/exit_code.hpp"
#include "runtime/model/log_turns.hpp"

namespace argosy::ctl {

/// What a piece of text means; colours follow from it.
enum class look : std::uint8_t { plain, good, bad, warning, faint, strong };

struct terminal {
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colours = false;
  std::size_t width = 0;   ///< Columns; 0 when output must not be cut.
  std::size_t height = 0;  ///< Lines; 0 when unknown.
  bool in_is_terminal = false;
  bool in_has_data = false;  ///< A file or a pipe that has something was given as stdin.
};

[[nodiscard]] std::string painted(std::string_view text, look as, bool colours);

class console {
 public:
  console(std::ostream& out, std::ostream& err, const terminal& where)
      : out_(out), err_(err), terminal_(where) {}

  [[nodiscard]] const terminal& where() const noexcept { return terminal_; }
  [[nodiscard]] terminal& where() noexcept { return terminal_; }

  /// Prints exactly this text to stdout.
  void print(std::string_view text);
  void print_line(std::string_view text);
  /// Prints what a job wrote to the stream to which it wrote it, in the order of the calls: escaped
  /// on a terminal, otherwise exactly this text. The prefix is faint where there are colours.
  void print_output(model::output_stream of, std::string_view text, std::string_view prefix = {});
  void flush();
  /// False once stdout has refused a write (disk full, closed).
  [[nodiscard]] bool good() const { return out_.good(); }
  /// Says why stdout refused a write, as "No space left on device"; empty if it is not known.
  [[nodiscard]] const std::string& why_not_good() const noexcept { return why_; }

  /// Prints "error: …" to stderr, with control characters escaped.
  void error_line(std::string_view text);
  /// Prints a fact that is not a result ("3 jobs were over already") to stderr.
  void notice(std::string_view text);
  /// Prints advice to stderr, only on a terminal.
  void hint(std::string_view text);
  /// Replaces the line that shows progress; an empty text removes it. It is shown only on a
  /// terminal.
  void status(std::string_view text);
  /// Says that something is waited for: as progress on a terminal, elsewhere once as a notice.
  void waiting(std::string_view text);

  /// Replaces on stdout, which must be a terminal, what the last call drew. Lines for which the
  /// terminal has no room are left out and counted.
  void redraw(const std::string& lines);

  [[nodiscard]] std::string paint(std::string_view text, look as) const {
    return painted(text, as, terminal_.colours);
  }

 private:
  void clear_status();
  void note_failure();

  std::ostream& out_;
  std::ostream& err_;
  terminal terminal_;
  bool failed_ = false;
  std::string why_;
  bool said_that_it_waits_ = false;
  std::string status_;
  std::string drawn_;
  /// How many lines of the terminal were drawn; a long line takes several.
  std::size_t drawn_lines_ = 0;
};

/// Prints the error and returns the exit code that it stands for.
exit_code report(console& to, const error& err);

}  // namespace argosy::ctl
