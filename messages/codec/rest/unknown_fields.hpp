// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace argosy::codec {

/// What is done with a field of a request in JSON that is not known. It is refused unless the
/// settings say otherwise, since what it was to limit would be done without the limit.
enum class unknown_fields : bool { refused, passed };

}  // namespace argosy::codec
