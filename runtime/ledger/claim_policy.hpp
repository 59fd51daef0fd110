// SPDX-License-Identifier: Apache-2.0
// The claim_policy says what a control plane process may do with the log when nobody leads. A
// process that led last has everything that was ever acknowledged in its own store, and may mend or
// replace a log that was lost or set back. Any other one may lack acknowledged changes, also if its
// store follows the log, so that it may go on with a log that cannot have lost anything since its
// leader was last heard, and must not replace one. It is pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/model/identifiers.hpp"
#include "runtime/model/plane.hpp"

namespace argosy::ledger {

/// What a leader tells of itself to whoever asks on the subject argosy.lead.
struct leader_standing {
  std::string holder;         ///< As in the claim, see holder_text().
  std::string control_plane;  ///< Empty: a leader of another version, which does not tell more.
  model::epoch epoch{};
  model::log_generation generation{};
  model::log_position position{};  ///< The last record that is committed.
  std::string server_id;           ///< The nats-server that it is connected to, anew at each start.
  std::uint64_t key_print = 0;     ///< Which key the log's batches have MACs of.
  model::record_name committed{};  ///< The record at that position.
  bool has_planes = false;         ///< Planes decide together here, or are to do so.
  bool is_over = false;            ///< It writes nothing any more, and ends.
  std::string heir{};              ///< The plane that is to lead then; empty: any.

  friend bool operator==(const leader_standing&, const leader_standing&) = default;
};

/// What a store says about the log that it has applied.
struct store_standing {
  std::string control_plane;  ///< Empty: it has none yet.
  std::string holder;         ///< Who made the last claim.
  model::epoch epoch{};
  model::log_generation generation{1};
  model::log_position position{};  ///< 0: the store is empty.
  bool is_copy = false;            ///< It comes from a backup and has joined no log since.
};

struct claim_facts {
  std::string plane;  ///< The id of this process's data directory.
  store_standing store;
  /// The highest leader that was ever heard; nothing: none was.
  std::optional<leader_standing> met;
  /// An operator has accepted what may be lost of all that was claimed up to this epoch; 0: none
  /// has.
  model::epoch accepted_epoch{};
  std::string server_id;  ///< The nats-server that this process is connected to now.
  /// Planes that decide together are named by the log.
  bool has_planes = false;
  /// They have granted this epoch to this process; 0: they have not.
  model::epoch granted{};
};

enum class claim_right : std::uint8_t {
  everything,  ///< Also to mend the log from the store, and to begin a new one.
  go_on,       ///< To claim behind the end of a log that lacks nothing.
  none,
};

struct claim_verdict {
  claim_right right = claim_right::none;
  std::string why;  ///< Why it is no more, in a sentence without a full stop that names a remedy.
};

/// Judges by what is known before the log is looked at, and again when the store has applied it.
[[nodiscard]] claim_verdict judge_claim(const claim_facts& facts);

/// Whether a log that ends there has all that the leader had told. The verdict says why not.
[[nodiscard]] claim_verdict judge_end(const claim_facts& facts, model::log_generation generation,
                                      model::log_position position);

/// Says why this process must not lead where that leader was heard: it is of another control plane
/// than the store; empty: it is not. Such a leader bars this nats-server alone and is not
/// remembered.
[[nodiscard]] std::string why_foreign(const leader_standing& heard, const store_standing& store);

/// Returns what is to be remembered of leaders when one is heard: the highest of this control
/// plane. A leader of another version tells no epoch and may have led after all the others.
[[nodiscard]] std::optional<leader_standing> remembered(
    const leader_standing& heard, const std::optional<leader_standing>& before,
    const store_standing& store);

/// Says why a process that may only go on must not change the log, which lacks what `holder` had.
[[nodiscard]] std::string why_unmended(std::string_view holder);

/// Who claims: the process for people, as "HOST/NUMBER"; the id of the data directory, which tells
/// whether a claim in the log is one's own; and the start of the nats-server on which it was
/// claimed.
[[nodiscard]] std::string holder_text(std::string_view process, std::string_view plane,
                                      std::string_view server_id);
/// The host and process in a holder, by which people know it.
[[nodiscard]] std::string_view process_of(std::string_view holder);
/// The id of the data directory, and that of the server, in a holder; empty if it names
/// none.
[[nodiscard]] std::string_view plane_of(std::string_view holder);
[[nodiscard]] std::string_view server_of(std::string_view holder);

}  // namespace argosy::ledger
