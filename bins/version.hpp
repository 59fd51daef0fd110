// SPDX-License-Identifier: Apache-2.0
// The version that all programs show.
#pragma once

namespace argosy {

inline constexpr const char* version_text = ARGOSY_VERSION;
/// Short commit id, or "unknown" outside of a checkout.
inline constexpr const char* commit_text = ARGOSY_COMMIT;

}  // namespace argosy
