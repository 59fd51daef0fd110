// SPDX-License-Identifier: Apache-2.0
// This file declares the verdict about a system that ran under faults: what was promised to
// callers, beside what the log says and what the jobs themselves have written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bins/simulator/witness/log_story.hpp"
#include "bins/simulator/witness/traces.hpp"

namespace argosy::witness {

/// The end that the command of a job comes to when nobody disturbs it.
enum class ending : std::uint8_t { any, succeeds, fails };

/// A job that a caller was told to be accepted. The same job may be told several times.
struct acknowledged {
  std::string key;       ///< The key of the submission.
  std::size_t item = 0;  ///< The place of the job in the submission.
  std::string job;
  ending expected = ending::any;
};

struct rules {
  bool all_over = true;           ///< Every acknowledged job has to have ended.
  std::uint32_t lost_max = 0;     ///< A job may fail when so many of its runs were lost; 0: never.
  bool knows_cancels = false;     ///< Nobody has cancelled a job that would have succeeded.
  std::size_t findings_max = 50;  ///< How many findings are told in words; all are counted.
};

struct verdict {
  std::size_t acknowledged = 0;   ///< How many different jobs.
  std::size_t lost = 0;           ///< D1: how many of them the log does not have.
  std::size_t doubled = 0;        ///< D2: how many were accepted twice.
  std::size_t overlaps = 0;       ///< D3: pairs of processes of one job that lived at once.
  std::size_t one_terminal = 0;   ///< D4: how many acknowledged jobs have exactly one end.
  std::size_t not_over = 0;       ///< How many have none.
  std::size_t ends_broken = 0;    ///< D4: how many have several, or go on after it.
  std::size_t capacity = 0;       ///< D5: how often a node held more than it has.
  std::size_t gangs = 0;          ///< D6: gangs that began in part.
  std::size_t unjust = 0;         ///< Jobs that failed though their command would have succeeded.
  std::size_t unwitnessed = 0;    ///< Jobs that succeeded without having come to their end.
  std::size_t runs = 0;           ///< Leases in the log.
  std::size_t processes = 0;      ///< Processes that left a trace.
  std::size_t begun_again = 0;    ///< Jobs of which several processes left a trace.
  std::vector<finding> findings;  ///< In words, up to rules::findings_max.

  [[nodiscard]] bool good() const;
};

[[nodiscard]] verdict judge(const log_story& log, const traces& seen,
                            const std::vector<acknowledged>& told, const rules& by = {});

/// The verdict as a table for people.
[[nodiscard]] std::string to_text(const verdict& of);

/// Lines "KEY ITEM JOB ENDING", where ENDING is any, succeeds or fails.
[[nodiscard]] std::string print_acknowledged(const std::vector<acknowledged>& all);
[[nodiscard]] std::vector<acknowledged> parse_acknowledged(std::string_view text);

}  // namespace argosy::witness
