// SPDX-License-Identifier: Apache-2.0
// Which of the open streams are told the position of the log next. It knows neither sockets nor
// clocks. All streams are told of the same few positions, a second apart, so that what their
// readers load then can be shared; and a few streams at a time, so that not all load at once.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace argosy::rest {

class position_turns {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using milliseconds = std::chrono::milliseconds;

  struct pace {
    milliseconds period{2'000};   ///< A stream is told of a position no more often.
    milliseconds beat{15'000};    ///< A stream is silent no longer.
    milliseconds lasts{300'000};  ///< Then a stream ends, and its reader shows anew who he is.
    /// While the position moves all the time, one stream on average is told in this time, however
    /// many there are: each reader may load a list then.
    milliseconds apart{20};
  };

  enum class word : std::uint8_t { position, beat, end };
  struct turn {
    int stream = 0;
    word what = word::position;
    std::uint64_t known = 0;  ///< The position that the stream was told of before.
  };

  explicit position_turns(pace of) : pace_(of) {}

  /// Adds the stream of this number, which has been told of `known`.
  void add(int id, std::uint64_t known, time_point now);
  void remove(int id) { streams_.erase(id); }

  /// Says what is to be written now, when the log is at `position`. A stream that ends is removed.
  /// It is meant to be called about ten times a second.
  [[nodiscard]] std::vector<turn> look(std::uint64_t position, time_point now);

  /// The position that streams are told of.
  [[nodiscard]] std::uint64_t announced() const noexcept { return announced_; }
  [[nodiscard]] std::size_t size() const noexcept { return streams_.size(); }

 private:
  struct stream {
    std::uint64_t known = 0;
    time_point told;   ///< When it was told of a position.
    time_point spoke;  ///< When it was told anything.
    time_point ends;
  };

  [[nodiscard]] milliseconds period() const {
    return std::max(pace_.period, pace_.apart * static_cast<std::int64_t>(streams_.size()));
  }

  const pace pace_;
  std::map<int, stream> streams_;
  int last_ = -1;  ///< The stream that had the last turn; those behind it come next.
  std::uint64_t announced_ = 0;
  time_point announced_at_{};
};

}  // namespace argosy::rest
