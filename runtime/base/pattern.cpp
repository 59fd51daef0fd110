// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/pattern.hpp"

#include <re2/re2.h>

namespace argosy {

namespace {

/// What one expression may take when compiled, so that a(b{1000}){1000} is refused.
constexpr std::int64_t bytes_max = 1'000'000;

}  // namespace

result<pattern> pattern::make(const std::string& text) {
  if (text.empty()) return pattern{};
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(bytes_max);
  auto compiled = std::make_shared<const RE2>(text, options);
  if (!compiled->ok()) return fail(ec::invalid_argument, compiled->error());
  return pattern{std::move(compiled)};
}

bool pattern::is_in(std::string_view text) const {
  return compiled_ == nullptr ||
         RE2::PartialMatch(re2::StringPiece{text.data(), text.size()}, *compiled_);
}

const std::string& pattern::text() const {
  static const std::string none;
  return compiled_ == nullptr ? none : compiled_->pattern();
}

}  // namespace argosy
