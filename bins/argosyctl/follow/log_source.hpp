// SPDX-License-Identifier: Apache-2.0
// How far the output of one container of a job was read.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "bins/argosyctl/client/job_reference.hpp"
#include "runtime/model/log_turns.hpp"

namespace argosy::ctl {

struct output_line {
  model::output_stream of = model::output_stream::out;
  std::string text{};
};

/// The output of one job as it is read.
struct source {
  job_reference job;
  bool has_run = false;
  std::uint32_t run = 0;  ///< The number of the run; 0: the last one.
  std::uint64_t offset = 0;
  std::string mark{};       ///< The server gave it with the offset.
  std::string position{};   ///< The agent gave it with the offset.
  std::string container{};  ///< Empty: the first one.
  bool ended = false;
  bool gaps = false;          ///< Some of it is gone, which was said.
  std::uint64_t missing = 0;  ///< How many bytes of it were not kept.
  bool silent = false;        ///< Its cluster is not heard, as listed.
  std::optional<std::chrono::steady_clock::time_point> away_since{};
  std::array<std::string, 2> begun{};  ///< The line of each stream that has not ended yet.
  std::deque<output_line> tail{};

  /// Whether some of what was asked for is gone.
  [[nodiscard]] bool lacks_some() const { return gaps || missing > 0; }
  /// Its name before each line.
  [[nodiscard]] std::string name() const {
    return std::string{job.text()} + (container.empty() ? "" : "/" + container);
  }
};

}  // namespace argosy::ctl
