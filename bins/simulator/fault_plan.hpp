// SPDX-License-Identifier: Apache-2.0
// A fault plan says which fault happens when. It is a pure function of a seed and a profile.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bins/simulator/machine.hpp"

namespace argosy::sim {

enum class profile : std::uint8_t {
  calm,       ///< No faults.
  network,    ///< Links are cut, or silent.
  power,      ///< Processes are killed, some at the worst moments, and the log loses its tail.
  clock,      ///< Machines are paused, and their clocks step.
  overload,   ///< Disks are slow, machines pause, and links are cut.
  roll_over,  ///< The control plane is restarted in order, agents are killed, and links are cut.
  everything,
};

inline constexpr std::array<std::string_view, 7> profile_names{
    "calm", "network", "power", "clock", "overload", "roll-over", "everything"};

enum class fault_kind : std::uint8_t {
  kill_plane,
  kill_agent,
  aim_at_plane,  ///< It is killed when it next comes to a crash point.
  aim_at_agent,
  lose_tail,  ///< The control plane is killed, and the log loses its newest records.
  cut_link,
  silence_link,  ///< It is half open first, and cut after a while.
  pause,
  step_clock,
  slow_disk,
  restart_plane,
  fail_disk,      ///< The store takes nothing, or cannot be read.
  refuse_append,  ///< The log takes nothing, has no leader, or keeps records without saying so.
  write_foreign,  ///< Others write to the log, or one of its records comes again.
  spoil_record,   ///< The control plane is killed, and one of the log's newest records is spoiled.
  deafen_link,    ///< The machine hears nothing.
  mute_link,      ///< Nobody hears the machine.
  repeat_requests,
  delay_link,
  lose_frames,
  reboot_agent,  ///< The machine boots, which ends all its runs.
  kill_shim,     ///< A run ends with what holds it.
  lose_disk,     ///< A control plane's machine is gone, and another one comes in its place.
};

inline constexpr std::array<std::string_view, 23> fault_names{
    "kill the control plane",
    "kill an agent",
    "kill the control plane at a crash point",
    "kill an agent at a crash point",
    "lose the log's tail",
    "cut a link",
    "silence a link",
    "pause a machine",
    "step a clock",
    "slow a disk",
    "restart the control plane",
    "let a store fail",
    "let the log refuse",
    "write foreign records",
    "spoil a record of the log",
    "deafen a link",
    "mute a link",
    "repeat requests",
    "delay a link",
    "lose frames of a slow machine",
    "boot the machine of an agent",
    "kill a shim",
    "lose the machine of a control plane"};

struct fault {
  std::chrono::nanoseconds at{};  ///< Since the beginning of the world.
  fault_kind kind{};
  std::uint64_t which = 0;   ///< Picks a machine where there are several.
  crash_point point{};       ///< For those that are aimed.
  std::uint64_t passes = 0;  ///< How often the process passes the point before.
  trouble what{};            ///< What is wrong with the store, the log or a record.
  /// How long it lasts: until the process is started again, or the link is whole. For a step of a
  /// clock, how far, which may be back.
  std::chrono::nanoseconds span{};
  /// How much: records that are lost, times that a disk is slower, milliseconds that a link is
  /// late, and for an aimed kill how many microseconds behind its point it falls.
  std::uint64_t amount = 0;

  friend bool operator==(const fault&, const fault&) = default;
};

/// The faults in the order of their times. In a profile with faults there is at least one a minute
/// on average; each plan leaves some kinds out (swarm testing: Groce et al., 2012).
[[nodiscard]] std::vector<fault> make_fault_plan(std::uint64_t seed, profile by,
                                                 std::chrono::nanoseconds length);

/// One line for people.
[[nodiscard]] std::string to_text(const fault& one);

}  // namespace argosy::sim
