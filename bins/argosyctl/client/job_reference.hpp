// SPDX-License-Identifier: Apache-2.0
// How a user names jobs: by full ids, unambiguous beginnings of ids, "job/<id>", "-" (ids from
// stdin) and "@last" (the last submission).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::ctl {

/// A job's id or the beginning of one, in 27 bytes and without a heap, since a command may name a
/// million.
class job_reference {
 public:
  static constexpr std::size_t id_size = 26;

  job_reference() = default;
  /// An id as the server gives it. A text that is longer than an id is cut.
  [[nodiscard]] static job_reference of_id(std::string_view id) noexcept;
  /// Reads a word of the user, in any case and with or without "job/". ec::invalid_argument if it
  /// is neither an id nor the beginning of one.
  [[nodiscard]] static result<job_reference> parse(std::string_view word);

  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), size_}; }
  [[nodiscard]] std::string str() const { return std::string{text()}; }
  [[nodiscard]] bool is_whole() const noexcept { return size_ == id_size; }

  friend bool operator==(const job_reference& a, const job_reference& b) noexcept {
    return a.text() == b.text();
  }
  template <class Hash>
  friend Hash AbslHashValue(Hash hash, const job_reference& of) {
    return Hash::combine(std::move(hash), of.text());
  }

 private:
  std::array<char, id_size> text_{};
  std::uint8_t size_ = 0;
};

/// Whether the text has only letters of ids, 26 at most.
[[nodiscard]] bool is_job_id_prefix(std::string_view text);

/// Whether a word can only mean a job: "@last", "-", "job/…", or a word like the beginning of an
/// id, which starts with 0 until the year 4199.
[[nodiscard]] bool names_a_job(std::string_view word);

/// Gives the job ids of the last submission, one a line.
using last_jobs_function = std::function<result<std::string>()>;

/// The references in the order given, each once; `last` is called for @last alone.
/// ec::invalid_argument for a word that is no id, and the error of `last`.
[[nodiscard]] result<std::vector<job_reference>> expand_references(
    const std::vector<std::string>& words, const last_jobs_function& last, std::istream& in);

}  // namespace argosy::ctl
