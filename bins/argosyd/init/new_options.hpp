// SPDX-License-Identifier: Apache-2.0
// This file declares which options of `argosyd init` are for a new deployment alone.
#pragma once

#include <string>

#include "bins/argosyd/init/init_plan.hpp"
#include "runtime/settings/checks/address.hpp"

namespace argosy::argosyd {

/// ec::invalid_argument, with a sentence that names the option, if one is given that would be
/// dropped since the deployment is there and has something else.
[[nodiscard]] inline result<void> refuse_another(const init_request& request,
                                                 const access::server_plan& there) {
  const auto is_given = [](const std::string& text) { return text != init_request{}.listen; };
  struct row {
    const char* option;
    std::string given;
    std::string there;
  };
  for (const auto& each :
       {row{"--store-dir", request.store.string(), there.store_dir},
        row{"--listen", is_given(request.listen) ? request.listen : "", there.listen},
        row{"--url", request.url, there.url}, row{"--machines", request.machines, there.machines},
        row{"--grpc", request.grpc, there.grpc},
        row{"--tls-cert", request.certificate, there.certificate},
        row{"--tls-key", request.certificate_key, there.certificate_key},
        row{"--tls-ca", request.authority, there.authority}})
    if (!each.given.empty() && each.given != each.there)
      return fail(ec::invalid_argument, std::string{each.option} +
                                            " is for a new deployment; this one has " +
                                            (each.there.empty() ? "none" : each.there));
  if (!request.clusters.empty() || !request.users.empty())
    return fail(
        ec::invalid_argument,
        "--cluster and --user are for a new deployment; --add-cluster and --add-user add to "
        "one that is there");
  return {};
}

/// ec::invalid_argument if the settings of everybody, which get this URL, would be refused with it.
[[nodiscard]] inline result<void> check_url(const init_request& request) {
  if (const auto wrong = settings::check_nats_urls(request.url))
    return fail(ec::invalid_argument, "--url: " + *wrong);
  return {};
}

}  // namespace argosy::argosyd
