// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/api/callers.hpp"

#include <unistd.h>

#include <optional>

#include "bins/argosyd/dev_access.hpp"
#include "runtime/access/loopback_peer.hpp"
#include "runtime/access/role.hpp"

namespace argosy::argosyd {

namespace {

using kind = rpc::admission::kind;

constexpr const char* anonymous_name = "anonymous";

std::optional<access::role> to_role(settings::anonymous_role value) {
  switch (value) {
    case settings::anonymous_role::none:
      return std::nullopt;
    case settings::anonymous_role::viewer:
      return access::role::viewer;
    case settings::anonymous_role::submitter:
      return access::role::submitter;
    case settings::anonymous_role::operator_:
      return access::role::operator_;
  }
  return std::nullopt;
}

}  // namespace

callers::callers(const settings::grpc_settings& settings, bool dev)
    : anonymous_(settings.anonymous), dev_(dev), owner_(dev ? login_name() : "") {}

rpc::admission callers::operator()(const rpc::caller& who, std::string_view method) const {
  if (!who.authorization.empty())
    return {kind::unknown, "this server knows no users yet: leave out the header 'authorization'"};
  if (dev_ && access::uid_behind(who.peer) == ::geteuid()) return {kind::admitted, owner_};
  const auto role = to_role(anonymous_);
  if (!role)
    return {kind::unknown,
            dev_ ? "only the user who started this server may call it; grpc.anonymousRole lets "
                   "others in"
                 : "this server asks callers who they are; grpc.anonymousRole of argosyd lets "
                   "others in"};
  if (!access::may_call(*role, method))
    return {kind::forbidden, "callers without a name may not call " + std::string{method} +
                                 "; grpc.anonymousRole of argosyd says what they may"};
  return {kind::admitted, anonymous_name};
}

}  // namespace argosy::argosyd
