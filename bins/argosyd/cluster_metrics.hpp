// SPDX-License-Identifier: Apache-2.0
// This file declares what /metrics shows of the contact with the clusters.
#pragma once

#include <prometheus/collectable.h>

#include <memory>

#include "messages/native/contact_board.hpp"
#include "runtime/base/clock.hpp"

namespace argosy::argosyd {

///   argosy_clusters{state}                      connected, silent, expected, gone
///   argosy_cluster_silence_seconds{cluster}     since it was last heard; at most 200 clusters, of
///                                               more those that have been silent longest
/// The clock must outlive the collector.
[[nodiscard]] std::shared_ptr<const prometheus::Collectable> cluster_metrics(
    std::shared_ptr<const native::contact_board> contacts, const clock_source& clock);

}  // namespace argosy::argosyd
