// SPDX-License-Identifier: Apache-2.0
// The version that all programs show. It is defined in a generated file, so that a new commit
// compiles only that file again.
#pragma once

namespace argosy {

extern const char* const version_text;
/// The short commit id, or "unknown" outside of a checkout.
extern const char* const commit_text;

}  // namespace argosy
