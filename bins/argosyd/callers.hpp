// SPDX-License-Identifier: Apache-2.0
// This file declares how it is found out who calls the API over the transports that argosyd serves
// by itself.
#pragma once

#include <memory>

#include "bins/argosyd/password_users.hpp"
#include "runtime/access/nats_caller.hpp"
#include "runtime/access/tokens/oidc_users.hpp"
#include "runtime/access/tokens/token_reviews.hpp"
#include "runtime/rpc/caller.hpp"
#include "runtime/settings/api_settings.hpp"

namespace argosy::argosyd {

/// What the settings say of users, whichever way they prove who they are.
[[nodiscard]] access::user_directory to_directory(const settings::access_settings& from);

/// The ways to say who one is are tried in order: name and password, a token of Kubernetes, a token
/// of the OpenID provider, the user who started `--dev`, and nothing at all. A way that what is
/// presented does not belong to is passed over; one that it belongs to decides.
class callers {
 public:
  /// With `dev` the user who started this process may do everything from this machine. `fetch` asks
  /// the OpenID provider and the clusters of Kubernetes. `members` is as for password_users.
  callers(const settings::grpc_settings& grpc, const settings::access_settings& access, bool dev,
          const access::fetch_function& fetch, const std::filesystem::path& members = {});

  /// As rpc::admit_function. Copies share what they know.
  void operator()(const rpc::caller& who, std::function<void(rpc::admission)> then) const;

  /// Checks what users of NATS show: a token of the OpenID provider, and nothing else. Empty if
  /// there is no provider.
  [[nodiscard]] access::proof_check token_check() const;

 private:
  [[nodiscard]] rpc::admission without_proof(const rpc::caller& who) const;

  std::shared_ptr<password_users> users_;
  // Null: there are none.
  std::shared_ptr<access::token_reviews> reviews_;
  std::shared_ptr<access::oidc_users> tokens_;
  std::vector<access::permission_rule> rules_;
  settings::anonymous_role anonymous_;
  bool dev_;
  std::string owner_;
};

}  // namespace argosy::argosyd
