// SPDX-License-Identifier: Apache-2.0
// This file declares how tests of cores pick the effects of one type from those of a step.
#pragma once

#include <variant>
#include <vector>

namespace argosy::tests {

/// The effects of this type, in their order; `all` is a vector of variants.
template <class Effect, class Any>
std::vector<Effect> effects_of(const std::vector<Any>& all) {
  std::vector<Effect> out;
  for (const auto& effect : all)
    if (const auto* one = std::get_if<Effect>(&effect)) out.push_back(*one);
  return out;
}

}  // namespace argosy::tests
