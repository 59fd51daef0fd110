// SPDX-License-Identifier: Apache-2.0
// The init of a run: the process between shim and command, first of the run's PID namespace. The
// kernel kills all processes of the run when the init ends, and the init ends with its shim, at the
// time by which the run has to be dead, or with the command. Nothing within the namespace can kill
// or stop it. It is forked from the shim without exec.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "bins/argosy-shim/namespaces.hpp"
#include "runtime/base/clock.hpp"

namespace argosy::shim {

/// An order that the shim gives the init through their socket. Each packet has one order.
struct init_order {
  enum class kind : std::int32_t {
    begin,      ///< The first order: the ids are mapped, and the command may be started.
    dead_by,    ///< The time below has changed.
    terminate,  ///< Send SIGTERM to the command's process group.
  };
  kind what = kind::begin;
  /// With `begin` and `dead_by`: the run must be dead at this CLOCK_BOOTTIME, in nanoseconds; the
  /// greatest time means never.
  std::int64_t time_ns = 0;
};

/// The report that the init sends to the shim before it ends with the command.
struct init_report {
  std::int32_t wait_status = 0;  ///< The status of the command as from waitpid().
};

/// The exit code of an init that ended the run since the time by which it has to be dead had come.
constexpr int exit_lapsed = 75;

/// Has lists of processes show this one as argosy-init and not as a second shim of the run.
void name_init();

/// Follows the command until it ends or `dead_by` comes, and then ends itself, in the second case
/// with exit_lapsed. `control` is the init's end of the socket.
[[noreturn]] void follow_command(pid_t command, int control, isolation kind, boot_time dead_by);

}  // namespace argosy::shim
