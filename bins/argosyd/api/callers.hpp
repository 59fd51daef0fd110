// SPDX-License-Identifier: Apache-2.0
// This file declares who may call the API over the transports that argosyd serves by itself.
#pragma once

#include <string>
#include <string_view>

#include "runtime/rpc/caller.hpp"
#include "runtime/settings/api_settings.hpp"

namespace argosy::argosyd {

class callers {
 public:
  /// With `dev` the user who started this process may do everything from this machine, and nobody
  /// else anything, unless the settings give a role to everybody.
  callers(const settings::grpc_settings& settings, bool dev);

  /// Says as whom the caller may call the method, "Service.Method".
  [[nodiscard]] rpc::admission operator()(const rpc::caller& who, std::string_view method) const;

 private:
  settings::anonymous_role anonymous_;
  bool dev_;
  std::string owner_;
};

}  // namespace argosy::argosyd
