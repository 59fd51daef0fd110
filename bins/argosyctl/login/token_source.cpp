// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/login/token_source.hpp"

#include <fmt/format.h>

#include <utility>

#include "bins/argosyctl/login/token_file.hpp"

namespace argosy::ctl {

namespace {

failure no_token(const context& from, const std::string& why) {
  return fail(ec::denied,
              fmt::format("{}; log in again: argosyctl login --name '{}'", why, from.name));
}

}  // namespace

token_source::token_source(context from, std::filesystem::path file, access::fetch_function fetch,
                           std::function<std::int64_t()> now)
    : from_(std::move(from)),
      file_(std::move(file)),
      fetch_(std::move(fetch)),
      now_(std::move(now)) {}

bool token_source::is_fresh() const {
  return token_ && (token_->renew_at == 0 || now_() < token_->renew_at);
}

bool token_source::is_usable() const {
  return token_ && (token_->expires_at == 0 || now_() < token_->expires_at);
}

result<std::string> token_source::get() {
  const std::scoped_lock lock{guard_};
  if (is_fresh() && is_usable()) return token_->token;
  auto kept = read_token(file_, from_);
  if (!kept) return fail(std::move(kept.error()));
  token_ = std::move(*kept);
  if (!token_) return no_token(from_, "you are not logged in at '" + from_.issuer + "'");
  if (is_fresh() && is_usable()) return token_->token;
  return renewed();
}

result<std::string> token_source::renewed() {
  const token_lock alone{file_};
  // Another process may have renewed it while this one waited.
  if (auto kept = read_token(file_, from_); kept && kept->has_value()) token_ = std::move(*kept);
  if (is_fresh() && is_usable()) return token_->token;
  if (token_->refresh.empty()) {
    if (is_usable()) return token_->token;
    return no_token(from_, "your token has ended, and the provider gave nothing to renew it by");
  }
  const auto at = find_provider(from_, fetch_);
  auto fresh = at ? renew(from_, *at, *token_, now_(), fetch_) : fail(at.error());
  if (!fresh) {
    if (is_usable()) return token_->token;
    if (fresh.error().code == ec::denied) return no_token(from_, fresh.error().detail);
    return fail(std::move(fresh.error()));
  }
  token_ = std::move(*fresh);
  if (auto written = write_token(file_, from_, *token_); !written)
    return fail(std::move(written.error()));
  return token_->token;
}

}  // namespace argosy::ctl
