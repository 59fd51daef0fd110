// SPDX-License-Identifier: Apache-2.0
// Gives the token of a context for each call, and renews it before it ends. It may be asked on any
// thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "bins/argosyctl/client/contexts.hpp"
#include "bins/argosyctl/login/provider.hpp"
#include "runtime/access/tokens/fetch.hpp"

namespace argosy::ctl {

class token_source {
 public:
  /// `file` keeps the token; `now` is the Unix time in seconds.
  token_source(context from, std::filesystem::path file, access::fetch_function fetch,
               std::function<std::int64_t()> now);

  /// ec::denied, with what to do, if there is no token that can be used or renewed;
  /// ec::unreachable if the provider does not answer and the token has ended.
  [[nodiscard]] result<std::string> get();

 private:
  [[nodiscard]] bool is_fresh() const;
  [[nodiscard]] bool is_usable() const;
  [[nodiscard]] result<std::string> renewed();

  const context from_;
  const std::filesystem::path file_;
  const access::fetch_function fetch_;
  const std::function<std::int64_t()> now_;
  std::mutex guard_;  ///< Guards what follows.
  std::optional<login_token> token_;
};

}  // namespace argosy::ctl
