// SPDX-License-Identifier: Apache-2.0
// The version that all programs show. Defined in a generated file, the only one that a new commit
// compiles again.
#pragma once

namespace argosy {

extern const char* const version_text;
/// Short commit id, or "unknown" outside of a checkout.
extern const char* const commit_text;

}  // namespace argosy
