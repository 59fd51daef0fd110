// SPDX-License-Identifier: Apache-2.0
// How a program is spawned: it reads nothing, has no files but those that it is given, and begins
// with the signals that it would have from a shell.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

namespace argosy::backends {

class spawn_settings {
 public:
  /// The program leads a session of its own, or only a process group.
  enum class leads { session, group };

  /// Signals that are `blocked` stay so until the program unblocks them.
  spawn_settings(leads what, const sigset_t& blocked) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    sigset_t all;
    ::sigfillset(&all);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setsigmask(&attributes_, &blocked);
    const auto own = what == leads::session ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP;
    ::posix_spawnattr_setflags(
        &attributes_, static_cast<short>(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | own));
  }
  ~spawn_settings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  spawn_settings(const spawn_settings&) = delete;
  spawn_settings& operator=(const spawn_settings&) = delete;

  /// The program has the file `fd` as its file `as`.
  void give(int fd, int as) { ::posix_spawn_file_actions_adddup2(&actions_, fd, as); }
  /// What the program writes to the file `as` is lost.
  void discard(int as) {
    ::posix_spawn_file_actions_addopen(&actions_, as, "/dev/null", O_WRONLY, 0);
  }
  /// The program has no files from this one on. Call this after the files are given.
  void close_from(int first) { ::posix_spawn_file_actions_addclosefrom_np(&actions_, first); }

  /// Returns 0, or the number of the error.
  int spawn(pid_t& pid, const char* program, char* const* argv, char* const* env) const {
    return ::posix_spawn(&pid, program, &actions_, &attributes_, argv, env);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace argosy::backends
