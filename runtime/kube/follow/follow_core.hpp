// SPDX-License-Identifier: Apache-2.0
// Decides how one collection is followed: what to ask the API server next, and what to tell the
// follower, given what was read. It lists in pages, watches from the list's version on, resumes a
// watch from the last version that it saw, and lists anew where changes may have been missed. Pure:
// it knows no connection, and times reach it as arguments.
#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/base/random.hpp"
#include "runtime/base/result.hpp"
#include "runtime/kube/api.hpp"
#include "runtime/kube/backoff.hpp"
#include "runtime/kube/follow/watch_event.hpp"

namespace argosy::kube {

class line_splitter {
 public:
  explicit line_splitter(std::size_t line_bytes_max) : most_(line_bytes_max) {}

  /// Calls `take(line)` for each line that is complete now, until it returns false; the rest is
  /// forgotten then. False if a line is longer than allowed.
  template <class Take>
  [[nodiscard]] bool feed(std::string_view piece, Take take) {
    while (true) {
      const auto end = piece.find('\n');
      const auto some = piece.substr(0, end);
      if (held_.size() + some.size() > most_) return false;
      if (end == std::string_view::npos) {
        held_.append(some);
        return true;
      }
      piece.remove_prefix(end + 1);
      bool more = true;
      if (held_.empty()) {
        more = take(some);
      } else {
        held_.append(some);
        more = take(std::string_view{held_});
        held_.clear();
      }
      if (!more) return true;
    }
  }

  void clear() { held_.clear(); }

 private:
  std::size_t most_;
  std::string held_;
};

struct follow_rules {
  std::uint32_t page_objects = 500;
  std::size_t objects_max = 500'000;
  std::size_t line_bytes_max = std::size_t{8} << 20;
  /// For how long the server is asked to hold a watch; up to half of it is added at random, so that
  /// the watches of many agents do not end at once.
  std::chrono::seconds watch_for = std::chrono::minutes{5};
  /// A watch that brought nothing and ended sooner counts as a failure.
  std::chrono::milliseconds watch_min{1'000};
  backoff_rules waits{};
  /// The longest wait after a request that got no answer at all: it costs the server nothing.
  std::chrono::milliseconds away_most{5'000};
};

/// What to ask next.
struct follow_step {
  enum class kind : std::uint8_t { list, watch };
  kind what = kind::list;
  std::string path;
  std::chrono::milliseconds after{0};
};

struct told_list {
  std::vector<nlohmann::json> objects;
};
struct told_change {
  change how;
  nlohmann::json object;
};
struct told_resumption {};
/// The follower is told of a list, of a change, why there is an interruption, or that it may be
/// over.
using notice = std::variant<told_list, told_change, told_resumption, error>;

struct follow_effects {
  std::vector<notice> tell{};
  /// For the lines of a watch this says that it is to be ended, by its absence that it goes on.
  std::optional<follow_step> next{};
  /// The status with which a watch that was open says that it failed.
  std::optional<int> failed{};
};

/// How a request ended without an answer of status 200, or a watch of status 200 at all.
struct follow_end {
  int status = 0;  ///< 0 if there was none.
  std::string body{};
  std::optional<std::chrono::milliseconds> retry_after{};
  /// Why there is no answer; nothing if there is one, or if the watch ended as it should.
  std::optional<error> why{};
  /// How long a watch was open.
  std::chrono::milliseconds lasted{0};

  /// Whether nobody answered.
  [[nodiscard]] bool is_away() const {
    return status == 0 && why && (why->code == ec::unreachable || why->code == ec::timeout);
  }
};

class follow_core {
 public:
  /// `random` must outlive it. `collection` may have a query.
  follow_core(std::string collection, const follow_rules& rules, random_source& random);

  /// The first step.
  [[nodiscard]] follow_step begin();

  /// A page of the list was read with status 200.
  [[nodiscard]] follow_effects page(std::string_view body);
  [[nodiscard]] follow_effects list_failed(const follow_end& end);
  /// Nothing that was read counts any more, whatever is under way; `why` is told.
  [[nodiscard]] follow_effects begin_anew(error why);

  /// A watch was answered with status 200, of which there may be nothing to read for long.
  [[nodiscard]] follow_effects watch_opened();
  /// Some bytes of a watch with status 200. With a next step the watch is to be ended, and
  /// watch_ended() is not called for it.
  [[nodiscard]] follow_effects watched(std::string_view bytes);
  [[nodiscard]] follow_effects watch_ended(const follow_end& end);

 private:
  [[nodiscard]] follow_step list_step(std::chrono::milliseconds after);
  [[nodiscard]] follow_step watch_step(std::chrono::milliseconds after);
  [[nodiscard]] follow_step list_anew(std::chrono::milliseconds after);
  [[nodiscard]] std::chrono::milliseconds wait(unsigned& failures,
                                               const follow_end& after = {}) const;
  [[nodiscard]] std::string path(const std::string& query) const;
  [[nodiscard]] bool take_line(std::string_view line, follow_effects& into);
  [[nodiscard]] follow_effects lines_are_wrong(follow_effects so_far, const std::string& why);
  [[nodiscard]] follow_effects list_is_wrong(error why);
  void interrupt(follow_effects& into, error why);
  void resume(follow_effects& into);
  void all_is_well();

  std::string collection_;
  follow_rules rules_;
  random_source& random_;

  std::vector<nlohmann::json> objects_;  ///< The pages so far.
  std::string continue_from_;
  std::string version_;
  line_splitter lines_;
  bool heard_ = false;  ///< Whether the present watch brought an event.
  unsigned list_failures_ = 0;
  unsigned watch_failures_ = 0;
  bool interrupted_ = false;  ///< The follower knows of it.
  bool resumed_ = true;       ///< It was told so since the last interruption.
};

}  // namespace argosy::kube
