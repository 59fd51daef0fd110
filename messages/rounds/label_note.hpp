// SPDX-License-Identifier: Apache-2.0
// This file declares the note that somebody who submits a gang gets at once, when no gang can start
// now under the label whose value its members have to share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/model/job.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::rounds {

/// A sentence for each label under which no gang can start now: because no node carries it, or
/// because rounds do not read it. They are joined by "; ". Empty when all is well, and while there
/// is no node, since nobody can know then. It walks over the nodes once; the snapshot need not be
/// settled.
[[nodiscard]] std::string label_note(const scheduling::snapshot& from,
                                     const scheduling::config& conf,
                                     const std::vector<std::string>& labels);

/// The uniformity labels of these jobs, each once and not very many.
[[nodiscard]] std::vector<std::string> labels_of(
    const std::vector<std::shared_ptr<const model::job_header>>& jobs);

}  // namespace argosy::rounds
