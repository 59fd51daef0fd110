// SPDX-License-Identifier: Apache-2.0
// This file declares the limit of open files of programs that carry out runs.
#pragma once

namespace argosy {

/// Raises the soft limit of open descriptors of this process to the hard one. Every run holds some,
/// so that the usual soft limit of 1,024 would be reached first. Commands of runs get the usual one
/// again.
void raise_file_limit() noexcept;

}  // namespace argosy
