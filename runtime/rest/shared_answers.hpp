// SPDX-License-Identifier: Apache-2.0
// Answers that callers share who ask the same at nearly the same time. A caller says which position
// of the log his answer has to have at least; one that was begun before the log was there is not
// for him, so that nobody sees less than he has been told of.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "runtime/base/result.hpp"
#include "runtime/bus/headers.hpp"

namespace argosy::rest {

/// An answer of the API as it is written.
struct written_answer {
  std::shared_ptr<const std::string> text;
  std::shared_ptr<const std::string> packed;  ///< The same by gzip; null: it was not packed.
  bus::headers beside;                        ///< What the API says beside it.
};

class shared_answers {
 public:
  using clock = std::chrono::steady_clock;
  using outcome = result<std::shared_ptr<const written_answer>>;

  struct bounds {
    std::chrono::milliseconds lasts{1'000};  ///< So long after it was begun an answer is shared.
    std::size_t answers_max = 256;
    std::size_t bytes_max = std::size_t{16} << 20;
  };
  struct positions {
    std::uint64_t now = 0;       ///< Where the log is.
    std::uint64_t at_least = 0;  ///< Where it has to have been when the answer was begun.
  };
  struct shared {
    outcome answer;
    std::uint64_t position = 0;  ///< Where the log was when the answer was begun.
  };

  explicit shared_answers(
      bounds most, std::function<clock::time_point()> now = [] { return clock::now(); });

  /// The answer to what `key` names: one that is there or being made, or else that of `make`, which
  /// others get too who ask before it is there. An error is shared by who waits for it, and by
  /// nobody later; ec::cancelled, since whoever asked has gone, by nobody at all.
  [[nodiscard]] shared get(const std::string& key, positions where,
                           const std::function<outcome()>& make);

  [[nodiscard]] std::size_t bytes() const;

 private:
  struct entry {
    std::uint64_t number = 0;
    std::uint64_t position = 0;
    clock::time_point begun;
    std::shared_future<outcome> answer;
    std::size_t bytes = 0;
  };
  using entries = std::unordered_map<std::string, entry>;

  entry begin(const std::string& key, std::uint64_t position, std::shared_future<outcome> answer);
  void end(const std::string& key, std::uint64_t number, const outcome& made);
  void erase(entries::iterator at);
  void make_room();

  const bounds most_;
  const std::function<clock::time_point()> now_;
  mutable std::mutex guard_;  ///< Guards what follows.
  entries entries_;
  std::size_t bytes_ = 0;
  std::uint64_t numbers_ = 0;
};

}  // namespace argosy::rest
