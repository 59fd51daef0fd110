// SPDX-License-Identifier: Apache-2.0
// Copies what the command writes into the run's folder, as runtime/backends/run/output.hpp says.
// There is room for half of the limit at the beginning of the output; the other half has its end,
// whose oldest parts give way to later output. What the disk has no room for is dropped, and what
// comes when there is room again is kept. The command never waits. Where stdout and stderr take
// turns is noted beside the output as long as there is room for it.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>

#include "runtime/backends/run/file.hpp"
#include "runtime/backends/run/output.hpp"
#include "runtime/backends/run/turns.hpp"

namespace argosy::shim {

class output_file {
 public:
  /// `folder` has to name the run's folder also after that was renamed, since parts are opened as
  /// the output grows. `size_max`: how many bytes all parts may have together.
  output_file(std::filesystem::path folder, std::int64_t size_max);

  /// Takes one piece from the pipe. Returns false once the pipe has ended.
  bool pump(int pipe, model::output_stream of);
  /// Takes all that is in the pipe now.
  void drain(int pipe, model::output_stream of);

  /// How many bytes the command has written.
  [[nodiscard]] std::int64_t written() const noexcept {
    return static_cast<std::int64_t>(written_);
  }
  /// Says what was lost, for the user; empty if nothing was.
  [[nodiscard]] std::string note() const;

 private:
  void store(const char* data, std::size_t size, model::output_stream of);
  void note_turn(model::output_stream to);
  bool open_part();
  void make_room(std::uint64_t size);
  void close_part();

  std::filesystem::path folder_;
  std::uint64_t size_max_;
  std::uint64_t head_max_;
  std::uint64_t part_max_;  ///< The size of each part behind the head.
  backends::unique_fd file_;
  std::uint64_t room_ = 0;          ///< How much the open part still takes.
  backends::turn_book turns_;       ///< It holds the turns of the open part.
  backends::unique_fd turns_file_;  ///< It is made with the first turn.
  std::uint64_t part_start_ = 0;
  std::uint64_t written_ = 0;
  std::deque<backends::output_part> tail_;  ///< The parts behind the head that are closed.
  std::uint64_t given_way_ = 0;             ///< How many bytes gave way to later ones.
  std::uint64_t refused_ = 0;               ///< How many bytes the disk did not take.
  std::string failure_;
};

}  // namespace argosy::shim
