// SPDX-License-Identifier: Apache-2.0
// One of the outputs that somebody reads now, for the files of log_streams.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "runtime/backends/kubernetes/output/log_streams.hpp"

namespace argosy::backends {

/// One output and its reader. What it holds is guarded by the mutex of its owner, but `reading` is
/// set and ended outside of it: to end a reading waits for a call, which may wait for the
/// mutex.
struct log_streams::stream final : kube::body_reader {
  stream(log_streams& owner, const model::log_request& wanted, const log_place& from,
         const log_start& start)
      : of(owner), first(wanted), lines(from, start) {}

  bool came(std::string_view bytes) override { return of.came(*this, bytes); }
  void ended(result<kube::answer> how) override { of.ended(*this, std::move(how)); }

  log_streams& of;
  std::string id;
  model::log_request first;
  log_lines lines;
  std::string queue;  ///< The stream takes a place of this queue.
  std::string node;
  bool open = false;
  bool fresh = true;       ///< No answer was asked for yet.
  bool whole = false;      ///< The last answer came to its end.
  bool after_end = false;  ///< It was asked for after the container had ended.
  std::optional<error> wrong;
  boot_time used{};
  boot_time not_before{};
  std::optional<boot_time> followed;  ///< When the last answer that was followed to its end ended.
  struct waiting {
    model::log_request wanted;
    log_taker take;
  };
  std::optional<waiting> waits;
  std::unique_ptr<kube::watch> reading;

  /// Reads the last line, to see whether the kubelet answers.
  struct kubelet_look final : kube::body_reader {
    explicit kubelet_look(stream& from) : of(from) {}
    bool came(std::string_view) override { return true; }
    void ended(result<kube::answer> how) override { of.of.looked(of, how); }

    stream& of;
  };
  pod_place place;
  boot_time heard{};                  ///< When the kubelet gave something last.
  std::optional<boot_time> asked_at;  ///< When it was asked for the last line; it has not answered.
  std::optional<error> silence;       ///< Why nobody knows whether there is more.
  kubelet_look look{*this};
  std::unique_ptr<kube::watch> looking;  ///< As `reading`.
};

}  // namespace argosy::backends
