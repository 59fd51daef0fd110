// SPDX-License-Identifier: Apache-2.0
// The transports that argosyd serves by itself, besides NATS: gRPC and REST. They reach the API
// over a bus inside the process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bins/argosyd/callers.hpp"
#include "bins/argosyd/options.hpp"
#include "runtime/base/result.hpp"
#include "runtime/bus/in_memory.hpp"
#include "runtime/health/front/host_names.hpp"
#include "runtime/health/pages.hpp"
#include "runtime/rest/changed_names.hpp"
#include "runtime/rpc/server.hpp"

namespace argosy::argosyd {

class transports {
 public:
  /// Makes the bus; nothing is served yet.
  transports();
  ~transports();

  /// The side of the bus on which the API is to be served; null if no transport is on. Each call
  /// makes a new connection.
  [[nodiscard]] std::shared_ptr<bus::connection> api_side() const;

  /// Checks the tokens that users of NATS show; empty if the settings name no provider.
  [[nodiscard]] access::proof_check token_check(const options& chosen);

  /// The pages of the API over REST, for the HTTP endpoint; null if the settings have it off.
  /// `position` says how far the log is, as outcome::position(), and `changed` where jobs have
  /// changed, as outcome::changed().
  [[nodiscard]] std::shared_ptr<health::pages> rest(
      const options& chosen, std::function<std::optional<std::uint64_t>()> position,
      rest::changes_behind changed);

  /// Whether the HTTP endpoint has the web page, since it has the API, which the page calls.
  [[nodiscard]] bool has_page() const;

  /// Listens where the settings say. The settings' addresses must be free: an error names the key.
  /// `folder` keeps ports that were chosen, so that a restart takes them again. Who calls the
  /// server by other names than `names` is refused.
  result<void> start(const options& chosen, const std::filesystem::path& folder,
                     std::shared_ptr<const health::host_names> names);
  /// Ends what start() began.
  void stop();

  /// "grpc://127.0.0.1:50051", or with "grpcs" where it is encrypted; empty if gRPC is off.
  [[nodiscard]] std::string grpc_url() const;

 private:
  /// Who is known is the same for all transports.
  const callers& known_callers(const options& chosen);

  mutable bus::memory_broker broker_;
  std::shared_ptr<bus::connection> caller_side_;
  std::unique_ptr<rpc::server> grpc_;
  std::optional<callers> callers_;
  bool rest_ = false;
};

}  // namespace argosy::argosyd
