// SPDX-License-Identifier: Apache-2.0
// The two forms in which the verb status shows its facts.
#pragma once

#include <string>

#include "bins/argosyctl/verbs/status/status_facts.hpp"

namespace argosy::ctl {

/// One screen of sentences, in lines. `colours` says whether the terminal shows colours.
[[nodiscard]] std::string status_text(const status_facts& facts, bool colours);

/// One object of JSON, without a line feed.
[[nodiscard]] std::string status_json(const status_facts& facts);

}  // namespace argosy::ctl
