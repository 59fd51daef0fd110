// SPDX-License-Identifier: Apache-2.0
// This file declares how the id of an operation passes between a caller and the QUEUEs. A change of
// very many jobs becomes an operation. Its caller may choose the id, so that he knows it before the
// answer comes, and may send the request again without beginning anew.
#pragma once

#include "actors/api/gateway_services.hpp"

namespace argosy::actors {

/// Makes a method whose call has the id of an operation: the one that its header argosy-operation
/// names, or a new one if there is no such header or another operation has that id. An id that is
/// none is answered with ec::invalid_argument.
[[nodiscard]] method under_an_id(method inner);

/// The headers of an answer: argosy-operation if the change was an operation.
[[nodiscard]] bus::headers told_of(const ledger::selection_reply& reply);

}  // namespace argosy::actors
