// SPDX-License-Identifier: Apache-2.0
// How a process that waits for the lead gets a snapshot of the leader's store: piece by piece, by
// the questions that it asks the leader anyway.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "bins/argosyd/upkeep/manifest.hpp"
#include "messages/codec/lead_codec.hpp"
#include "runtime/base/result.hpp"

namespace argosy::argosyd {

/// What the leader answers from the snapshots in its data directory.
[[nodiscard]] codec::snapshot_piece read_snapshot_piece(const std::filesystem::path& data_dir,
                                                        const codec::snapshot_question& asked);

/// Asks the leader. Fails with the errors of the bus.
using ask_for_piece = std::function<result<codec::snapshot_piece>(const codec::snapshot_question&)>;

/// Says in a sentence without a full stop why a snapshot would not help; empty: it would.
using snapshot_judge = std::function<std::string(const backup_manifest&)>;

/// Changes the copy of the store in this folder before it is put in place.
using snapshot_finish = std::function<result<void>(const std::filesystem::path& store)>;

/// Gets the newest snapshot of the leader and puts it in place of the store in this data directory,
/// which is not open any more at the next start. The store before is kept as `store.aside`, in
/// place of one that was kept before. Fails with ec::not_found if the leader has none that would
/// help, with ec::out_of_space, with ec::corrupt if it came in another form than it was sent, and
/// with the errors of the disk and the bus; nothing has changed then.
result<void> fetch_snapshot(const std::filesystem::path& data_dir, const ask_for_piece& ask,
                            const snapshot_judge& judge = {}, const snapshot_finish& finish = {});

}  // namespace argosy::argosyd
