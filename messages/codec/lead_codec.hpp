// SPDX-License-Identifier: Apache-2.0
// Encodes what planes say to one another, and the file in which a control plane keeps what
// it has heard there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/ledger/claim_policy.hpp"
#include "runtime/ledger/plane_quorum.hpp"

namespace argosy::codec {

/// What a process asks for whose store is too old for the log.
struct snapshot_question {
  std::string name{};        ///< Empty: which is the newest one.
  std::uint64_t offset = 0;  ///< Where in the store's file the piece begins.
  /// A snapshot of an older generation does not help, and a new one is wanted.
  model::log_generation generation{};
};

struct snapshot_piece {
  std::string name{};      ///< Empty: there is no snapshot, or not this one any more.
  std::string manifest{};  ///< The list of its files, in answers about the newest one.
  std::string data{};      ///< Empty: the file ends before.
};

/// What a process says that waits for the lead. All is empty if it only asks who leads.
struct waiting_word {
  std::string plane;    ///< The id of its data directory.
  std::string holder;   ///< Its host and process.
  std::string problem;  ///< Why it could not take over now; empty: it could.
  /// The last record of the log that its store has; nothing: it does not follow the log.
  std::optional<model::log_position> applied{};
  std::optional<snapshot_question> snapshot{};  ///< It asks for this instead.
  std::string place{};                          ///< model::plane::place
  model::record_name end{};                     ///< With which record its store ends.
  model::epoch bound{};                         ///< It confirms nothing of a lower epoch.
};

/// What a data directory keeps about leading.
struct lead_memory {
  std::string plane;  ///< The id of the data directory; empty: it has none yet.
  std::optional<ledger::leader_standing> met;
  model::epoch accepted_epoch{};  ///< See ledger::claim_facts.
  ledger::plane_binding bound{};
  std::vector<std::string> marks{};  ///< The store of this plane has one of them.
};

[[nodiscard]] std::string encode(const waiting_word& word);
/// Anything else than a word, such as the question of another version, is an empty word.
[[nodiscard]] waiting_word decode_waiting_word(std::string_view bytes);

[[nodiscard]] std::string encode(const ledger::leader_standing& standing);
/// The answer of another version gives a standing with a holder alone, which names it.
[[nodiscard]] ledger::leader_standing decode_leader_standing(std::string_view bytes);

[[nodiscard]] std::string encode(const snapshot_piece& piece);
/// The answer of a leader of a version without snapshots is a piece without a name.
[[nodiscard]] snapshot_piece decode_snapshot_piece(std::string_view bytes);

[[nodiscard]] std::string encode(const ledger::binding_question& question);
/// Nothing: it is no such question.
[[nodiscard]] std::optional<ledger::binding_question> decode_binding_question(
    std::string_view bytes);
[[nodiscard]] std::string encode(const ledger::binding_answer& answer);
[[nodiscard]] std::optional<ledger::binding_answer> decode_binding_answer(std::string_view bytes);

[[nodiscard]] std::string encode(const lead_memory& memory);
/// Fails with ec::corrupt.
[[nodiscard]] result<lead_memory> decode_lead_memory(std::string_view bytes);

}  // namespace argosy::codec
