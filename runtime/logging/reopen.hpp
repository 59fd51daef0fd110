// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace argosy::logging {

/// Opens the log file anew if it was renamed or removed. Every line does so as well; this makes the
/// file at once for whoever waits for it. If that fails the old file stays in use, and a line in it
/// says why. Any thread may call it.
void reopen();

}  // namespace argosy::logging
