// SPDX-License-Identifier: Apache-2.0
// A plan says which fault happens when. It is a pure function of a seed, so that a run is repeated
// by its seed as far as the machine lets it.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::chaos {

enum class target : std::uint8_t { argosyd, nats_server, agent, shim };
enum class act : std::uint8_t { kill, stop };

inline constexpr std::array<std::string_view, 4> target_names{"argosyd", "nats-server", "agent",
                                                              "shim"};
inline constexpr std::array<std::string_view, 2> act_names{"kill -9", "SIGSTOP"};

struct fault {
  std::chrono::milliseconds at{};  ///< Since the beginning of the run.
  target what = target::argosyd;
  act how = act::kill;
  std::uint64_t which = 0;  ///< Picks one where there are several, by the rest of a division.
  /// How long the process stays away: until it is started again, or until SIGCONT.
  std::chrono::milliseconds away{};

  friend bool operator==(const fault&, const fault&) = default;
};

struct plan_rules {
  std::chrono::milliseconds length{};    ///< The faults begin within this time.
  std::chrono::milliseconds mean_gap{};  ///< From one fault to the next, on average.
  std::chrono::milliseconds stop_max{6'000};
  std::chrono::milliseconds down_max{2'000};
};

/// A source of numbers that is the same on every machine.
class seeded {
 public:
  explicit seeded(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// From 0 to limit - 1; the limit is above 0.
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }

 private:
  std::uint64_t state_;
};

/// Returns the faults in the order of their times. All targets come about equally often, and kills
/// twice as often as stops. Faults may overlap.
[[nodiscard]] std::vector<fault> make_plan(std::uint64_t seed, const plan_rules& rules);

/// One line for people.
[[nodiscard]] std::string to_text(const fault& one);

}  // namespace argosy::chaos
