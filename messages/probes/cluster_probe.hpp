// SPDX-License-Identifier: Apache-2.0
// The cluster_probe shows the contact with the clusters, which it reads from the board of contacts.
#pragma once

#include <memory>

#include "messages/native/contact_board.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/metrics/probe.hpp"

namespace argosy::probes {

/// It shows five families:
///   argosy_clusters{state}                      connected, away, silent, expected, gone
///   argosy_cluster_silence_seconds{cluster}     since it was last heard; at most 200 clusters, of
///                                               more those that have been silent longest
///   argosy_cluster_silent{cluster}              1 for each that takes no new jobs for that
///   argosy_cluster_away{cluster}                1 for each whose agent cannot begin any run
///   argosy_cluster_closed_namespaces{pool,cluster,kind}   namespaces of which it takes no jobs for
///                                               now; of many, 200
/// The clock must outlive the probe.
class cluster_probe final : public metrics::probe {
 public:
  cluster_probe(std::shared_ptr<const native::contact_board> contacts, const clock_source& clock)
      : probe("cluster"), contacts_(std::move(contacts)), clock_(clock) {}

 protected:
  void collect(metrics::family_list& out) const override;

 private:
  std::shared_ptr<const native::contact_board> contacts_;
  const clock_source& clock_;
};

}  // namespace argosy::probes
